/**
 * Accounts for the memory of a session's live queries, so that a client that doesn't read falls behind, not the server.
 */
import { failure } from '../../errors/error.js';
import type { LiveStatement, ResultSubscription } from '../../runtime/execution.js';
import type { ChangeMemory } from '../../runtime/live-changes.js';
import type { BacklogReader } from '../resources/change-backlog.js';
import type { LiveQuota } from '../resources/live-quota.js';
import type { ConnectionMemory } from '../resources/server-memory.js';

/** The largest change that is delivered without being charged to the connection, in bytes. */
const SMALL = 8 * 1024;

type Weighed = Pick<LiveStatement, 'weight'>;

/**
 * The memory of a session's live queries: their own and that of the change being delivered are charged to the
 * connection, that of waiting changes to the backlog of the process.
 */
export class LiveMemory implements BacklogReader {
  readonly #quota: LiveQuota;
  readonly #memory: ConnectionMemory;
  readonly #fallBehind: () => void;
  #backlog = 0;

  /** `fallBehind` ends all queries, and drops the changes that wait. */
  constructor(quota: LiveQuota, memory: ConnectionMemory, fallBehind: () => void) {
    this.#quota = quota;
    this.#memory = memory;
    this.#fallBehind = fallBehind;
  }

  get backlog(): number {
    return this.#backlog;
  }

  /** Whether what is being sent waits for the client, or for its handler in this process. */
  get awaitsClient(): boolean {
    return this.#memory.awaitsClient?.() ?? true;
  }

  fallBehind(): void {
    this.#fallBehind();
  }

  /**
   * Checks that a query fits; nothing is reserved before it begins.
   * @throws TesseraError `too_many_live_queries`, `live_queries_too_large`, `connection_memory_exceeded`, …
   */
  admit({ weight }: Weighed): void {
    this.#quota.admit(weight);
    this.#memory.admitLiveQuery();
    this.#memory.budget.charge(weight);
    this.#memory.budget.release(weight);
  }

  /** Reserves a query; false if it doesn't fit. */
  begin({ weight }: Weighed): boolean {
    if (!this.#quota.takeQuery(weight)) return false;
    try {
      this.#memory.admitLiveQuery();
      this.#memory.budget.charge(weight);
    } catch {
      this.#quota.giveQuery(weight);
      return false;
    }
    this.#memory.countLiveQueries(1);
    return true;
  }

  /**
   * Reserves what a result takes by now.
   * @throws TesseraError `live_queries_full`, with nothing changed, if it doesn't fit
   */
  resize(result: ResultSubscription, weight: number): void {
    const growth = weight - result.weight;
    if (!this.#quota.resizeQuery(growth)) throw failure('live_queries_full');
    try {
      if (growth > 0) this.#memory.budget.charge(growth);
      else this.#memory.budget.release(-growth);
    } catch {
      this.#quota.resizeQuery(-growth);
      throw failure('live_queries_full');
    }
    result.weight = weight;
  }

  end({ weight }: Weighed): void {
    this.#quota.giveQuery(weight);
    this.#memory.countLiveQueries(-1);
    this.#memory.budget.release(weight);
  }

  /** A change waits; false if the client has fallen too far behind. */
  enqueue(change: ChangeMemory): boolean {
    if (!this.#quota.takeChange(change.bytes)) return false;
    if (!this.#memory.server.backlog.hold(change, this)) {
      this.#quota.giveChange(change.bytes);
      return false;
    }
    this.#backlog += change.bytes;
    return true;
  }

  /** A change that waits won't be delivered. */
  drop(change: ChangeMemory): void {
    this.#dequeue(change);
    this.#quota.giveChange(change.bytes);
  }

  /**
   * Takes a change out of the backlog, and runs `work`, which ends when the client has read it.
   * @throws TesseraError `connection_memory_exceeded`, `server_memory_exceeded`; `work` isn't run then
   */
  async deliver(change: ChangeMemory, work: () => Promise<unknown>): Promise<void> {
    const { bytes } = change;
    const charged = bytes > SMALL ? bytes : 0;
    const { work: budget } = this.#memory;
    this.#dequeue(change);
    try {
      budget.charge(charged);
    } catch (thrown) {
      this.#quota.giveChange(bytes);
      throw thrown;
    }
    try {
      await work();
    } finally {
      budget.release(charged);
      this.#quota.giveChange(bytes);
    }
  }

  #dequeue(change: ChangeMemory): void {
    this.#backlog -= change.bytes;
    this.#memory.server.backlog.release(change, this);
  }
}
