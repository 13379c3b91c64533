/** An error response of a server, or a failed connection. */
export class ServerError extends Error {}
