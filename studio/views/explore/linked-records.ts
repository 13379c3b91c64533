/** Records of tables that a field may link to, found by their id or by their first text. */
import { type FieldInfo, loadFields } from '../../connection/catalog.js';
import type { Connection } from '../../connection/connection.js';
import { nameOf } from '../../connection/kinds.js';
import { identifier } from '../../connection/surrealql.js';
import { topLevel } from './columns.js';

export interface LinkedRecord {
  /** The code of its id. */
  readonly code: string;
  /** Its first text. */
  readonly name: string;
}

const MOST = 20;

/**
 * @param table the code of its name
 * @throws Error with what the server refuses
 */
export async function findLinked(
  connection: Connection,
  table: string,
  typed: string,
): Promise<readonly LinkedRecord[]> {
  const field = await firstText(connection, table);
  const value = field === undefined ? 'NONE' : identifier(field);
  const name = `(IF type::is_string(${value}) { ${value} } ELSE { "" })`;
  const [records] = await connection.query<[readonly LinkedRecord[]]>(
    `SELECT VALUE { code: value::quote(id), name: ${name} } FROM ${table}
      WHERE string::contains(string::lowercase(value::quote(id)), $typed)
        OR string::contains(string::lowercase(${name}), $typed) LIMIT ${MOST} TIMEOUT 5s`,
    { typed: typed.toLowerCase() },
  );
  return records;
}

/** By the definitions; of a table without any, by its first row. */
async function firstText(connection: Connection, table: string): Promise<string | undefined> {
  const defined = topLevel(await loadFields(connection, nameOf(table))).find(isText);
  if (defined !== undefined) return defined.name;
  const [[row = {}]] = await connection.query<[readonly Readonly<Record<string, unknown>>[]]>(
    `SELECT * FROM ${table} LIMIT 1`,
  );
  return Object.keys(row).find((name) => typeof row[name] === 'string');
}

function isText({ kind }: FieldInfo): boolean {
  return /\bstring\b/.test(kind);
}
