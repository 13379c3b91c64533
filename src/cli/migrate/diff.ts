/** Compares the definitions in the files of migrations with those of a database. */
import { printStatement } from '../../language/print.js';
import { isObject, type Value } from '../../value/value.js';
import type { RpcClient } from '../client/rpc-client.js';
import { ServerError } from '../client/server-error.js';
import { valuesOf, withStore } from '../target.js';
import { runMigration } from './apply.js';
import { JOURNAL } from './entry.js';
import type { Migration } from './files.js';

export interface Difference {
  /** `field name ON person`. */
  readonly what: string;
  /** The definition of the files; absent where they have none. */
  readonly files?: string;
  /** The definition of the database; absent where it has none. */
  readonly database?: string;
}

/** @throws CommandError where a file fails in an empty database; ServerError */
export async function diffMigrations(client: RpcClient, files: readonly Migration[]): Promise<Difference[]> {
  const [wanted, present] = [await definitionsOf(files), await readDefinitions(client)];
  return [...new Set([...wanted.keys(), ...present.keys()])].sort().flatMap((what) => {
    const [inFiles, inDatabase] = [wanted.get(what), present.get(what)];
    if (inFiles === inDatabase) return [];
    return [
      {
        what,
        ...(inFiles !== undefined && { files: inFiles }),
        ...(inDatabase !== undefined && { database: inDatabase }),
      },
    ];
  });
}

/** The definitions after applying all files to an empty database, computed in memory. */
function definitionsOf(files: readonly Migration[]): Promise<Definitions> {
  return withStore('memory', { ns: 'migrations', db: 'migrations' }, async (client) => {
    for (const migration of files) {
      const transaction = await client.call('begin');
      await runMigration(client, migration, transaction);
      await client.call('commit', transaction);
    }
    return readDefinitions(client);
  });
}

// All definitions of a database, as INFO shows them.

/** The texts of definitions by kind and name: `table person`, `field name ON person`. */
type Definitions = ReadonlyMap<string, string>;

/** Tables that are asked about at once. */
const BATCH = 100;
/** Notifications of clients, and views, which are tables themselves. */
const NOT_DEFINED: ReadonlySet<string> = new Set(['lives', 'tables']);

/** Without the journal of migrations. @throws ServerError */
async function readDefinitions(client: RpcClient): Promise<Definitions> {
  const found = new Map<string, string>();
  const database = await readDatabase(client);
  if (!isObject(database)) return found;
  const tables = isObject(database.tables) ? Object.keys(database.tables).filter((name) => name !== JOURNAL) : [];
  for (const [kind, definitions] of Object.entries(database)) {
    for (const [name, text] of textsOf(definitions)) {
      if (kind === 'tables' && name === JOURNAL) continue;
      // INFO leaves these words out.
      found.set(`${SINGULAR[kind] ?? kind} ${name}`, kind === 'configs' ? `DEFINE CONFIG ${text}` : text);
    }
  }
  for (let from = 0; from < tables.length; from += BATCH) {
    const names = tables.slice(from, from + BATCH);
    const infos = await valuesOf(client, names.map(infoForTable).join(';\n'));
    for (const [at, name] of names.entries()) {
      const info = infos[at];
      for (const [kind, definitions] of Object.entries(isObject(info) ? info : {})) {
        if (NOT_DEFINED.has(kind)) continue;
        for (const [part, text] of textsOf(definitions))
          found.set(`${SINGULAR[kind] ?? kind} ${part} ON ${name}`, text);
      }
    }
  }
  return found;
}

async function readDatabase(client: RpcClient): Promise<Value> {
  try {
    const [database] = await valuesOf(client, 'INFO FOR DB');
    return database;
  } catch (error) {
    // A database that was never used has no definitions.
    if (error instanceof ServerError && ['Database', 'Namespace'].includes(error.reason ?? '')) return undefined;
    throw error;
  }
}

/** Their name in INFO, and the name of a single one. */
const SINGULAR: Readonly<Record<string, string>> = {
  accesses: 'access',
  analyzers: 'analyzer',
  apis: 'API',
  configs: 'config',
  events: 'event',
  fields: 'field',
  functions: 'function',
  indexes: 'index',
  params: 'param',
  sequences: 'sequence',
  tables: 'table',
  users: 'user',
};

function textsOf(definitions: Value): [string, string][] {
  if (!isObject(definitions)) return [];
  return Object.entries(definitions).flatMap(([name, text]) => (typeof text === 'string' ? [[name, text]] : []));
}

function infoForTable(name: string): string {
  return printStatement({ kind: 'info', of: { kind: 'table', name }, structure: false });
}
