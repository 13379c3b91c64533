/**
 * The life of a statement, which is the same wherever it runs: it is observed, it runs, what it has made is settled,
 * and its result is noted. One that runs alone has a transaction of its own, which is retried after conflicts
 * (`withRetries`), or runs in the one that a client holds.
 */
import { andThen, isPromise, lastly, otherwise, type PromiseOrValue } from '../../../base/promise-or-value.js';
import { asTesseraError, failure, type TesseraError } from '../../../errors/error.js';
import type { Option, Statement } from '../../../language/ast.js';
import { effectsOf } from '../../../plan/effects.js';
import { assertSameUser } from '../../../records/users.js';
import { authorize } from '../../../runtime/authorization/authorize.js';
import type { Execution } from '../../../runtime/execution.js';
import { interruptible } from '../../../runtime/interruptible.js';
import type { Transaction } from '../../../storage/contract.js';
import { untilInterrupted } from '../../../storage/interrupted.js';
import { type WorkOptions, withRetries, withRetriesAccepted } from '../../../storage/retry.js';
import type { Value } from '../../../value/value.js';
import { weightOfResult } from '../../../value/weight.js';
import type { AuditBuffer } from '../../audit/audit-buffer.js';
import { isSlow, writeSlow } from '../../slow-log.js';
import type { StatementResult } from '../../statement-executor.js';
import { withoutLiterals } from '../../statement-text.js';
import { beginSnapshot } from '../durability.js';
import { beginAttempt, beginAttempts, type RequestRun } from './request-run.js';
import { selectAlone, selectWithin } from './use.js';

type Outcome = StatementResult['outcome'];
/** Runs the work of a statement. */
type StatementWork = (run: RequestRun, statement: Statement) => PromiseOrValue<Value>;

/**
 * Runs a statement from its beginning to its result, which holds its error, too.
 * @throws TesseraError `request_memory_exceeded` if there is no memory for its result
 */
export function runStatement(
  run: RequestRun,
  statement: Statement,
  work: StatementWork,
): PromiseOrValue<StatementResult> {
  const { memory, context } = run;
  run.statement = statement;
  run.began = run.services.environment.clock.monotonic();
  run.used = memory.used;
  run.made = memory.made;
  if (context.trace?.span !== undefined) beginSpan(run, statement);
  let value: PromiseOrValue<Value>;
  try {
    value = work(run, statement);
  } catch (thrown) {
    return settle(run, statement, failed(run, thrown));
  }
  if (isPromise(value)) return settleLater(run, statement, value);
  return settle(run, statement, { ok: true, value });
}

function settleLater(run: RequestRun, statement: Statement, value: Promise<Value>): Promise<StatementResult> {
  return value.then(
    (found) => settle(run, statement, { ok: true, value: found }),
    (thrown) => settle(run, statement, failed(run, thrown)),
  );
}

/** Releases the memory of a statement, except for its result and the variable it sets. */
function settle(run: RequestRun, statement: Statement, outcome: Outcome): PromiseOrValue<StatementResult> {
  const { memory } = run;
  if (!outcome.ok) memory.releaseTo(run.used);
  else if (memory.made > run.made) {
    const kept = statement.kind === 'let' ? run.scope.get(statement.name) : outcome.value;
    const settled = memory.settle(run.used, kept);
    if (isPromise(settled)) return settled.then(() => resultOf(run, statement, outcome));
  }
  return resultOf(run, statement, outcome);
}

function resultOf(run: RequestRun, statement: Statement, outcome: Outcome): StatementResult {
  const milliseconds = run.services.environment.clock.monotonic() - run.began;
  if (run.span !== undefined) endSpan(run, outcome);
  return timedResult(statement, milliseconds, outcome);
}

/** The result of a statement, as answers have it. `milliseconds` is the time it took. */
export function timedResult({ kind }: Statement, milliseconds: number, outcome: Outcome): StatementResult {
  const time = BigInt(Math.round(milliseconds * 1e6));
  return kind === 'live' || kind === 'kill' ? { time, outcome, type: kind } : { time, outcome };
}

function failed(run: RequestRun, thrown: unknown): Outcome {
  return { ok: false, error: errorOf(run, thrown) };
}

export function errorOf({ services, context }: RequestRun, thrown: unknown): TesseraError {
  const error = asTesseraError(thrown);
  if (error.code === 'internal') services.report(error, context.trace);
  return error;
}

function beginSpan(run: RequestRun, statement: Statement): void {
  const { kind } = statement;
  run.span = run.context.trace?.span?.begin(kind, () => ({
    'db.system.name': 'tessera',
    'db.operation.name': kind,
    'db.query.text': withoutLiterals(statement),
  }));
}

/** The span of the statement has ended. */
export function endSpan(run: RequestRun, outcome: Outcome): void {
  run.span?.end(outcome.ok ? undefined : outcome.error.code);
  run.span = undefined;
}

/** Counts a statement by its result, and logs it if it was slow or cut off. */
export function noteResult(run: RequestRun, statement: Statement, { time, outcome }: StatementResult): void {
  const { metrics, slowLog } = run.services;
  const milliseconds = Number(time) / 1e6;
  const error = outcome.ok ? undefined : outcome.error.code;
  metrics?.statement(statement.kind, milliseconds, error);
  if (slowLog === undefined || !isSlow(slowLog, milliseconds, error)) return;
  const { principal, databasePath } = run.identity;
  const { variables, trace } = run.context;
  writeSlow(slowLog, { statement, milliseconds, error, principal, databasePath, variables, trace });
}

/** Hands the audit events of a statement or block over; `kind` is that of the statement which raised the error. */
export function reportAudit(
  { context, identity, held }: RequestRun,
  buffer: AuditBuffer,
  kind: Statement['kind'],
  error: TesseraError | undefined,
): void {
  context.auditor?.statement({ kind, error, identity }, buffer, held);
}

/** Runs a statement alone, and keeps its result. With `pause` it yields first. */
export function runAlone(run: RequestRun, statement: Statement, pause: boolean): PromiseOrValue<void> {
  beginAttempts(run);
  const result = runStatement(run, statement, pause ? dispatchAfterPause : dispatch);
  return isPromise(result) ? result.then((made) => keep(run, statement, made)) : keep(run, statement, result);
}

function keep(run: RequestRun, statement: Statement, result: StatementResult): void {
  keepResult(run, statement, result);
  const { outcome } = result;
  const error = outcome.ok ? undefined : outcome.error;
  if (run.buffer !== undefined) reportAudit(run, run.buffer, statement.kind, error);
  // Later statements depend on it.
  if (error !== undefined && statement.kind === 'option') throw error;
}

/** Bytes of a completed statement besides its value: tree, closure, outcome. Those of short texts are free. */
const RESULT = 512;
const FEW_RESULTS = 64;

/** Keeps a result for the answer: what isn't charged yet is. */
export function keepResult(run: RequestRun, statement: Statement, result: StatementResult): void {
  const { results, memory } = run;
  const { outcome } = result;
  const isMany = results.length >= FEW_RESULTS;
  if (isMany) memory.charge(RESULT);
  if (!outcome.ok) {
    memory.charge(weightOfResult(outcome.error.message));
    if (isMany) dropStack(outcome.error);
  }
  results.push(result);
  noteResult(run, statement, result);
}

/**
 * V8 keeps the functions of an error's stack with it, and so all that its statement was compiled to, until the stack is
 * read or set.
 */
function dropStack(error: Error): void {
  error.stack = '';
  if (error.cause instanceof Error) dropStack(error.cause);
}

/** So that a text of many cheap statements doesn't block others. */
function dispatchAfterPause(run: RequestRun, statement: Statement): PromiseOrValue<Value> {
  const ready = run.context.interrupt.checkpoint();
  return isPromise(ready) ? ready.then(() => dispatch(run, statement)) : dispatch(run, statement);
}

function dispatch(run: RequestRun, statement: Statement): PromiseOrValue<Value> {
  const { held } = run;
  switch (statement.kind) {
    case 'use':
      if (held === undefined) return selectAlone(run, statement, (name) => dispatch(run, name));
      return selectWithin(run, held, statement, (name) => evaluate(run, name, held));
    case 'begin':
      throw failure('transaction_nested');
    case 'commit':
    case 'cancel':
      throw failure('transaction_not_open', { statement: statement.kind.toUpperCase() });
  }
  if (held !== undefined) return runHeld(run, statement, held);
  const { plain, writes } = effectsOf(statement);
  if (plain) return writes ? writeAccepted(run, statement) : read(run, statement);
  const { durable } = run.context.durability;
  if (durable === undefined) return writes ? write(run, statement) : read(run, statement);
  return andThen(untilDurable(run), () => (writes ? write(run, statement) : read(run, statement)));
}

/** Waits until everything written and seen is durable, or the request is interrupted. */
export function untilDurable(run: RequestRun): PromiseOrValue<void> {
  return untilInterrupted(run, run.context.durability.durable);
}

function write(run: RequestRun, statement: Statement): PromiseOrValue<Value> {
  return withRetries(run.services.engine, attempts(run, statement), workOptions(run));
}

function writeAccepted(run: RequestRun, statement: Statement): PromiseOrValue<Value> {
  const { durability, auditor } = run.context;
  const work = attempts(run, statement);
  const isPending = durability.durable !== undefined;
  const accepted = lastly(
    () => withRetriesAccepted(run.services.engine, work, isPending, workOptions(run)),
    () => durability.note(),
  );
  if (auditor === undefined) return accepted;
  // Audit events are recorded only once durable.
  return andThen(accepted, (value) => {
    if (run.buffer === undefined || run.buffer.acts.length === 0) return value;
    return andThen(untilDurable(run), () => value);
  });
}

/** Options of the transaction of a statement or block. */
export function workOptions(run: RequestRun): WorkOptions {
  const { transactions, metrics } = run.services;
  return { interrupt: run, memory: transactions.budget, onConflict: metrics?.conflict };
}

/** Makes an attempt at a statement. */
function attempts(run: RequestRun, statement: Statement): (transaction: Transaction) => PromiseOrValue<Value> {
  const mark = run.memory.used;
  return (transaction) => {
    beginAttempt(run, mark);
    return evaluate(run, statement, transaction, true);
  };
}

function read(run: RequestRun, statement: Statement): PromiseOrValue<Value> {
  const transaction = beginSnapshot(run.services.engine, run.context.durability, run);
  if (isPromise(transaction)) return transaction.then((begun) => readIn(run, statement, begun));
  return readIn(run, statement, transaction);
}

function readIn(run: RequestRun, statement: Statement, transaction: Transaction): PromiseOrValue<Value> {
  let value: PromiseOrValue<Value>;
  try {
    value = evaluate(run, statement, transaction, true);
  } catch (error) {
    transaction.cancel();
    throw error;
  }
  if (isPromise(value)) return value.finally(() => transaction.cancel());
  transaction.cancel();
  return value;
}

/** A failing statement is rolled back; the transaction continues. */
function runHeld(run: RequestRun, statement: Statement, held: Transaction): PromiseOrValue<Value> {
  const start = held.savepoint();
  const { identity } = run;
  const { heldIdentities } = run.context;
  return otherwise(
    () => {
      if (heldIdentities?.has(identity) === true) return evaluate(run, statement, held);
      return andThen(evaluate(run, statement, held, true), (value) => {
        heldIdentities?.add(identity);
        return value;
      });
    },
    (error) => {
      held.rollback(start);
      throw error;
    },
  );
}

/** Evaluates a statement. The first one in a transaction checks that the user still exists. */
function evaluate(
  run: RequestRun,
  statement: Statement,
  transaction: Transaction,
  isFirst = false,
): PromiseOrValue<Value> {
  if (statement.kind === 'option') return applyOption(run, statement);
  const { executor } = run.services;
  const execution = executionOf(run, statement, transaction);
  if (isFirst && run.identity.principal.kind === 'record') {
    const admitted = execution.context.answersLater
      ? interruptible(execution, () => assertSameUser(execution))
      : assertSameUser(execution);
    if (isPromise(admitted)) return admitted.then(() => executor.run(statement, execution, run.scope));
  }
  return executor.run(statement, execution, run.scope);
}

/** The execution of a statement, whose first reads it begins to prefetch. */
export function executionOf(run: RequestRun, statement: Statement | undefined, transaction: Transaction): Execution {
  const { services, context, memory, scope } = run;
  const execution = services.executor.execution({
    transaction,
    literals: run.literals,
    identity: run.identity,
    interrupt: context.interrupt,
    memory,
    importing: run.importing,
    strict: run.strict,
    listener: context.listener,
    auditRecorder: run.buffer,
    sent: run.sent,
  });
  if (statement !== undefined && execution.context.answersLater) {
    services.executor.prefetch(statement, execution, scope);
  }
  return execution;
}

/**
 * OPTION holds for the later statements of the request.
 * @throws TesseraError `not_allowed`
 */
export function applyOption(run: RequestRun, { name, value: on }: Option): undefined {
  const option = name.toUpperCase();
  // It only restricts, so that every principal may set it.
  if (option === 'STRICT_PERMISSIONS') {
    run.strict = on;
    return;
  }
  authorize(run.identity, 'edit', run.identity.databasePath, 'Option');
  if (option === 'IMPORT') run.importing = on;
}
