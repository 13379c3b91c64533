/** Evaluates results again that may no longer be right: those of each session in turn, of several sessions at once. */
import type { Work } from '../../base/work/work.js';
import type { Identity } from '../../catalog/principal.js';
import type { Environment } from '../../env/environment.js';
import { asTesseraError, type TesseraError } from '../../errors/error.js';
import type { ServerMetrics } from '../../metrics/server-metrics.js';
import type { Execution, LiveListener } from '../../runtime/execution.js';
import { type Interrupt, RequestInterrupt } from '../../runtime/interrupt.js';
import type { RunOptions } from '../../statements/executor.js';
import type { Engine, FollowedCommit, ReadParts } from '../../storage/contract.js';
import { ReadSet } from '../../storage/transaction/read-set.js';
import { Duration, type Value } from '../../value/value.js';
import { keptRight, type OutsideUse } from './kept-right.js';
import type { FollowedResult, SharedResult } from './shared-result.js';

export interface EvaluationServices {
  readonly engine: Engine;
  readonly environment: Environment;
  readonly metrics: ServerMetrics | undefined;
  execution(options: RunOptions): Execution;
}

export interface Evaluated {
  readonly value: Value;
  readonly use: OutsideUse;
  /** Who followed the result when it began: those who came meanwhile may have seen more. */
  readonly followers: readonly FollowedResult[];
  /** When it was known that the one before was no longer right, on the monotonic clock. */
  readonly since: number;
}

/** Takes what evaluations make. */
export interface EvaluationReader {
  evaluated(shared: SharedResult, evaluated: Evaluated, work: Work): Promise<void>;
  failed(shared: SharedResult, error: TesseraError): void;
  /** What the evaluation has read, as far as it came. */
  dependsOn(shared: SharedResult, dependencies: ReadParts): void;
}

/** Sessions whose results are evaluated at once: one that takes long doesn't hold up the others. */
const MOST_AT_ONCE = 8;
/** Keys, and ranges, that are noted of one evaluation; neighbours are noted as ranges beyond. */
const MOST_DEPENDENCIES = 512;
/** Time limit of an evaluation. */
const PATIENCE = new Duration(5_000_000_000n);
/** Milliseconds until an evaluation is repeated that the store has failed. */
const STORE_RETRY = 250;

export class Evaluations {
  readonly #services: EvaluationServices;
  readonly #reader: EvaluationReader;
  /** Since when each may no longer be right, by the session in whose turn it is evaluated. */
  readonly #stale = new Map<LiveListener, Map<SharedResult, number>>();
  readonly #atWork = new Set<LiveListener>();
  /** Commits since the beginning of each evaluation that is under way. */
  readonly #meanwhile = new Set<FollowedCommit[]>();
  #isStopped = false;

  constructor(services: EvaluationServices, reader: EvaluationReader) {
    this.#services = services;
    this.#reader = reader;
  }

  /** It may no longer be right; `begin` has it evaluated. */
  add(shared: SharedResult, since = this.#services.environment.clock.monotonic()): void {
    if (shared.followers.size === 0 || shared.isQueued) return;
    shared.isQueued = true;
    const others = this.#stale.get(shared.turn);
    if (others === undefined) this.#stale.set(shared.turn, new Map([[shared, since]]));
    else others.set(shared, since);
  }

  /** A commit was made that evaluations under way may not have seen. */
  noteCommit(commit: FollowedCommit): void {
    for (const commits of this.#meanwhile) commits.push(commit);
  }

  begin(): void {
    for (const listener of this.#stale.keys()) {
      if (this.#isStopped || this.#atWork.size >= MOST_AT_ONCE) return;
      if (this.#atWork.has(listener)) continue;
      this.#atWork.add(listener);
      void this.#serve(listener).finally(() => {
        this.#atWork.delete(listener);
        this.begin();
      });
    }
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** What an evaluation reads as of now. */
  async dependenciesOf(
    { identity, interrupt }: Execution,
    evaluate: SharedResult['request']['evaluate'],
  ): Promise<ReadParts> {
    const reads = new ReadSet();
    await this.#valueOf(evaluate, identity, reads, interrupt);
    reads.settle(MOST_DEPENDENCIES);
    return reads;
  }

  async #serve(listener: LiveListener): Promise<void> {
    const { environment } = this.#services;
    const interrupt = RequestInterrupt.begin(environment);
    // In an order that doesn't depend on which keys have hit them, as hidden records may have.
    const stale = [...(this.#stale.get(listener) ?? [])].sort(([a], [b]) => a.serial - b.serial);
    this.#stale.delete(listener);
    for (const [shared, since] of stale) {
      shared.isQueued = false;
      if (this.#isStopped) return;
      if (await this.#evaluate(shared, since, interrupt)) await interrupt.checkpoint();
      else {
        await environment.timers.wait(STORE_RETRY);
        this.add(shared, since);
      }
    }
  }

  /** Returns false where it has to be repeated. */
  async #evaluate(shared: SharedResult, since: number, interrupt: RequestInterrupt): Promise<boolean> {
    const followers = [...shared.followers];
    const [first] = followers;
    if (first === undefined) return true;
    const { environment, metrics } = this.#services;
    const began = environment.clock.monotonic();
    const reads = new ReadSet();
    const meanwhile: FollowedCommit[] = [];
    this.#meanwhile.add(meanwhile);
    try {
      const identity = await first.listener.identityAt(first.databasePath);
      if (identity === undefined) {
        // With a session that is over ends what it follows; others may follow the same.
        this.add(shared, since);
        return true;
      }
      const { value, use } = await this.#valueOf(shared.request.evaluate, identity, reads, interrupt);
      await this.#reader.evaluated(shared, { value, use, followers, since }, interrupt);
    } catch (thrown) {
      const error = asTesseraError(thrown);
      if (error.code === 'storage_unavailable') return false;
      this.#reader.failed(shared, error);
    } finally {
      this.#meanwhile.delete(meanwhile);
      reads.settle(MOST_DEPENDENCIES);
      this.#reader.dependsOn(shared, reads);
      if (meanwhile.some((commit) => hits(commit, reads))) this.add(shared);
      metrics?.liveResult(environment.clock.monotonic() - began);
    }
    return true;
  }

  async #valueOf(
    evaluate: SharedResult['request']['evaluate'],
    identity: Identity,
    reads: ReadSet,
    interrupt: Interrupt,
  ): Promise<Pick<Evaluated, 'value' | 'use'>> {
    const use: OutsideUse = { time: false, reader: false };
    const transaction = await this.#services.engine.begin({ writable: false, reads });
    try {
      const limited = interrupt.within(PATIENCE);
      const execution = this.#services.execution({ transaction, identity, interrupt: limited });
      return { value: await evaluate(keptRight(execution, use)), use };
    } finally {
      transaction.cancel();
    }
  }
}

function hits({ keys, ranges }: FollowedCommit, reads: ReadSet): boolean {
  return reads.meets([...keys].sort()) || reads.meetsRanges(ranges);
}
