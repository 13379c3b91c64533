/** Sessions of WebSocket connections, as INFO shows them. */
import type { DateTime, Duration, Uuid } from 'surrealdb';
import type { Connection } from '../../connection/connection.js';

export interface SessionFacts {
  readonly id: Uuid;
  /** A name, or the id of a record. */
  readonly user: unknown;
  readonly level: string;
  readonly access?: string;
  readonly namespace?: string;
  readonly database?: string;
  readonly ip?: string;
  readonly origin?: string;
  readonly since: DateTime;
  readonly active: DateTime;
  readonly expires?: DateTime;
  readonly live: number;
  /** How long the oldest change has waited for the client. */
  readonly behind: Duration;
  /** The session that asks. */
  readonly current: boolean;
  /** Where several servers use the store. */
  readonly node?: string;
}

/** Those that the user may end, the oldest first. @throws Error for guests */
export async function loadSessions(connection: Connection): Promise<readonly SessionFacts[]> {
  const [list] = await connection.query<[readonly SessionFacts[]]>('INFO FOR SESSIONS');
  return list.toSorted((one, other) => one.since.toDate().getTime() - other.since.toDate().getTime());
}
