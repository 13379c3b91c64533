/** The notification of a live query, as sessions get it and transports encode it. */
import type { TesseraError } from '../errors/error.js';
import type { Versionstamp } from '../storage/contract.js';
import type { RecordId, Uuid, Value } from '../value/value.js';

/** A notification of a live query. */
export interface Notification {
  /** The live query. */
  readonly id: Uuid;
  /** KILLED is the last one. */
  readonly action: 'CREATE' | 'UPDATE' | 'DELETE' | 'KILLED';
  readonly record: RecordId | undefined;
  readonly result: Value;
  /** Of a row of a live result with an order: where it stands when this and all earlier ones are applied. */
  readonly position?: number | undefined;
  /**
   * For live queries with SINCE: everything up to it has been sent, so that SINCE it resumes after this notification.
   * Absent until a commit has been sent completely.
   */
  readonly versionstamp?: Versionstamp | undefined;
  /** Why the live query has ended; absent when a KILL has ended it. */
  readonly reason?: TesseraError | undefined;
}
