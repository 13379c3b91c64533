/** The results of a block between BEGIN and COMMIT. */
import { failure, type TesseraError } from '../../errors/error.js';
import type { Statement } from '../../language/ast.js';
import type { StatementResult } from '../statement-executor.js';
import { resultOf } from './result-of.js';

export interface BlockResults {
  /** A statement has failed, so that later ones were not run. */
  readonly failed: boolean;
  /** Why nothing of the block is committed, and the kind of the statement responsible. */
  readonly undone?: { readonly by: Statement['kind']; readonly error: TesseraError };
  readonly entries: readonly StatementResult[];
}

const ENDS_BLOCK: ReadonlySet<Statement['kind']> = new Set(['commit', 'cancel']);

/** The index of the statement that ends a block, whose first statement is at `from`; behind the last if none does. */
export function endOfBlock(statements: readonly Statement[], from: number): number {
  let end = from;
  while (end < statements.length && !ENDS_BLOCK.has((statements[end] as Statement).kind)) end++;
  return end;
}

/** Carries the results of a block out of its transaction, which is thereby cancelled. */
export class BlockCancelled extends Error {
  constructor(readonly results: BlockResults) {
    super('the block is cancelled');
  }
}

/** The results of a block that wasn't committed: those of its statements are withheld. */
export function withheldResults({ entries }: BlockResults, closing: Statement['kind'] | undefined): BlockResults {
  const error = closing === undefined ? failure('commit_missing') : failure('transaction_cancelled');
  return {
    failed: false,
    undone: { by: closing ?? 'begin', error },
    entries: entries.map(({ time }) => ({ time, outcome: { ok: false, error } })),
  };
}

/** The results of a block that failed as a whole. */
export function failAll(body: readonly Statement[], error: TesseraError): BlockResults {
  return {
    failed: true,
    undone: { by: body[0]?.kind ?? 'begin', error },
    entries: body.map((statement) => resultOf(statement, 0, { ok: false, error })),
  };
}

/** The results of a block of which one statement failed, after so many milliseconds. */
export function failAt(
  body: readonly Statement[],
  at: number,
  milliseconds: number,
  error: TesseraError,
): BlockResults {
  return {
    failed: true,
    undone: { by: (body[at] as Statement).kind, error },
    entries: body.map((each, index) => {
      if (index === at) return resultOf(each, milliseconds, { ok: false, error });
      const reason = index < at ? failure('transaction_failed') : failure('transaction_cancelled');
      return { time: 0n, outcome: { ok: false, error: reason } };
    }),
  };
}
