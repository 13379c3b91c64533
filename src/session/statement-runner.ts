/**
 * Runs the statements of a request one after the other: each in a transaction of its own, or, between BEGIN and COMMIT, all in one.
 * What fails with a conflict is run again until it succeeds, so that no answer ever says "conflict".
 */
import type { PromiseOrValue } from '../base/promise-or-value.js';
import type { Environment } from '../env/environment.js';
import { asTesseraError, failure, type TesseraError } from '../errors/error.js';
import { type Execution, type Identity, type Interrupt, Scope } from '../exec/execution.js';
import type { Executor } from '../exec/executor.js';
import type { Statement } from '../language/ast.js';
import { mayWrite } from '../plan/effects.js';
import type { Engine, Transaction } from '../storage/contract.js';
import { withRetries } from '../storage/retry.js';
import type { Value } from '../value/value.js';
import type { StatementResult } from './contract.js';

/** What the runner may do to the session that it runs for. */
export interface RunnerHost {
  /** As it is now; a USE changes it for the statements after it, in this request only. */
  identity: Identity;
  readonly interrupt: Interrupt;
  use(namespace: string | undefined, database: string | undefined): PromiseOrValue<Value>;
  /** Reports an error of our own making. */
  report(error: TesseraError): void;
}

export interface RunnerServices {
  readonly engine: Engine;
  readonly environment: Environment;
  readonly executor: Executor;
}

type Outcome = StatementResult['outcome'];

export class StatementRunner {
  readonly #services: RunnerServices;
  readonly #host: RunnerHost;
  readonly #scope: Scope;
  readonly #held: Transaction | undefined;
  readonly #results: StatementResult[] = [];
  #importing = false;

  /** With a transaction that the client holds, everything runs in that one. */
  constructor(services: RunnerServices, host: RunnerHost, scope: Scope, held?: Transaction) {
    this.#services = services;
    this.#host = host;
    this.#scope = scope;
    this.#held = held;
  }

  async run(statements: readonly Statement[]): Promise<StatementResult[]> {
    for (let at = 0; at < statements.length; at++) {
      const statement = statements[at] as Statement;
      if (statement.kind === 'begin' && this.#held === undefined) at = await this.#block(statements, at);
      else await this.#alone(statement);
    }
    return this.#results;
  }

  async #alone(statement: Statement): Promise<void> {
    await this.#record(statement, async () => {
      switch (statement.kind) {
        case 'use':
          return this.#host.use(statement.namespace, statement.database);
        case 'begin':
          throw failure('transaction_nested');
        case 'commit':
        case 'cancel':
          throw failure('transaction_not_open', { statement: statement.kind.toUpperCase() });
        default:
          return this.#held === undefined ? this.#inOwnTransaction(statement) : this.#inHeld(statement, this.#held);
      }
    });
  }

  #inOwnTransaction(statement: Statement): PromiseOrValue<Value> {
    const { engine } = this.#services;
    if (!mayWrite(statement)) return this.#reading(statement);
    return withRetries(engine, (transaction) => this.#evaluate(statement, transaction, this.#scope));
  }

  /** A statement that fails leaves no trace in the transaction, which goes on. */
  async #inHeld(statement: Statement, held: Transaction): Promise<Value> {
    const start = held.savepoint();
    try {
      return await this.#evaluate(statement, held, this.#scope);
    } catch (error) {
      held.rollback(start);
      throw error;
    }
  }

  async #reading(statement: Statement): Promise<Value> {
    const transaction = await this.#services.engine.begin({ writable: false });
    try {
      return await this.#evaluate(statement, transaction, this.#scope);
    } finally {
      transaction.cancel();
    }
  }

  /** Runs what follows a BEGIN; answers where the block ends. */
  async #block(statements: readonly Statement[], begin: number): Promise<number> {
    const end = statements.findIndex(({ kind }, at) => at > begin && (kind === 'commit' || kind === 'cancel'));
    const last = end === -1 ? statements.length : end;
    const body = statements.slice(begin + 1, last);
    const closing = statements[last];
    this.#push(statements[begin] as Statement, 0, { ok: true, value: undefined });
    if (closing?.kind !== 'commit') {
      // What won't be committed need not be run: nobody is told its results.
      const reason = closing === undefined ? failure('commit_missing') : failure('transaction_cancelled');
      for (const statement of body) this.#push(statement, 0, { ok: false, error: reason });
      if (closing !== undefined) this.#push(closing, 0, { ok: true, value: undefined });
      return last;
    }
    const results = await this.#attempt(body);
    this.#results.push(...results.entries);
    if (!results.failed) this.#push(closing, 0, { ok: true, value: undefined });
    return last;
  }

  async #attempt(body: readonly Statement[]): Promise<BlockResults> {
    const { identity } = this.#host;
    try {
      return await withRetries(this.#services.engine, async (transaction) => {
        this.#host.identity = identity;
        const results = await this.#runBody(body, transaction, new Scope(this.#scope));
        // Only an error cancels the transaction; a conflict at COMMIT makes withRetries begin the whole block anew.
        if (results.failed) throw new BlockFailure(results);
        return results;
      });
    } catch (error) {
      if (error instanceof BlockFailure) return error.results;
      const failed = asTesseraError(error);
      return {
        failed: true,
        entries: body.map((statement) => this.#entry(statement, 0, { ok: false, error: failed })),
      };
    }
  }

  async #runBody(body: readonly Statement[], transaction: Transaction, scope: Scope): Promise<BlockResults> {
    const entries: StatementResult[] = [];
    for (const [at, statement] of body.entries()) {
      const began = this.#services.environment.clock.monotonic();
      const elapsed = () => this.#services.environment.clock.monotonic() - began;
      try {
        if (statement.kind === 'begin') throw failure('transaction_open');
        const value =
          statement.kind === 'use'
            ? await this.#host.use(statement.namespace, statement.database)
            : await this.#evaluate(statement, transaction, scope);
        entries.push(this.#entry(statement, elapsed(), { ok: true, value }));
        // RETURN ends the block and commits what was done before it.
        if (statement.kind === 'return') break;
      } catch (thrown) {
        const error = this.#errorOf(thrown);
        if (error.code === 'transaction_conflict') throw error;
        return {
          failed: true,
          entries: body.map((each, index) => {
            if (index === at) return this.#entry(each, elapsed(), { ok: false, error });
            const reason = index < at ? failure('transaction_failed') : failure('transaction_cancelled');
            return this.#entry(each, 0, { ok: false, error: reason });
          }),
        };
      }
    }
    return { failed: false, entries };
  }

  #evaluate(statement: Statement, transaction: Transaction, scope: Scope): PromiseOrValue<Value> {
    if (statement.kind === 'option') return this.#option(statement.name, statement.value, transaction);
    return this.#services.executor.run(statement, this.#execution(transaction), scope);
  }

  #option(name: string, on: boolean, transaction: Transaction): undefined {
    if (this.#execution(transaction).checks.edit) {
      throw failure('not_allowed', { actor: 'user', action: 'Edit', resource: 'Option' });
    }
    if (name.toUpperCase() === 'IMPORT') this.#importing = on;
    return undefined;
  }

  #execution(transaction: Transaction): Execution {
    const { identity, interrupt } = this.#host;
    return this.#services.executor.execution({ transaction, identity, interrupt, importing: this.#importing });
  }

  async #record(statement: Statement, work: () => PromiseOrValue<Value>): Promise<void> {
    const { clock } = this.#services.environment;
    const began = clock.monotonic();
    try {
      const value = await work();
      this.#push(statement, clock.monotonic() - began, { ok: true, value });
    } catch (thrown) {
      this.#push(statement, clock.monotonic() - began, { ok: false, error: this.#errorOf(thrown) });
    }
  }

  #errorOf(thrown: unknown): TesseraError {
    const error = asTesseraError(thrown);
    if (error.code === 'internal') this.#host.report(error);
    return error;
  }

  #push(statement: Statement, milliseconds: number, outcome: Outcome): void {
    this.#results.push(this.#entry(statement, milliseconds, outcome));
  }

  #entry(statement: Statement, milliseconds: number, outcome: Outcome): StatementResult {
    const time = BigInt(Math.round(milliseconds * 1e6));
    return statement.kind === 'live' || statement.kind === 'kill'
      ? { time, outcome, type: statement.kind }
      : { time, outcome };
  }
}

interface BlockResults {
  readonly failed: boolean;
  readonly entries: readonly StatementResult[];
}

/** Carries the results of a failed block past the transaction, which is cancelled on the way. */
class BlockFailure extends Error {
  constructor(readonly results: BlockResults) {
    super('the block failed');
  }
}
