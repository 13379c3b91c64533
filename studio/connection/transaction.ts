/** Several statements that all run, or none. */
import type { StatementSource } from './statement-source.js';

/** What permissions deny fails the transaction, rather than being left out. */
export const STRICT = 'OPTION STRICT_PERMISSIONS;\n';

/**
 * Runs them in one transaction, with options before it.
 * @returns the value of the last of them; a RETURN before it would be the last
 * @throws Error with what the server refuses
 */
export async function runTransaction(
  source: Pick<StatementSource, 'run'>,
  statements: readonly string[],
  options = '',
): Promise<unknown> {
  const text = statements.map((statement) => `${statement};\n`).join('');
  const results = await source.run(`${options}BEGIN;\n${text}COMMIT;`);
  const failed = results.flatMap((result) => (result.ok ? [] : [result.error]));
  // Of a transaction that fails, the other statements say only that they didn't run.
  const reason = failed.find(({ message }) => !/not executed|failed transaction/i.test(message)) ?? failed[0];
  if (reason !== undefined) throw reason;
  const last = results.at(-2);
  return last?.ok === true ? last.value : undefined;
}
