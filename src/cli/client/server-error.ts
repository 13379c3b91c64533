/** An error response of a server, or a failed connection. */
export class ServerError extends Error {
  /** The server's name for this kind of error, such as `TransactionConflict`. */
  readonly reason: string | undefined;

  constructor(message: string, { reason, ...options }: ErrorOptions & { readonly reason?: string | undefined } = {}) {
    super(message, options);
    this.reason = reason;
  }
}
