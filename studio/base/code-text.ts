/** Texts as they stand in code and commands that are to be copied. */

/** A text in JavaScript, which is one in Python and in GraphQL, too. */
export function quoted(text: string): string {
  return JSON.stringify(text);
}

/** An argument of a command of a shell. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The address of a server for WebSockets. */
export function socketOf(server: string): string {
  return server.replace(/^http/, 'ws');
}
