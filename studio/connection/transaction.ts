/** Several statements that all run, or none. */
import type { Connection } from './connection.js';

/** Runs them in one transaction, with options before it. @throws Error with what the server refuses */
export async function runTransaction(
  connection: Connection,
  statements: readonly string[],
  options = '',
): Promise<void> {
  const text = statements.map((statement) => `${statement};\n`).join('');
  const results = await connection.run(`${options}BEGIN;\n${text}COMMIT;`);
  const failed = results.flatMap((result) => (result.ok ? [] : [result.error]));
  // Of a transaction that fails, the other statements say only that they didn't run.
  const reason = failed.find(({ message }) => !/not executed|failed transaction/i.test(message)) ?? failed[0];
  if (reason !== undefined) throw reason;
}
