/** The records that sign in by an access method of TYPE RECORD, with their sessions. */
import type { DateTime, RecordId } from 'surrealdb';
import type { Connection } from '../../connection/connection.js';
import { loadSessions } from './sessions.js';

export interface RecordUser {
  readonly id: RecordId;
  readonly email?: unknown;
  readonly sessions: number;
  /** When the latest of them was last used. */
  readonly active: DateTime | undefined;
}

export const PAGE = 50;

/**
 * Users in the order of their ids, after the first `start`: `PAGE` of them, and one more where there are more. `search`
 * is a part of the id or of the e-mail; empty: all.
 * @throws Error if the table may not be read
 */
export async function loadRecordUsers(
  connection: Connection,
  table: string,
  search: string,
  start: number,
): Promise<readonly RecordUser[]> {
  const condition =
    search.trim() === ''
      ? ''
      : `WHERE string::contains(string::lowercase(<string> id), $search)
        OR string::contains(string::lowercase(<string> (email ?? '')), $search)`;
  const [records] = await connection.query<[readonly Pick<RecordUser, 'id' | 'email'>[]]>(
    `SELECT id, email FROM type::table($table) ${condition} ORDER BY id LIMIT ${PAGE + 1} START ${start}`,
    { table, search: search.trim().toLowerCase() },
  );
  const { namespace, database } = connection.session;
  const sessions = (await loadSessions(connection)).filter(
    (session) => session.level === 'record' && session.namespace === namespace && session.database === database,
  );
  return records.map((record) => {
    const own = sessions.filter(({ user }) => String(user) === record.id.toString());
    const times = own
      .map(({ active }) => active)
      .toSorted((one, other) => one.toDate().getTime() - other.toDate().getTime());
    return { ...record, sessions: own.length, active: times.at(-1) };
  });
}
