/** A comparison as a file of tests for `tessera test`: the records that it rests on, and what each of both users sees. */
import { RecordId } from 'surrealdb';
import type { Connection } from '../../connection/connection.js';
import { loadTableParts } from '../../connection/definitions.js';
import { identifier } from '../../connection/surrealql.js';
import type { TableParts } from '../../connection/table-parts.js';
import { describeUser, type ViewedUser } from '../../connection/viewed-user.js';
import type { Answer, Comparison } from './comparison.js';

/** Records that a file may have. */
const MOST_RECORDS = 500;
/** How far links are followed from the rows: conditions look at what a row links to, seldom further. */
const ROUNDS = 2;

/**
 * The file, as the owner's connection reads the records: without what is hidden from all users, such as password hashes.
 * @throws Error if it would take too many records
 */
export async function permissionTest(connection: Connection, comparison: Comparison): Promise<string> {
  const tables = await loadTableParts(connection);
  const records = await recordsBehind(connection, comparison, tables);
  const prepared = await insertStatements(connection, records, tables);
  const { statement, users, answers } = comparison;
  const [line = ''] = statement.trim().split('\n');
  const checks = users.map((user, at) => {
    const other = answers[1 - at];
    if (isRefusedGuest(user, answers[at])) return '-- Guests may not query at this server, whatever the rules say.';
    return `-- as ${nameOf(user)}\n${terminated(statement)}\n${expectations(answers[at] as Answer, other, comparison, at)}`;
  });
  const title = users.map(describeUser).join(' and ');
  return [
    '-- Written by the Studio. The first statements are the records as they were, without what no user may see.',
    'OPTION IMPORT;',
    ...prepared,
    '',
    `-- test ${oneLine(`${title}: ${line}`)}`,
    ...checks,
    '',
  ].join('\n');
}

function nameOf(user: ViewedUser): string {
  return user.kind === 'record' ? `${user.record} via ${user.access}` : user.kind;
}

/** `tessera test` lets guests query, as --allow-guests does. */
function isRefusedGuest({ kind }: ViewedUser, answer: Answer | undefined): boolean {
  return kind === 'guest' && answer?.ok === false && /not enough permissions/i.test(answer.error.message);
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}

function terminated(statement: string): string {
  return /;\s*$/.test(statement) ? statement.trim() : `${statement.trim()};`;
}

/** The lines behind a statement: which records are seen and which aren't, or what the answer is. */
function expectations(answer: Answer, other: Answer | undefined, { rows }: Comparison, at: number): string {
  if (!answer.ok) return `--! ${oneLine(answer.error.message)}`;
  if (rows === undefined || other === undefined) return '';
  const seen = rows.filter((row) => row.rows[at] !== undefined);
  const missing = rows.filter((row) => row.rows[at] === undefined);
  const ids = (list: typeof rows) => list.map(({ id }) => id.toString()).join(', ');
  const lines = [
    ...(seen.length === 0 ? ['-- sees nothing'] : [`-- sees ${ids(seen)}`]),
    ...(seen.length > 0 && missing.length > 0 ? [`-- doesn't see ${ids(missing)}`] : []),
  ];
  const hidden = seen.flatMap(({ id, rows: both, fields }) =>
    fields
      .filter((field) => both[at]?.[field] === undefined)
      .map((field) => `RETURN ${id.toString()}.${identifier(field)};\n--> NONE`),
  );
  return [...lines, ...hidden].join('\n');
}

/** The records that the statement finds for anyone, both users, and what these link to or are linked by. */
async function recordsBehind(
  connection: Connection,
  { statement, users, answers }: Comparison,
  tables: readonly TableParts[],
): Promise<readonly RecordId[]> {
  const found = new Map<string, RecordId>();
  const add = (value: unknown): void => {
    if (value instanceof RecordId) found.set(value.toString(), value);
    else if (Array.isArray(value)) value.forEach(add);
    else if (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype) {
      Object.values(value).forEach(add);
    }
  };
  const [all] = await connection.run(statement);
  for (const answer of [...answers, ...(all === undefined ? [] : [all])]) if (answer.ok) add(answer.value);
  for (const user of users) {
    if (user.kind === 'record') add(await connection.query('RETURN type::record($text)', { text: user.record }));
  }
  for (let round = 0; round < ROUNDS; round++) {
    const ids = [...found.values()];
    add(await connection.query('SELECT * FROM $ids; SELECT VALUE array::concat(->?, <-?) FROM $ids', { ids }));
    if (found.size > MOST_RECORDS)
      throw new Error(`A test would need more than ${MOST_RECORDS} records: ask for less.`);
  }
  const known = new Set(tables.map(({ name }) => name));
  return [...found.values()].filter(({ table }) => known.has(table.name));
}

/** An INSERT for each table. The server writes the values, since the page knows fewer kinds. */
async function insertStatements(
  connection: Connection,
  records: readonly RecordId[],
  tables: readonly TableParts[],
): Promise<readonly string[]> {
  const statements: string[] = [];
  for (const { name, kind, fields } of tables) {
    const ids = records.filter(({ table }) => table.name === name);
    if (ids.length === 0) continue;
    const left = fields.filter(({ computed, permissions }) => computed !== undefined || permissions.select === false);
    const omit = left.length === 0 ? '' : ` OMIT ${left.map((field) => field.name).join(', ')}`;
    const [rows] = await connection.query<[readonly string[]]>(
      `(SELECT *${omit} FROM $ids).map(|$row| value::quote($row))`,
      { ids },
    );
    if (rows.length === 0) continue;
    const relation = kind.kind === 'RELATION' ? 'RELATION ' : '';
    statements.push(`INSERT ${relation}[\n${rows.map((row) => `  ${row},\n`).join('')}] RETURN NONE;`);
  }
  return statements;
}

/** Whether there is anything that a test can say: rows, or a refusal. */
export function isTestable({ rows, answers }: Comparison): boolean {
  return rows !== undefined || answers.some(({ ok }) => !ok);
}
