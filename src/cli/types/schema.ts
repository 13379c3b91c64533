/** The definitions of a database, as read from a server. */
import type { Schema, TableSchema } from '../../inference/schema.js';
import type { Statement } from '../../language/ast.js';
import { parseQuery } from '../../language/parse.js';
import { printStatement } from '../../language/print.js';
import { isArray, isObject, type ObjectValue, type Value } from '../../value/value.js';
import type { RpcClient } from '../client/rpc-client.js';
import { ServerError } from '../client/server-error.js';
import { JOURNAL } from '../migrate/entry.js';

/** Tables whose fields are fetched at once. */
const BATCH = 100;

/** What users have defined, with the names of the access methods of the database. */
export interface ReadSchema extends Schema {
  readonly accesses: readonly string[];
}

/** Reads it. @throws ServerError where the user may not see definitions, or no database is selected */
export async function readSchema(client: RpcClient): Promise<ReadSchema> {
  const [database = {}] = await ask(client, 'INFO FOR DB');
  const definitions = read(database.tables, 'define-table').filter(({ name }) => String(name) !== JOURNAL);
  const tables: TableSchema[] = [];
  for (let from = 0; from < definitions.length; from += BATCH) {
    const batch = definitions
      .slice(from, from + BATCH)
      .map((definition) => ({ definition, name: String(definition.name) }));
    const infos = await ask(client, batch.map(({ name }) => infoForTable(name)).join(';\n'));
    for (const [at, table] of batch.entries())
      tables.push({ ...table, fields: read(infos[at]?.fields, 'define-field') });
  }
  return {
    tables,
    functions: read(database.functions, 'define-function'),
    params: read(database.params, 'define-param'),
    accesses: isObject(database.accesses) ? Object.keys(database.accesses) : [],
  };
}

function infoForTable(name: string): string {
  return printStatement({ kind: 'info', of: { kind: 'table', name }, structure: false });
}

async function ask(client: RpcClient, text: string): Promise<ObjectValue[]> {
  const results = await client.call('query', text);
  return (isArray(results) ? results : []).map((entry: Value) => {
    const { status, result } = isObject(entry) ? entry : {};
    if (status === 'OK' && isObject(result)) return result;
    throw new ServerError(typeof result === 'string' ? result : 'The server did not answer as expected');
  });
}

type Definition = Extract<Statement, { kind: `define-${string}` }>;

/** The definitions that INFO lists as texts, in the order of their names. */
function read<K extends Definition['kind']>(texts: Value, kind: K): Extract<Definition, { kind: K }>[] {
  if (!isObject(texts)) return [];
  const found: Extract<Definition, { kind: K }>[] = [];
  for (const text of Object.values(texts)) {
    const [statement] = typeof text === 'string' ? parseQuery(text).statements : [];
    if (statement?.kind === kind) found.push(statement as Extract<Definition, { kind: K }>);
  }
  return found;
}
