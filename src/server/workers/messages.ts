/** What the first process and its workers send each other over the channel that Node opens between them. */

/** A connection for a worker, with its socket as the message's handle. */
export interface ConnectionMessage {
  readonly connection: number;
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
  /** It takes no further connections. */
  | { readonly type: 'stopping' };
