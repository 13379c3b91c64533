/**
 * Live results (LIVE QUERY): a result is right until a commit writes into what it was made of.
 *
 * Each evaluation runs in a transaction that records what it reads. Commits, of whichever process, are looked up in an
 * index of all that was read; what they hit is evaluated again on the latest snapshot, and followers get the
 * differences. Where nothing has asked who the reader is, one evaluation serves all with the same rights.
 */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import { runSteps } from '../../base/work/stepwise.js';
import type { Work } from '../../base/work/work.js';
import { entriesOf } from '../../catalog/entries.js';
import { nodeOfKey } from '../../catalog/keys/node-keys.js';
import { appendSignal } from '../../catalog/nodes/signals.js';
import type { DatabasePath } from '../../catalog/principal.js';
import { asTesseraError, failure, type TesseraError } from '../../errors/error.js';
import type {
  Execution,
  LiveListener,
  LiveResultRegistry,
  LiveResultRequest,
  ResultSubscription,
} from '../../runtime/execution.js';
import { RequestInterrupt } from '../../runtime/interrupt.js';
import type { TransactionContext } from '../../runtime/transaction-context.js';
import { CoalescedTask } from '../../storage/coalesced-task.js';
import type { CommitFollower, FollowedCommit, ReadParts, Versionstamp } from '../../storage/contract.js';
import { stampOfTime } from '../../storage/transaction/append.js';
import { objectFrom, type Uuid, type Value } from '../../value/value.js';
import { Weighing } from '../../value/weight.js';
import { DependencyIndex, NO_DEPENDENCIES } from './dependency-index.js';
import { differences } from './differences.js';
import { EndedResults } from './ended-results.js';
import { type Evaluated, type EvaluationReader, type EvaluationServices, Evaluations } from './evaluations.js';
import { keptRight, type OutsideUse } from './kept-right.js';
import { newResultId, nodesOfResult } from './result-id.js';
import { FollowedResult, keyOfUser, type ResultVersion, SharedResult, sharingKey } from './shared-result.js';

export interface LiveResultServices extends EvaluationServices {
  readonly report: (error: TesseraError) => void;
}

/** Bytes that a result may take. */
const MOST_RESULT = 8 * 2 ** 20;
/** Written keys that wait to be looked up. Beyond, every result is taken for stale. */
const MOST_WAITING = 2 ** 18;
/** Units of work of looking up a key. */
const LOOKED_UP = 8;

export class LiveResults implements LiveResultRegistry, CommitFollower, EvaluationReader {
  readonly #services: LiveResultServices;
  readonly #results = new Map<string, FollowedResult>();
  readonly #shared = new Map<string, SharedResult>();
  readonly #index = new DependencyIndex<SharedResult>();
  readonly #evaluations: Evaluations;
  readonly #ended: EndedResults;
  readonly #lookingUp: CoalescedTask;
  /** Commits that were not looked up yet, and how many keys they have. */
  #waiting: { readonly commit: FollowedCommit; readonly since: number }[] = [];
  #keysWaiting = 0;
  #following: PromiseOrValue<() => void> | undefined;
  #lastStamp: Versionstamp = 0n;
  /** Where the stamps of each millisecond begin: a server must not take another's for one that it has given. */
  readonly #stampOffset: Versionstamp;
  #serials = 0;

  constructor(services: LiveResultServices) {
    const { timers, clock, random } = services.environment;
    this.#services = services;
    const [high = 0, low = 0] = random.bytes(2);
    this.#stampOffset = BigInt(high * 256 + low);
    this.#evaluations = new Evaluations(services, this);
    this.#ended = new EndedResults(clock);
    this.#lookingUp = new CoalescedTask(timers, () => this.#lookUp(), services.report);
  }

  get size(): number {
    return this.#results.size;
  }

  get(id: string): ResultSubscription | undefined {
    return this.#results.get(id);
  }

  async begin(execution: Execution, request: LiveResultRequest): Promise<Value> {
    const { listener } = execution.request;
    if (listener === undefined) throw failure('realtime_unavailable');
    if (!execution.writable) throw failure('read_only');
    await this.#followCommits();
    const use: OutsideUse = { time: false, reader: false };
    // What the transaction itself has written is part of the first result.
    const value = await request.evaluate(keptRight(execution, use));
    const { interrupt } = execution;
    const version = await this.#version(value, use, request, interrupt);
    const { databasePath } = execution.identity;
    const ownKey = keyOfUser(execution, request, use.reader);
    const { stamp: since } = request.since ?? {};
    const base = since === undefined || ownKey === undefined ? undefined : this.#ended.find(ownKey, since);
    const result = new FollowedResult(this.#newId(), ownKey, databasePath, listener, request, base ?? version);
    listener.admit(result);
    const key = use.reader ? undefined : sharingKey(execution, request);
    execution.context.transaction.afterCommit((stamp) => {
      if (listener.begun(result, stamp)) this.#follow(result, key);
    });
    return answerOf(result, version, base, interrupt);
  }

  async start(listener: LiveListener, databasePath: DatabasePath, request: LiveResultRequest): Promise<Uuid> {
    await this.#followCommits();
    const since = this.#services.environment.clock.monotonic();
    const nothing = { stamp: this.#nextStamp(), value: undefined, weight: 0, since };
    const result = new FollowedResult(this.#newId(), undefined, databasePath, listener, request, nothing);
    listener.admit(result);
    if (!listener.begun(result, nothing.stamp)) throw failure('realtime_unavailable');
    this.#follow(result, undefined);
    return result.id;
  }

  dependenciesOf(execution: Execution, evaluate: LiveResultRequest['evaluate']): Promise<ReadParts> {
    return this.#evaluations.dependenciesOf(execution, evaluate);
  }

  end(result: ResultSubscription, reason?: TesseraError): void {
    const followed = this.#results.get(result.id.text);
    if (followed === undefined) return;
    this.#results.delete(result.id.text);
    this.#leave(followed);
    const { key, sent } = followed;
    if (key !== undefined) for (const { stamp, version } of sent) this.#ended.keep(key, stamp, version);
    followed.listener.ended(followed, reason);
    if (this.#results.size > 0) return;
    const following = this.#following;
    this.#following = undefined;
    void andThen(following, (stop) => stop?.());
  }

  async endElsewhere({ transaction }: TransactionContext, databasePath: DatabasePath, id: string): Promise<boolean> {
    const own = this.#services.engine.shared?.node;
    const nodes = own === undefined ? [] : await entriesOf(transaction, nodesOfResult(id));
    const others = nodes.map(([key]) => nodeOfKey(key)).filter((node) => node !== own);
    for (const node of others) appendSignal(transaction, { ends: 'live-result', id, node, databasePath });
    return others.length > 0;
  }

  close(): void {
    this.#lookingUp.stop();
    this.#evaluations.stop();
  }

  onCommits(commits: readonly FollowedCommit[]): void {
    if (this.#results.size === 0) return;
    const since = this.#services.environment.clock.monotonic();
    for (const commit of commits) {
      this.#waiting.push({ commit, since });
      this.#keysWaiting += commit.keys.length;
      this.#evaluations.noteCommit(commit);
    }
    if (this.#keysWaiting > MOST_WAITING) this.onGap();
    else this.#lookingUp.wake();
  }

  onGap(): void {
    this.#waiting = [];
    this.#keysWaiting = 0;
    for (const { shared } of this.#results.values()) if (shared !== undefined) this.#evaluations.add(shared);
    this.#lookingUp.wake();
  }

  async evaluated(shared: SharedResult, { value, use, followers, since }: Evaluated, work: Work): Promise<void> {
    if (use.reader && shared.followers.size > 1) {
      // What one reader gets is nothing to the others.
      this.#divide(shared);
      return;
    }
    const version = await this.#version(value, use, shared.request, work, since);
    const { latest: former } = shared;
    const isNew =
      former === undefined ||
      // Who has come since has a later versionstamp; what was right before may be right again.
      followers.some(({ version: { stamp } }) => stamp > former.stamp) ||
      (await shared.differences(former, version, work)).length > 0;
    const latest = isNew ? version : former;
    shared.latest = latest;
    for (const follower of followers) {
      const { version: known } = follower;
      if (known === latest || follower.shared !== shared) continue;
      if ((await shared.differences(known, latest, work)).length > 0) follower.listener.resultChanged(follower);
      else follower.version = latest;
    }
  }

  failed(shared: SharedResult, error: TesseraError): void {
    if (error.code === 'internal') this.#services.report(error);
    for (const follower of [...shared.followers]) this.end(follower, error);
  }

  dependsOn(shared: SharedResult, { keys, ranges }: ReadParts): void {
    if (shared.followers.size === 0) return;
    const dependencies = { keys, ranges };
    this.#index.replace(shared, shared.dependencies, dependencies);
    shared.dependencies = dependencies;
  }

  /** @throws TesseraError `live_result_of_time`, `live_result_too_large` */
  async #version(
    value: Value,
    { time }: OutsideUse,
    { period }: LiveResultRequest,
    work: Work,
    since = this.#services.environment.clock.monotonic(),
  ): Promise<ResultVersion> {
    if (time && period === undefined) throw failure('live_result_of_time');
    const weight = await runSteps(new Weighing([value], { limit: MOST_RESULT + 1 }), work);
    if (weight > MOST_RESULT) throw failure('live_result_too_large', { limit: MOST_RESULT });
    return { stamp: this.#nextStamp(), value, weight, since };
  }

  /** Rises with each result. */
  #nextStamp(): Versionstamp {
    const now = (stampOfTime(this.#services.environment.clock.now()) ?? 0n) + this.#stampOffset;
    this.#lastStamp = now > this.#lastStamp ? now : this.#lastStamp + 1n;
    return this.#lastStamp;
  }

  #newId(): Uuid {
    const { engine, environment } = this.#services;
    return newResultId(engine.shared?.node, environment.random);
  }

  #follow(result: FollowedResult, key: string | undefined): void {
    this.#results.set(result.id.text, result);
    let shared = key === undefined ? undefined : this.#shared.get(key);
    if (shared === undefined) {
      shared = new SharedResult(result.request, key, ++this.#serials, result.listener);
      if (key !== undefined) this.#shared.set(key, shared);
    }
    result.shared = shared;
    shared.followers.add(result);
    this.#startTimer(shared);
    // It may have been changed since the statement's snapshot; and what it depends on is noted now.
    this.#followCommits().then(
      () => this.#evaluateLater(shared),
      (thrown) => this.end(result, asTesseraError(thrown)),
    );
  }

  /** Nothing is followed where there are no results. @throws TesseraError `storage_unavailable` */
  async #followCommits(): Promise<void> {
    // One of its own each time: the end of what was followed before may come after the beginning.
    this.#following ??= this.#services.engine.commitFeed.follow({
      onCommits: (commits) => this.onCommits(commits),
      onGap: () => this.onGap(),
    });
    const following = this.#following;
    try {
      await following;
    } catch (error) {
      if (this.#following === following) this.#following = undefined;
      throw error;
    }
  }

  #leave(result: FollowedResult): void {
    const { shared } = result;
    if (shared === undefined) return;
    shared.followers.delete(result);
    if (shared.followers.size > 0) return;
    shared.stopTimer?.();
    this.#index.replace(shared, shared.dependencies, NO_DEPENDENCIES);
    if (shared.key !== undefined && this.#shared.get(shared.key) === shared) this.#shared.delete(shared.key);
  }

  /** Rules ask now who the reader is: each follower gets an evaluation of its own. */
  #divide(shared: SharedResult): void {
    for (const follower of [...shared.followers]) {
      this.#leave(follower);
      this.#follow(follower, undefined);
    }
  }

  #startTimer(shared: SharedResult): void {
    const { period } = shared.request;
    if (period === undefined || shared.stopTimer !== undefined) return;
    shared.stopTimer = this.#services.environment.timers.after(period, () => {
      shared.stopTimer = undefined;
      if (shared.followers.size === 0) return;
      this.#startTimer(shared);
      this.#evaluateLater(shared);
    });
  }

  #evaluateLater(shared: SharedResult): void {
    this.#evaluations.add(shared);
    this.#lookingUp.wake();
  }

  /** Finds the results that waiting commits may have changed, and has them evaluated. */
  async #lookUp(): Promise<void> {
    const { environment } = this.#services;
    // Commits that come together are looked up together.
    await environment.timers.nextRound();
    const interrupt = RequestInterrupt.begin(environment);
    while (this.#waiting.length > 0) {
      const commits = this.#waiting;
      this.#waiting = [];
      this.#keysWaiting = 0;
      for (const { commit, since } of commits) {
        const hit = (shared: SharedResult): void => this.#evaluations.add(shared, since);
        for (const range of commit.ranges) this.#index.dependentsWithin(range, hit);
        for (const key of commit.keys) {
          this.#index.dependentsOn(key, hit);
          await interrupt.checkpoint(LOOKED_UP);
        }
      }
    }
    this.#evaluations.begin();
  }
}

/** `{ id, result }`, and with SINCE from which versionstamp to resume, and whether this has resumed. */
async function answerOf(
  { id, request }: FollowedResult,
  version: ResultVersion,
  base: ResultVersion | undefined,
  work: Work,
): Promise<Value> {
  const { since } = request;
  if (since === undefined) return objectFrom({ id, result: version.value });
  const versionstamp = String((base ?? version).stamp);
  if (since.stamp === undefined) return objectFrom({ id, result: version.value, versionstamp });
  if (base === undefined) return objectFrom({ id, result: version.value, versionstamp, resumed: 'fresh' });
  const isSame = (await differences(base.value, version.value, request, work)).length === 0;
  return objectFrom({ id, versionstamp, resumed: isSame ? 'unchanged' : 'differences' });
}
