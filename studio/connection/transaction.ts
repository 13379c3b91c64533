/** Several statements that all run, or none. */
import { asError } from './as-error.js';
import type { StatementResult, StatementSource } from './statement-source.js';

/** What permissions deny fails the transaction, rather than being left out. */
export const STRICT = 'OPTION STRICT_PERMISSIONS;\n';

/** Why a transaction failed. */
export class TransactionError extends Error {
  /** The place of the statement at fault; `undefined` where it is none of them, as with a conflict. */
  readonly statement: number | undefined;

  constructor(cause: Error, statement: number | undefined) {
    super(cause.message, { cause });
    this.statement = statement;
  }
}

/**
 * Runs them in one transaction, with options before it.
 * @returns the value of the last of them; a RETURN before it would be the last
 * @throws TransactionError with what the server refuses
 */
export async function runTransaction(
  source: Pick<StatementSource, 'run'>,
  statements: readonly string[],
  options = '',
): Promise<unknown> {
  const head = `${options}BEGIN;\n`;
  const texts = statements.map((statement) => `${statement};\n`);
  let results: readonly StatementResult[];
  try {
    results = await source.run(`${head}${texts.join('')}COMMIT;`);
  } catch (thrown) {
    const error = asError(thrown);
    throw new TransactionError(error, statementWithError(error, head, texts));
  }
  // The results of the options and of BEGIN.
  const first = head.split(';').length - 1;
  const failed = results.flatMap((result, at) => (result.ok ? [] : [{ error: result.error, at: at - first }]));
  // Of a transaction that fails, the other statements say only that they didn't run.
  const reason = failed.find(({ error }) => !/not executed|failed transaction/i.test(error.message)) ?? failed[0];
  if (reason !== undefined) {
    throw new TransactionError(reason.error, statements[reason.at] === undefined ? undefined : reason.at);
  }
  const last = results.at(-2);
  return last?.ok === true ? last.value : undefined;
}

/** Errors of the parser point to a line of the whole text. */
function statementWithError({ message }: Error, head: string, texts: readonly string[]): number | undefined {
  const place = / --> \[(\d+):\d+\]/.exec(message)?.[1];
  if (place === undefined) return undefined;
  let line = linesOf(head);
  const at = texts.findIndex((text) => {
    line += linesOf(text);
    return line >= Number(place);
  });
  return at === -1 ? undefined : at;
}

function linesOf(text: string): number {
  return text.split('\n').length - 1;
}
