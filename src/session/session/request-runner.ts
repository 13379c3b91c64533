/**
 * Runs the statements of a request in order: each in its own transaction, or all between BEGIN and COMMIT in one, which
 * is retried after conflicts (`withRetries`). One that only reads and writes records is complete when its commit
 * is accepted; later statements see it before it is durable, and the caller awaits `DurabilityTracker.durable` before
 * replying. All other statements wait for durability first.
 */
import { type SessionIdentity, withDatabasePath } from '../../auth/identity.js';
import { andThen, isPromise, lastly, otherwise, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { DatabasePath } from '../../catalog/principal.js';
import { asTesseraError, failure, type TesseraError } from '../../errors/error.js';
import type { Statement, Use } from '../../language/ast.js';
import { type Effects, effectsOf } from '../../plan/effects.js';
import { assertSameUser } from '../../records/users.js';
import type { AuditRecorder } from '../../runtime/audit-recorder.js';
import type { Execution, Interrupt, LiveListener } from '../../runtime/execution.js';
import { interruptible } from '../../runtime/interruptible.js';
import type { RequestMemory } from '../../runtime/request-memory.js';
import { Scope } from '../../runtime/scope.js';
import { SentRequests } from '../../runtime/sent-requests.js';
import type { TransactionStep } from '../../statements/executor.js';
import type { Transaction } from '../../storage/contract.js';
import { untilInterrupted } from '../../storage/interrupted.js';
import { type WorkOptions, withRetries, withRetriesAccepted } from '../../storage/retry.js';
import type { Value } from '../../value/value.js';
import { AuditBuffer } from '../audit/audit-buffer.js';
import type { Auditor } from '../audit/auditor.js';
import type { OwnStatements } from '../plans/own-statements.js';
import type { StatementResult } from '../statement-executor.js';
import { BlockCancelled, type BlockResults, endOfBlock, failAll, failAt, withheldResults } from './block-results.js';
import type { DurabilityTracker } from './durability-tracker.js';
import type { HeldIdentities } from './held-identities.js';
import { RequestOptions } from './request-options.js';
import { chargeOutcome, type KeptOutcome, resultOf, succeeded } from './result-of.js';
import type { Literals, RunnerRequest, RunnerServices } from './runner-contract.js';
import { beginSnapshot } from './snapshot.js';
import { StatementInterrupt } from './statement-interrupt.js';
import { StatementObserver } from './statement-observer.js';
import { evaluateUseTarget, selectionValue } from './use-target.js';

export class RequestRunner {
  readonly #services: RunnerServices;
  readonly #interrupt: Interrupt;
  readonly #memory: RequestMemory;
  readonly #scope: Scope;
  readonly #held: Transaction | undefined;
  readonly #heldIdentities: HeldIdentities | undefined;
  readonly #durability: DurabilityTracker;
  readonly #listener: LiveListener | undefined;
  readonly #auditor: Auditor | undefined;
  readonly #wait: StatementInterrupt;
  readonly #observer: StatementObserver;
  #results: StatementResult[] = [];
  /** The current identity; USE changes it for later statements of this request only. */
  #identity: SessionIdentity;
  /** The options that OPTION has set. */
  #applied: RequestOptions;
  /** The audit events of the current attempt at a statement or block. */
  #buffer: AuditBuffer | undefined;
  #requestLiterals: Literals;
  #own: OwnStatements | undefined;
  /** Those of the current statement. */
  #literals: readonly Value[] | undefined;
  /** What attempts at the current statement or block have sent to other servers. */
  readonly #sent = new SentRequests();

  constructor(services: RunnerServices, request: RunnerRequest, held?: Transaction) {
    this.#services = services;
    this.#applied = RequestOptions.initial(services.strictPermissions);
    this.#interrupt = request.interrupt;
    this.#observer = new StatementObserver(services, request);
    this.#wait = new StatementInterrupt(request.interrupt, request.scope, this.#observer.waiting);
    this.#memory = request.memory;
    this.#scope = request.scope;
    this.#held = held;
    this.#heldIdentities = request.heldIdentities;
    this.#durability = request.durability;
    this.#listener = request.listener;
    this.#auditor = request.auditor;
    this.#identity = request.identity;
  }

  /**
   * Runs statements; answers synchronously if the storage does and no yield is due. A second call continues with the
   * variables, selection and options of the first. `literals`: the slot values of each statement; `own`: the statements
   * of a long text. @throws TesseraError `request_memory_exceeded` for their weight
   */
  run(statements: readonly Statement[], literals?: Literals, own?: OwnStatements): PromiseOrValue<StatementResult[]> {
    const results: StatementResult[] = [];
    if (own !== undefined) this.#memory.charge(own.weight);
    this.#own = own;
    this.#results = results;
    this.#requestLiterals = literals;
    const done = this.#each(statements, literals);
    return isPromise(done) ? done.then(() => results) : results;
  }

  /** Until something has to be waited for, statements run without closures and promises. */
  #each(statements: readonly Statement[], literals: Literals): PromiseOrValue<void> {
    for (let at = 0; at < statements.length; at++) {
      const statement = statements[at] as Statement;
      if (statement.kind === 'begin' && this.#held === undefined)
        return this.#rest(undefined, statements, at, literals);
      this.#literals = literals?.[at];
      const done = this.#alone(statement, at > 0);
      if (isPromise(done)) return this.#rest(done, statements, at + 1, literals);
      this.#own?.forget(at);
    }
  }

  async #rest(
    before: Promise<void> | undefined,
    statements: readonly Statement[],
    from: number,
    literals: Literals,
  ): Promise<void> {
    await before;
    for (let at = from; at < statements.length; at++) {
      const statement = statements[at] as Statement;
      if (statement.kind === 'begin' && this.#held === undefined) at = await this.#block(statements, at);
      else {
        this.#literals = literals?.[at];
        const done = this.#alone(statement, at > 0);
        if (isPromise(done)) await done;
      }
      this.#own?.forget(at);
    }
  }

  /**
   * Runs a statement and records its outcome; with `pause` it yields first, so that a text of many cheap statements
   * doesn't block others.
   */
  #alone(statement: Statement, pause: boolean): PromiseOrValue<void> {
    const began = this.#services.environment.clock.monotonic();
    const { used, made } = this.#memory;
    this.#observer.begin(statement);
    this.#wait.begin(statement, this.#literals, began);
    this.#sent.clear();
    this.#beginAttempt();
    let value: PromiseOrValue<Value>;
    try {
      const ready = pause ? this.#interrupt.checkpoint() : undefined;
      value = isPromise(ready) ? this.#dispatchAfter(ready, statement) : this.#dispatch(statement);
    } catch (thrown) {
      return this.#end(statement, began, used, made, { ok: false, error: this.#errorOf(thrown) });
    }
    if (isPromise(value)) return this.#endLater(statement, began, used, made, value);
    return this.#end(statement, began, used, made, succeeded(value));
  }

  #dispatchAfter(ready: Promise<void>, statement: Statement): Promise<Value> {
    return ready.then(() => this.#dispatch(statement));
  }

  #endLater(
    statement: Statement,
    began: number,
    used: number,
    made: number,
    value: Promise<Value>,
  ): PromiseOrValue<void> {
    return value.then(
      (found) => this.#end(statement, began, used, made, succeeded(found)),
      (thrown) => this.#end(statement, began, used, made, { ok: false, error: this.#errorOf(thrown) }),
    );
  }

  /**
   * Notes the outcome, when everything the statement has produced is settled: `used` and `made` are the amounts
   * before.
   */
  #end(statement: Statement, began: number, used: number, made: number, outcome: KeptOutcome): PromiseOrValue<void> {
    const settled = this.#settle(used, made, statement, this.#scope, outcome);
    return isPromise(settled)
      ? this.#noteAfter(settled, statement, began, outcome)
      : this.#note(statement, began, outcome);
  }

  #noteAfter(settled: Promise<void>, statement: Statement, began: number, outcome: KeptOutcome): Promise<void> {
    return settled.then(() => this.#note(statement, began, outcome));
  }

  #note(statement: Statement, began: number, outcome: KeptOutcome): void {
    this.#push(statement, this.#services.environment.clock.monotonic() - began, outcome);
    this.#report(statement.kind, outcome.ok ? undefined : outcome.error, this.#held);
    // Later statements depend on it.
    if (!outcome.ok && statement.kind === 'option') throw outcome.error;
  }

  /** Releases the memory of a statement, except for its result and the variable it sets. */
  #settle(used: number, made: number, statement: Statement, scope: Scope, outcome: KeptOutcome): PromiseOrValue<void> {
    const memory = this.#memory;
    if (!outcome.ok) return memory.releaseTo(used);
    if (memory.made > made) {
      return memory.settle(used, statement.kind === 'let' ? scope.get(statement.name) : outcome.value);
    }
  }

  #dispatch(statement: Statement): PromiseOrValue<Value> {
    switch (statement.kind) {
      case 'use':
        return this.#held === undefined ? this.#use(statement) : this.#useWithin(this.#held, statement, this.#scope);
      case 'begin':
        throw failure('transaction_nested');
      case 'commit':
      case 'cancel':
        throw failure('transaction_not_open', { statement: statement.kind.toUpperCase() });
      default:
        if (this.#held !== undefined) return this.#inHeld(statement, this.#held);
        return this.#inOwn(statement, effectsOf(statement));
    }
  }

  #inOwn(statement: Statement, { plain, writes }: Effects): PromiseOrValue<Value> {
    if (plain) return writes ? this.#accepting(statement) : this.#reading(statement);
    return andThen(this.#whenDurable(), () => (writes ? this.#writing(statement) : this.#reading(statement)));
  }

  /** USE inside a text lasts for the request; `Session.use` lasts. */
  #use(use: Use): PromiseOrValue<Value> {
    const named = evaluateUseTarget(use, (name) => this.#dispatch(name));
    return andThen(named, (to) => {
      const select = (auditRecorder?: AuditRecorder) =>
        this.#services.selector.select(this.#identity, to, auditRecorder);
      const selecting = () => (this.#auditor === undefined ? select() : this.#auditor.defining(select));
      const selected = untilInterrupted(this.#wait, andThen(this.#durability.durable, selecting));
      return andThen(selected, (databasePath) => this.#selected(databasePath));
    });
  }

  /** Within a transaction, missing namespaces and databases are defined by it. */
  #useWithin(transaction: Transaction, use: Use, scope: Scope): PromiseOrValue<Value> {
    const named = evaluateUseTarget(use, (name) => this.#evaluate(name, transaction, scope));
    return andThen(named, (to) => {
      const selected = this.#services.selector.selectWithin(transaction, this.#identity, to, this.#buffer);
      return andThen(selected, (found) => this.#selected(found));
    });
  }

  #selected(databasePath: DatabasePath): Value {
    this.#identity = withDatabasePath(this.#identity, databasePath);
    return selectionValue(databasePath);
  }

  #writing(statement: Statement): PromiseOrValue<Value> {
    return withRetries(this.#services.engine, this.#attempts(statement), this.#options());
  }

  #accepting(statement: Statement): PromiseOrValue<Value> {
    const work = this.#attempts(statement);
    const accepted = lastly(
      () => withRetriesAccepted(this.#services.engine, work, this.#durability.isPending, this.#options()),
      () => this.#durability.note(),
    );
    return this.#auditor === undefined ? accepted : andThen(accepted, (value) => this.#beforeTelling(value));
  }

  /** Waits until everything written and seen is durable, or the request is interrupted. */
  #whenDurable(): PromiseOrValue<void> {
    return untilInterrupted(this.#wait, this.#durability.durable);
  }

  /** Audit events are recorded only once durable. */
  #beforeTelling(value: Value): PromiseOrValue<Value> {
    if (this.#buffer === undefined || this.#buffer.acts.length === 0) return value;
    return andThen(this.#whenDurable(), () => value);
  }

  /** Options of the transaction of a statement or block. */
  #options(): WorkOptions {
    const { transactions, metrics } = this.#services;
    return { interrupt: this.#wait, memory: transactions.budget, onConflict: metrics?.conflict };
  }

  /** Makes an attempt at a statement; each attempt starts with the memory of the first. */
  #attempts(statement: Statement): (transaction: Transaction) => PromiseOrValue<Value> {
    const mark = this.#memory.used;
    return (transaction) => {
      this.#beginAttempt();
      this.#memory.releaseTo(mark);
      return this.#evaluateAnew(statement, transaction);
    };
  }

  #reading(statement: Statement): PromiseOrValue<Value> {
    const transaction = beginSnapshot(this.#services.engine, this.#durability, this.#wait);
    return isPromise(transaction)
      ? transaction.then((begun) => this.#readIn(begun, statement))
      : this.#readIn(transaction, statement);
  }

  #readIn(transaction: Transaction, statement: Statement): PromiseOrValue<Value> {
    let value: PromiseOrValue<Value>;
    try {
      value = this.#evaluateAnew(statement, transaction);
    } catch (error) {
      transaction.cancel();
      throw error;
    }
    if (isPromise(value)) return value.finally(() => transaction.cancel());
    transaction.cancel();
    return value;
  }

  /** A failing statement is rolled back; the transaction continues. */
  #inHeld(statement: Statement, held: Transaction): PromiseOrValue<Value> {
    const start = held.savepoint();
    const identity = this.#identity;
    return otherwise(
      () => {
        if (this.#heldIdentities?.has(identity) === true) return this.#evaluate(statement, held, this.#scope);
        return andThen(this.#evaluateAnew(statement, held), (value) => {
          this.#heldIdentities?.add(identity);
          return value;
        });
      },
      (error) => {
        held.rollback(start);
        throw error;
      },
    );
  }

  /** Runs the statements after BEGIN; returns the index after the end of the block. */
  async #block(statements: readonly Statement[], begin: number): Promise<number> {
    const last = endOfBlock(statements, begin + 1);
    const body = statements.slice(begin + 1, last);
    const closing = statements[last];
    this.#wait.begin(undefined);
    await this.#whenDurable();
    this.#push(statements[begin] as Statement, 0, { ok: true, value: undefined });
    this.#sent.clear();
    this.#beginAttempt();
    const { entries, failed, undone } = await this.#attempt(body, begin + 1, closing?.kind);
    this.#results.push(...entries);
    this.#observer.noteAll(body, entries, this.#identity);
    this.#report(undone?.by ?? 'begin', undone?.error, undefined);
    if (!failed && closing !== undefined) this.#push(closing, 0, { ok: true, value: undefined });
    return last;
  }

  /**
   * `first` is the index of the body's first statement. A block that will not commit is run all the same, since its
   * statements may fail and bind variables.
   */
  async #attempt(
    body: readonly Statement[],
    first: number,
    closing: Statement['kind'] | undefined,
  ): Promise<BlockResults> {
    const [identity, applied] = [this.#identity, this.#applied];
    let scope = new Scope();
    const mark = this.#memory.used;
    try {
      const work = async (transaction: Transaction) => {
        [this.#identity, this.#applied] = [identity, applied];
        this.#beginAttempt();
        this.#memory.releaseTo(mark);
        scope = new Scope(this.#scope);
        this.#literals = this.#requestLiterals?.[first];
        const execution = this.#execution(transaction);
        if (body[0] !== undefined) this.#services.executor.prefetch(body[0], execution, scope);
        await assertSameUser(execution);
        const results = await this.#runBody(body, first, transaction, scope);
        // Only an error cancels the transaction; a conflict at COMMIT makes `withRetries` retry the whole block.
        if (results.failed) throw new BlockCancelled(results);
        if (closing !== 'commit') throw new BlockCancelled(withheldResults(results, closing));
        return results;
      };
      return await withRetries(this.#services.engine, work, this.#options());
    } catch (error) {
      if (error instanceof BlockCancelled) return error.results;
      return failAll(body, asTesseraError(error));
    } finally {
      this.#scope.adopt(scope);
    }
  }

  async #runBody(
    body: readonly Statement[],
    first: number,
    transaction: Transaction,
    scope: Scope,
  ): Promise<BlockResults> {
    const entries: StatementResult[] = [];
    for (const [at, statement] of body.entries()) {
      const began = this.#services.environment.clock.monotonic();
      const elapsed = () => this.#services.environment.clock.monotonic() - began;
      const { used, made } = this.#memory;
      this.#observer.begin(statement);
      try {
        if (statement.kind === 'begin') throw failure('transaction_open');
        if (at > 0) await this.#interrupt.checkpoint();
        this.#literals = this.#requestLiterals?.[first + at];
        const { value, isLast } = await this.#step(statement, transaction, scope);
        const settled = this.#settle(used, made, statement, scope, succeeded(value));
        if (isPromise(settled)) await settled;
        this.#observer.finish(undefined);
        entries.push(resultOf(statement, elapsed(), { ok: true, value }));
        if (isLast) break;
      } catch (thrown) {
        const error = this.#errorOf(thrown);
        this.#observer.finish(error.code);
        if (error.code === 'transaction_conflict') throw error;
        return failAt(body, at, elapsed(), error);
      }
    }
    return { failed: false, entries };
  }

  #step(statement: Statement, transaction: Transaction, scope: Scope): PromiseOrValue<TransactionStep> {
    switch (statement.kind) {
      case 'use':
        return andThen(this.#useWithin(transaction, statement, scope), (value) => ({ value, isLast: false }));
      case 'option':
        this.#applied = this.#applied.with(statement, this.#identity);
        return { value: undefined, isLast: false };
    }
    const execution = this.#prefetching(statement, transaction, scope);
    return this.#services.executor.runInTransaction(statement, execution, scope);
  }

  #evaluate(statement: Statement, transaction: Transaction, scope: Scope): PromiseOrValue<Value> {
    if (statement.kind === 'option') {
      this.#applied = this.#applied.with(statement, this.#identity);
      return undefined;
    }
    return this.#services.executor.run(statement, this.#prefetching(statement, transaction, scope), scope);
  }

  /** The first statement in a transaction checks that the user still exists. */
  #evaluateAnew(statement: Statement, transaction: Transaction): PromiseOrValue<Value> {
    if (this.#identity.principal.kind !== 'record' || statement.kind === 'option') {
      return this.#evaluate(statement, transaction, this.#scope);
    }
    const execution = this.#prefetching(statement, transaction, this.#scope);
    const admitted = execution.context.answersLater
      ? interruptible(execution, () => assertSameUser(execution))
      : assertSameUser(execution);
    if (isPromise(admitted)) return this.#runAfter(admitted, statement, execution);
    return this.#services.executor.run(statement, execution, this.#scope);
  }

  #runAfter(admitted: Promise<void>, statement: Statement, execution: Execution): Promise<Value> {
    return admitted.then(() => this.#services.executor.run(statement, execution, this.#scope));
  }

  /** The execution of a statement; begins to prefetch its first reads. */
  #prefetching(statement: Statement, transaction: Transaction, scope: Scope): Execution {
    const execution = this.#execution(transaction);
    this.#services.executor.prefetch(statement, execution, scope);
    return execution;
  }

  #execution(transaction: Transaction): Execution {
    return this.#services.executor.execution({
      transaction,
      literals: this.#literals,
      identity: this.#identity,
      interrupt: this.#interrupt,
      memory: this.#memory,
      importing: this.#applied.importing,
      strict: this.#applied.strict,
      listener: this.#listener,
      auditRecorder: this.#buffer,
      sent: this.#sent,
    });
  }

  #errorOf(thrown: unknown): TesseraError {
    const error = asTesseraError(thrown);
    if (error.code === 'internal') this.#services.report(error, this.#observer.trace);
    return error;
  }

  /** Begins an attempt; discards the audit events of the previous one. */
  #beginAttempt(): void {
    this.#sent.begin();
    if (this.#auditor !== undefined) this.#buffer = new AuditBuffer();
  }

  #report(kind: Statement['kind'], error: TesseraError | undefined, held: Transaction | undefined): void {
    if (this.#buffer === undefined) return;
    this.#auditor?.statement({ kind, error, identity: this.#identity }, this.#buffer, held);
  }

  #push(statement: Statement, milliseconds: number, outcome: KeptOutcome): void {
    chargeOutcome(this.#memory, outcome, this.#results.length);
    const result = resultOf(statement, milliseconds, outcome);
    this.#results.push(result);
    this.#observer.ended(statement, result, this.#identity);
  }
}
