/** Runs a compiled operation: its statements, the fetches of links, and the JSON of the answer. */
import { andThen, otherwise, type PromiseOrValue } from '../../base/promise-or-value.js';
import { asTesseraError, failure, type TesseraError } from '../../errors/error.js';
import type { Statement } from '../../language/ast.js';
import type { CatalogSnapshot, Session, StatementExecutor, StatementResult } from '../../session/contract.js';
import { isArray, isObject, newObject, type ObjectValue, type Value } from '../../value/value.js';
import { BudgetExceeded } from './budget.js';
import type { ExecutionContext, FetchRequest } from './execution-context.js';
import { writeStepwise } from './json-writer.js';
import type { CompiledOperation, CompiledRoot } from './operation.js';
import type { RootPlan, RootWork, StatementWork } from './root-plan.js';

/** The outcome of a root field. */
export interface RootResult {
  /** Its name in the answer. */
  readonly key: string;
  readonly json: string;
  /** The time of its own statements in nanoseconds. */
  readonly time: bigint;
}

/** A query: all that its root fields read is read together. @throws BudgetExceeded */
export async function runQuery(
  { roots }: CompiledOperation,
  call: ExecutionContext,
  executor: Pick<StatementExecutor, 'execute'>,
): Promise<RootResult[]> {
  const runs = roots.map((root) => new RootRun(root, call));
  const batches = runs.map((run) => run.parcel()).filter((parcel) => parcel !== undefined);
  await send(batches, call, executor);
  for (const run of runs) run.gather();
  await runPendingFetches(call, executor);
  const results: RootResult[] = [];
  for (const run of runs) results.push(await run.result());
  return results;
}

/** A mutation: one root field after the other, each with its fetches, and each by itself. */
export async function runMutation(
  { roots }: CompiledOperation,
  call: ExecutionContext,
  session: Session,
): Promise<RootResult[]> {
  const results: RootResult[] = [];
  for (const root of roots) results.push(await runRoot(root, call, session, session));
  return results;
}

/**
 * A root field of a mutation. `executor` is where statements go. What the fields before it have done is done, so that
 * an exceeded budget is an error of this field alone.
 */
export async function runRoot(
  root: CompiledRoot,
  call: ExecutionContext,
  session: Session | undefined,
  executor: StatementExecutor,
): Promise<RootResult> {
  const before = call.failures.length;
  try {
    call.checkBudgets();
    const run = new RootRun(root, call);
    const parcel = run.parcel();
    if (parcel !== undefined) await send([parcel], call, executor);
    await run.act(session);
    run.gather();
    await runPendingFetches(call, executor);
    return await run.result();
  } catch (thrown) {
    if (!(thrown instanceof BudgetExceeded)) throw thrown;
    call.waiting = [];
    call.failures.length = before;
    return failedRoot(root, call, thrown.error);
  }
}

/** A root field that is null because of an error. */
export function failedRoot(root: CompiledRoot, call: ExecutionContext, error: TesseraError): RootResult {
  call.failRoot(error, root);
  return { key: root.key, json: 'null', time: 0n };
}

/** A subscription: the JSON of one change, with its fetches. @throws BudgetExceeded */
export async function runEvent(
  { key, plan: { completion } }: CompiledRoot & { readonly plan: RootPlan },
  value: Value,
  call: ExecutionContext,
  definitions: CatalogSnapshot,
): Promise<RootResult> {
  completion.gather?.(value, call);
  if (call.waiting.length > 0) await runInSnapshot(definitions, (snapshot) => runPendingFetches(call, snapshot));
  const json = await writeStepwise(completion, value, call);
  call.locateFailures(0, key);
  return { key, json: json ?? 'null', time: 0n };
}

/** Runs statements in the snapshot that the definitions were read from: a request reads one state of the database. */
export async function runInSnapshot<T>(
  definitions: CatalogSnapshot,
  work: (snapshot: StatementExecutor) => Promise<T>,
): Promise<T> {
  const snapshot = await definitions.hold();
  try {
    return await work(snapshot);
  } finally {
    snapshot.cancel();
  }
}

/** A root field under way. */
class RootRun {
  readonly #root: CompiledRoot;
  readonly #call: ExecutionContext;
  readonly #work: RootWork | undefined;
  #value: Value;
  #time = 0n;

  constructor(root: CompiledRoot, call: ExecutionContext) {
    this.#root = root;
    this.#call = call;
    const { plan } = root;
    if (typeof plan !== 'function') this.#work = this.#trying(() => plan.begin(call));
  }

  /** Its statements, if it has any. */
  parcel(): StatementBatch | undefined {
    const work = this.#work;
    if (work?.kind !== 'statements') return undefined;
    const { statements, values, most } = work;
    return {
      statements,
      values,
      most,
      deliver: (results) => this.#deliver(work, results),
      fail: (thrown) => this.#call.failRoot(thrown, this.#root),
    };
  }

  #deliver(work: StatementWork, results: readonly StatementResult[]): void {
    for (const { time } of results) this.#time += time;
    this.#value = this.#trying(() => {
      const values = results.map(({ outcome }) => {
        if (outcome.ok) return outcome.value;
        throw work.redactError?.(outcome.error) ?? outcome.error;
      });
      return work.result(values, this.#call);
    });
  }

  /** Runs work other than statements, which requires a session that may change. */
  async act(session: Session | undefined): Promise<void> {
    if (this.#work?.kind !== 'session') return;
    try {
      if (session === undefined) throw failure('graphql_transaction');
      this.#value = await this.#work.run(session);
    } catch (thrown) {
      this.#call.failRoot(thrown, this.#root);
    }
  }

  gather(): void {
    const { plan } = this.#root;
    if (typeof plan !== 'function') plan.completion.gather?.(this.#value, this.#call);
  }

  result(): PromiseOrValue<RootResult> {
    const call = this.#call;
    const { key } = this.#root;
    const before = call.failures.length;
    const written = otherwise<string | undefined>(
      () =>
        andThen(this.#write(), (text) => {
          call.locateFailures(before, key);
          return call.answer.add(text ?? 'null');
        }),
      (thrown) => this.#failed(thrown, before),
    );
    return andThen(written, (json) => ({ key, json: json ?? 'null', time: this.#time }));
  }

  #write(): PromiseOrValue<string | undefined> {
    const { plan } = this.#root;
    const call = this.#call;
    if (typeof plan === 'function') return plan(call);
    return writeStepwise(plan.completion, this.#value, call);
  }

  #trying<T>(work: () => T): T | undefined {
    const before = this.#call.failures.length;
    try {
      return work();
    } catch (thrown) {
      return this.#failed(thrown, before);
    }
  }

  /** There were `before` errors when it was begun. @throws BudgetExceeded */
  #failed(thrown: unknown, before: number): undefined {
    if (thrown instanceof BudgetExceeded) throw thrown;
    // Errors of its parts no longer matter.
    this.#call.failures.length = before;
    this.#call.failRoot(thrown, this.#root);
    return undefined;
  }
}

// Sends the statements of a request on their way, as many at once as the budget allows.

/** Statements that belong together. */
interface StatementBatch {
  readonly statements: readonly Statement[];
  readonly values: ObjectValue;
  /** Maximum number of values of their records. */
  readonly most: number;
  /** Takes their results; may not fail but for an exceeded budget. */
  deliver(results: readonly StatementResult[]): void;
  /** Nothing of it was run. */
  fail(thrown: unknown): void;
}

/**
 * Runs statements in their order. Statements whose maximum results are within the budget run in one call; others
 * wait until the results of the former are known.
 */
async function send(
  batches: readonly StatementBatch[],
  call: ExecutionContext,
  executor: Pick<StatementExecutor, 'execute'>,
): Promise<void> {
  let at = 0;
  while (at < batches.length) {
    const batch: StatementBatch[] = [];
    const values = newObject();
    let most = 0;
    for (let parcel = batches[at]; parcel !== undefined; parcel = batches[at]) {
      if (batch.length > 0 && most + parcel.most > call.reads.left) break;
      most += parcel.most;
      batch.push(parcel);
      Object.assign(values, parcel.values);
      at++;
    }
    const statements = batch.flatMap((parcel) => parcel.statements);
    let results: readonly StatementResult[];
    try {
      results = statements.length === 0 ? [] : await executor.execute(statements, values, call.deadline);
    } catch (thrown) {
      for (const { fail } of batch) fail(thrown);
      continue;
    }
    let next = 0;
    for (const { statements, deliver } of batch) {
      deliver(results.slice(next, next + statements.length));
      next += statements.length;
    }
  }
}

/** Fetches what waits, level by level, until nothing does. */
async function runPendingFetches(call: ExecutionContext, executor: Pick<StatementExecutor, 'execute'>): Promise<void> {
  while (call.waiting.length > 0) {
    const fetches = call.waiting;
    call.waiting = [];
    await send(
      fetches.flatMap((fetch) => Array.from(fetch.requests(call), parcelOf)),
      call,
      executor,
    );
  }
}

function parcelOf({ statement, values, most, deliver, fail }: FetchRequest): StatementBatch {
  return {
    statements: [statement],
    values,
    most,
    deliver: ([result]) => {
      if (result?.outcome.ok === false) fail(result.outcome.error);
      const rows = result?.outcome.ok === true ? result.outcome.value : undefined;
      if (isArray(rows)) deliver(rows.filter(isObject));
    },
    fail: (thrown) => fail(asTesseraError(thrown)),
  };
}
