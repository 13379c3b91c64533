/** The statements between BEGIN and COMMIT: one transaction, which is retried after conflicts (`withRetries`). */
import { isPromise, type PromiseOrValue } from '../../../base/promise-or-value.js';
import { asTesseraError, failure, type TesseraError } from '../../../errors/error.js';
import type { Statement } from '../../../language/ast.js';
import { assertSameUser } from '../../../records/users.js';
import { Scope } from '../../../runtime/scope.js';
import type { TransactionStep } from '../../../statements/executor.js';
import type { Transaction } from '../../../storage/contract.js';
import { withRetries } from '../../../storage/retry.js';
import type { ParsedRequest } from '../../cache/statement-cache.js';
import type { StatementResult } from '../../statement-executor.js';
import { beginAttempt, beginAttempts, type RequestRun } from './request-run.js';
import {
  applyOption,
  endSpan,
  errorOf,
  executionOf,
  keepResult,
  noteResult,
  reportAudit,
  runStatement,
  timedResult,
  untilDurable,
  workOptions,
} from './statement.js';
import { selectWithin } from './use.js';

interface BlockResults {
  /** A statement has failed, so that later ones were not run. */
  readonly failed: boolean;
  /** Why nothing of the block is committed, and the kind of the statement responsible. */
  readonly undone?: { readonly by: Statement['kind']; readonly error: TesseraError };
  readonly entries: readonly StatementResult[];
}

/** The statements of a block. */
interface Body {
  readonly statements: readonly Statement[];
  /** The values of their slots. */
  readonly literals: ParsedRequest['literals'];
  readonly closing: Statement | undefined;
}

/** The result of BEGIN and COMMIT. */
const NOTHING = { ok: true, value: undefined } as const;

const ENDS_BLOCK: ReadonlySet<Statement['kind']> = new Set(['commit', 'cancel']);

/** Runs the statements after BEGIN; returns the index after the end of the block. */
export async function runBlock(
  run: RequestRun,
  { statements, literals }: ParsedRequest,
  begin: number,
): Promise<number> {
  const first = begin + 1;
  let last = first;
  while (last < statements.length && !ENDS_BLOCK.has((statements[last] as Statement).kind)) last++;
  const closing = statements[last];
  const body = { statements: statements.slice(first, last), literals: literals?.slice(first, last), closing };
  run.inBlock = true;
  await untilDurable(run);
  const opening = statements[begin] as Statement;
  keepResult(run, opening, timedResult(opening, 0, NOTHING));
  beginAttempts(run);
  const { entries, failed, undone } = await commitBlock(run, body);
  run.inBlock = false;
  run.results.push(...entries);
  for (const [at, entry] of entries.entries()) noteResult(run, body.statements[at] as Statement, entry);
  if (run.buffer !== undefined) reportAudit(run, run.buffer, undone?.by ?? 'begin', undone?.error);
  if (!failed && closing !== undefined) keepResult(run, closing, timedResult(closing, 0, NOTHING));
  return last;
}

/** Carries the results of a block out of its transaction, which is thereby cancelled. */
class BlockCancelled extends Error {
  constructor(readonly results: BlockResults) {
    super('the block is cancelled');
  }
}

/** A block that will not commit is run all the same, since its statements may fail and bind variables. */
async function commitBlock(run: RequestRun, body: Body): Promise<BlockResults> {
  const { identity, strict, importing, scope } = run;
  const mark = run.memory.used;
  const work = async (transaction: Transaction) => {
    run.identity = identity;
    run.strict = strict;
    run.importing = importing;
    run.scope = new Scope(scope);
    beginAttempt(run, mark);
    run.literals = body.literals?.[0];
    await assertSameUser(executionOf(run, body.statements[0], transaction));
    const results = await runBody(run, body, transaction);
    // Only an error cancels the transaction; a conflict at COMMIT makes `withRetries` retry the whole block.
    if (results.failed) throw new BlockCancelled(results);
    if (body.closing?.kind !== 'commit') throw new BlockCancelled(withheld(results, body.closing));
    return results;
  };
  try {
    return await withRetries(run.services.engine, work, workOptions(run));
  } catch (error) {
    if (error instanceof BlockCancelled) return error.results;
    return allFailed(body, asTesseraError(error));
  } finally {
    const inner = run.scope;
    run.scope = scope;
    if (inner !== scope) scope.adopt(inner);
  }
}

async function runBody(run: RequestRun, body: Body, transaction: Transaction): Promise<BlockResults> {
  const entries: StatementResult[] = [];
  for (const [at, statement] of body.statements.entries()) {
    run.literals = body.literals?.[at];
    let isLast = false;
    const work = async () => {
      if (statement.kind === 'begin') throw failure('transaction_open');
      if (at > 0) await run.context.interrupt.checkpoint();
      const step = await takeStep(run, statement, transaction);
      isLast = step.isLast;
      return step.value;
    };
    const result = await resultOrFailure(run, statement, work);
    const { outcome } = result;
    if (outcome.ok) entries.push(result);
    else if (outcome.error.code === 'transaction_conflict') throw outcome.error;
    else return failedAt(body, at, result, outcome.error);
    if (isLast) break;
  }
  return { failed: false, entries };
}

/** In a block, the lack of memory for a result is the error of its statement. */
async function resultOrFailure(
  run: RequestRun,
  statement: Statement,
  work: () => Promise<TransactionStep['value']>,
): Promise<StatementResult> {
  try {
    return await runStatement(run, statement, work);
  } catch (thrown) {
    const outcome = { ok: false, error: errorOf(run, thrown) } as const;
    endSpan(run, outcome);
    return timedResult(statement, run.services.environment.clock.monotonic() - run.began, outcome);
  }
}

function takeStep(run: RequestRun, statement: Statement, transaction: Transaction): PromiseOrValue<TransactionStep> {
  const { executor } = run.services;
  switch (statement.kind) {
    case 'use': {
      const selected = selectWithin(run, transaction, statement, (name) =>
        executor.run(name, executionOf(run, name, transaction), run.scope),
      );
      return isPromise(selected) ? selected.then(goingOn) : goingOn(selected);
    }
    case 'option':
      return goingOn(applyOption(run, statement));
  }
  return executor.runInTransaction(statement, executionOf(run, statement, transaction), run.scope);
}

/** The result of a statement that doesn't end the block. */
function goingOn(value: TransactionStep['value']): TransactionStep {
  return { value, isLast: false };
}

/** The results of a block that wasn't committed: those of its statements are withheld. */
function withheld({ entries }: BlockResults, closing: Statement | undefined): BlockResults {
  const error = closing === undefined ? failure('commit_missing') : failure('transaction_cancelled');
  return {
    failed: false,
    undone: { by: closing?.kind ?? 'begin', error },
    entries: entries.map(({ time }) => ({ time, outcome: { ok: false, error } })),
  };
}

/** The results of a block that failed as a whole. */
function allFailed({ statements }: Body, error: TesseraError): BlockResults {
  return {
    failed: true,
    undone: { by: statements[0]?.kind ?? 'begin', error },
    entries: statements.map((statement) => timedResult(statement, 0, { ok: false, error })),
  };
}

/** The results of a block of which one statement failed. */
function failedAt({ statements }: Body, at: number, result: StatementResult, error: TesseraError): BlockResults {
  return {
    failed: true,
    undone: { by: (statements[at] as Statement).kind, error },
    entries: statements.map((_, index) => {
      if (index === at) return result;
      const reason = index < at ? failure('transaction_failed') : failure('transaction_cancelled');
      return { time: 0n, outcome: { ok: false, error: reason } };
    }),
  };
}
