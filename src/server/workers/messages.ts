/** What the first process and its workers send each other over the channel that Node opens between them. */
import type { AttemptKeys } from '../../auth/attempts/attempt-keys.js';
import type { AttemptOutcome } from '../../auth/attempts/throttle.js';

/** A connection for a worker, with its socket as the message's handle. */
export interface ConnectionMessage {
  readonly connection: number;
}

/** The answer to `attempt`: `retryAfter`, in seconds, where it is refused. */
export interface AdmissionMessage {
  readonly attempt: number;
  readonly retryAfter?: number;
}

export type WorkerMessage =
  /** It serves. */
  | { readonly type: 'ready' }
  /** It has the socket of the connection: the first process may close its own copy. */
  | { readonly type: 'accepted'; readonly connection: number }
  /** It doesn't take the connection, since it stops. */
  | { readonly type: 'refused'; readonly connection: number }
  /** A connection that it had accepted has ended. */
  | { readonly type: 'closed' }
  /** A sign-in attempt wants to begin; numbered by the worker. */
  | { readonly type: 'attempt'; readonly attempt: number; readonly keys: AttemptKeys }
  /** An attempt that was admitted has ended. */
  | { readonly type: 'attempted'; readonly attempt: number; readonly outcome: AttemptOutcome }
  /** It takes no further connections. */
  | { readonly type: 'stopping' };
