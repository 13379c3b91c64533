/** What one statement answers to two users, row by row, and which rules make the difference. */
import { RecordId } from 'surrealdb';
import { asError } from '../../connection/as-error.js';
import type { Connection } from '../../connection/connection.js';
import type { StatementResult } from '../../connection/statement-source.js';
import { literal } from '../../connection/surrealql.js';
import type { ViewedUser } from '../../connection/viewed-user.js';

type Row = Readonly<Record<string, unknown>>;

/** What both users see of a record; `undefined`: not at all. */
export interface ComparedRow {
  readonly id: RecordId;
  readonly rows: readonly [Row | undefined, Row | undefined];
  /** The fields in which they differ; none where one of them doesn't see it, or both see the same. */
  readonly fields: readonly string[];
  readonly isSame: boolean;
  /** Why, in sentences. */
  readonly why: readonly string[];
}

export interface Comparison {
  readonly statement: string;
  readonly users: readonly [ViewedUser, ViewedUser];
  /** The whole answers, or why there is none. */
  readonly answers: readonly [Answer, Answer];
  /** Absent where the answers aren't rows with ids. */
  readonly rows?: readonly ComparedRow[];
}

export type Answer = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: Error };

/** Differences that are explained; each is a statement or two. */
const MOST_EXPLAINED = 50;

/**
 * Runs a statement as each of two users, in views, which change nothing.
 * @throws Error if a view is refused, or the text isn't one statement
 */
export async function compare(
  connection: Connection,
  statement: string,
  users: readonly [ViewedUser, ViewedUser],
): Promise<Comparison> {
  const opened = await Promise.allSettled(users.map((user) => connection.viewAs(user)));
  try {
    const [first, second] = opened.map((one) => {
      if (one.status === 'rejected') throw asError(one.reason);
      return one.value;
    });
    if (first === undefined || second === undefined) throw new Error('There have to be two users.');
    const answers = [await answerOf(first, statement), await answerOf(second, statement)] as const;
    const [rows, others] = answers.map((answer) => (answer.ok ? rowsOf(answer.value) : undefined));
    if (rows === undefined || others === undefined) return { statement, users, answers };
    const compared = [...new Set([...rows.keys(), ...others.keys()])].map((key) =>
      comparedRow(rows.get(key), others.get(key)),
    );
    let explained = 0;
    const withReasons: ComparedRow[] = [];
    for (const row of compared) {
      const isExplained = !row.isSame && explained++ < MOST_EXPLAINED;
      withReasons.push(isExplained ? { ...row, why: await reasonsFor(row, [first, second]) } : row);
    }
    return { statement, users, answers, rows: withReasons };
  } finally {
    for (const one of opened) if (one.status === 'fulfilled') one.value.close();
  }
}

async function answerOf(view: Connection, statement: string): Promise<Answer> {
  let results: readonly StatementResult[];
  try {
    results = await view.run(statement);
  } catch (thrown) {
    return { ok: false, error: asError(thrown) };
  }
  const [result] = results;
  if (result === undefined || results.length > 1) throw new Error('Write one statement.');
  return result.ok ? { ok: true, value: result.value } : { ok: false, error: result.error };
}

/** Rows by their ids as text; `undefined` for values that aren't rows with ids. */
function rowsOf(value: unknown): ReadonlyMap<string, Row> | undefined {
  if (!Array.isArray(value)) return undefined;
  const entries = value.map((row: unknown): [string, Row] | undefined => {
    const id = idOf(row);
    return id === undefined ? undefined : [id.toString(), row as Row];
  });
  return entries.every((entry) => entry !== undefined) ? new Map(entries) : undefined;
}

export function idOf(row: unknown): RecordId | undefined {
  const id: unknown = typeof row === 'object' && row !== null && 'id' in row ? row.id : undefined;
  return id instanceof RecordId ? id : undefined;
}

function comparedRow(one: Row | undefined, other: Row | undefined): ComparedRow {
  const names = new Set([...Object.keys(one ?? {}), ...Object.keys(other ?? {})]);
  const fields =
    one === undefined || other === undefined
      ? []
      : [...names].filter((name) => literal(one[name]) !== literal(other[name]));
  const id = idOf(one ?? other) as RecordId;
  const isSame = one !== undefined && other !== undefined && fields.length === 0;
  return { id, rows: [one, other], fields, isSame, why: [] };
}

/** What EXPLAIN PERMISSIONS … FOR … ON gives in a view: of the viewed user. */
interface Explained {
  readonly allowed: boolean;
  readonly words: readonly string[];
}

/** What the rules say of those who see less. */
async function reasonsFor({ id, rows, fields }: ComparedRow, views: readonly Connection[]): Promise<readonly string[]> {
  const reasons: string[] = [];
  for (const [at, view] of views.entries()) {
    if (rows[at] !== undefined && fields.length === 0) continue;
    const [result] = await view.run('EXPLAIN PERMISSIONS FOR select ON $record', { record: id });
    if (result?.ok !== true) continue;
    const { allowed, words } = result.value as Explained;
    const isMissing = rows[at] === undefined;
    // Who may see the record, and doesn't find it: the condition of the statement is about what is hidden.
    reasons.push(
      ...(isMissing && allowed ? ['The record may be seen, but a condition of the statement isn’t met.'] : words),
    );
  }
  return [...new Set(reasons)];
}
