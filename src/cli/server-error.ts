/** What a server said no with, in its own words, or why there is no server to say anything. */
export class ServerError extends Error {}
