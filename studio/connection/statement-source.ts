/** What answers statements: a connection, and in tests a database in the same process. */

/** The result of one statement. */
export type StatementResult =
  | { readonly ok: true; readonly value: unknown; readonly type: 'live' | 'kill' | 'other'; readonly time: string }
  | { readonly ok: false; readonly error: Error; readonly time: string };

export interface StatementSource {
  /** The values of all statements. @throws Error of the first statement that fails */
  query<Values extends unknown[]>(text: string): Promise<Values>;
  /** What became of each statement. @throws Error if the text can't be read as statements, or the connection is lost */
  run(text: string): Promise<readonly StatementResult[]>;
}
