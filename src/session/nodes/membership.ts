/**
 * The membership of this node among those that use the store. It renews its row in the registry of nodes, watches how
 * the others renew theirs, and takes over the background work of those that don't.
 *
 * Clocks of different machines are never compared: a node counts as dead when another has seen its row unchanged for
 * `LEASE_TIME` on its own monotonic clock. The node itself gives up its leases sooner, since it measures from before it
 * began to renew. Its later commits conflict with the take-over (`catalog/nodes/lease-row.ts`).
 *
 * Background work is distributed among all live nodes (`lease-distribution.ts`): a node releases leases that another
 * should hold.
 */
import { invariant } from '../../base/invariant.js';
import { lastly } from '../../base/promise-or-value.js';
import { entriesOf } from '../../catalog/entries.js';
import {
  LEASES_RANGE,
  leaseKey,
  NODES_RANGE,
  nodeKey,
  nodeOfKey,
  STORE_FORMAT_KEY,
  workOfKey,
} from '../../catalog/keys/node-keys.js';
import {
  type BackgroundWork,
  holderOf,
  putHolder,
  readHolder,
  WORK_KINDS,
  WORKS,
} from '../../catalog/nodes/lease-row.js';
import { type NodeRow, readNode, storedNode } from '../../catalog/nodes/node-row.js';
import { assertFormat, type KnownFormats, putStoreFormat, storeFormat } from '../../catalog/nodes/store-format.js';
import type { Environment } from '../../env/environment.js';
import { asTesseraError, failure, type TesseraError } from '../../errors/error.js';
import type { CommitFollower, Engine, SharedStore, Transaction } from '../../storage/contract.js';
import { isConflict, withRetries } from '../../storage/retry.js';
import { Lease } from '../background/lease.js';
import { preferredNode } from './lease-distribution.js';

/** Milliseconds between two renewals. */
export const NODE_RENEWAL_INTERVAL = 1_000;
/** After so many milliseconds without a renewal, other nodes take over the work of a node. */
export const LEASE_TIME = 4_000;
/** After so many, its row is removed, with everything else that is stored about it. */
export const REMOVAL_TIME = 15_000;
/** Milliseconds until the next check after a lease was released. */
const SOON = 10;

export interface MembershipOptions {
  readonly engine: Engine;
  readonly shared: SharedStore;
  readonly environment: Pick<Environment, 'clock' | 'timers'>;
  /** The other fields of its row. */
  readonly about: Pick<NodeRow, 'version' | 'since' | 'address'>;
  readonly formats: KnownFormats;
  /**
   * Removes everything stored about a node that is gone, in the transaction that removes its row. It must read what it
   * deletes.
   */
  forget(transaction: Transaction, node: string): Promise<void> | void;
  /** This node hasn't renewed its row for so long that others may have declared it dead. */
  returned(): void;
  report(error: TesseraError): void;
}

/** The last observation of another node. */
interface Sighting {
  readonly beat: number;
  /** On the monotonic clock of this node, when that was first seen. */
  readonly at: number;
}

export class Membership {
  readonly #options: MembershipOptions;
  readonly #leases: ReadonlyMap<BackgroundWork, Lease>;
  /** The format in which nodes write; unknown since a commit that may have changed it. */
  #format: number | undefined;
  /** The lowest of the newest formats that nodes know. */
  #lowestFormat = 0;
  #others: ReadonlyMap<string, Sighting> = new Map();
  #beat = 0;
  /** The work assigned to this node while the named nodes are alive. */
  #share: { readonly nodes: string; readonly works: ReadonlySet<BackgroundWork> } = { nodes: '', works: new Set() };
  /** When it last began to renew its row with success, on the monotonic clock. */
  #renewedAt = Number.POSITIVE_INFINITY;
  #cancel: () => void = () => undefined;
  #round: Promise<void> = Promise.resolve();
  #isRunning = false;
  #isAgain = false;
  #isStopped = false;
  /** A failure is reported once, until it is over. */
  #isFailing = false;
  #unfollow: () => void = () => undefined;

  constructor(options: MembershipOptions) {
    this.#options = options;
    const { node } = options.shared;
    this.#leases = new Map(WORKS.map((work) => [work, new Lease(work, node, options.environment.clock)]));
  }

  get node(): string {
    return this.#options.shared.node;
  }

  lease(work: BackgroundWork): Lease {
    const lease = this.#leases.get(work);
    invariant(lease !== undefined, `there is a lease on ${work}`);
    return lease;
  }

  /** Number of its leases, by kind of work. */
  get held(): ReadonlyMap<string, number> {
    return new Map(
      [...WORK_KINDS].map(([kind, works]) => [kind, works.filter((work) => this.lease(work).isHeld).length]),
    );
  }

  /** By how many milliseconds this node's view of the commits is behind. */
  get staleness(): number {
    return Math.max(0, this.#now() - this.#options.shared.caughtUpAt);
  }

  /** For how many milliseconds another node has been seen not to renew its row since the renewal of that number. */
  unchangedFor(node: string, beat: number): number {
    const sighting = this.#others.get(node);
    return sighting?.beat === beat ? this.#now() - sighting.at : 0;
  }

  /**
   * Enters itself in the registry, takes free leases, and keeps doing so until `leave`.
   * @throws TesseraError `storage_format` if the others write a format that this node doesn't know
   */
  async join(): Promise<void> {
    this.#unfollow = await this.#options.shared.follow(this.#follower());
    try {
      await withRetries(this.#options.engine, async (transaction) => {
        assertFormat(await storeFormat(transaction), this.#options.formats);
        this.#putRow(transaction);
      });
    } catch (error) {
      this.#unfollow();
      throw error;
    }
    await this.#run();
  }

  /**
   * Checks that this node can read the store: a newer format may be in use by now if others have declared
   * it dead.
   * @throws TesseraError `storage_format`; `storage_unavailable` for the moment in which that isn't known
   */
  assertFormat(): void {
    if (this.#format === undefined) throw failure('storage_unavailable', { reason: 'its format is being read again' });
    assertFormat(this.#format, this.#options.formats);
  }

  /** Releases its leases, so that another node continues at once, and removes its row. */
  async leave(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    this.#unfollow();
    await this.#round;
    for (const lease of this.#leases.values()) lease.lose();
    try {
      await withRetries(this.#options.engine, async (transaction) => {
        await this.#giveUp(transaction, WORKS);
        await this.#options.forget(transaction, this.node);
        transaction.delete(nodeKey(this.node));
      });
    } catch (error) {
      // The other nodes detect it by themselves.
      this.#options.report(asTesseraError(error));
    }
  }

  #now(): number {
    return this.#options.environment.clock.monotonic();
  }

  /** Checks again soon after a lease was released, or the format was raised. */
  #follower(): CommitFollower {
    const { from, to } = LEASES_RANGE;
    return {
      onCommits: (commits) => {
        for (const { isOwn, keys } of commits) {
          if (keys.includes(STORE_FORMAT_KEY)) this.#formatChanged();
          if (!isOwn && keys.some((key) => key >= from && key < to)) this.#soon();
        }
      },
      onGap: () => {
        // Others may have raised it if they declared this node dead.
        if (this.#now() - this.#renewedAt > LEASE_TIME) this.#formatChanged();
        else this.#soon();
      },
    };
  }

  #formatChanged(): void {
    this.#format = undefined;
    this.#soon();
  }

  #soon(): void {
    if (this.#isStopped) return;
    if (this.#isRunning) this.#isAgain = true;
    else this.#wait(SOON);
  }

  #wait(milliseconds: number): void {
    this.#cancel();
    this.#cancel = this.#options.environment.timers.after(milliseconds, () => void this.#run());
  }

  #run(): Promise<void> {
    this.#isRunning = true;
    this.#isAgain = false;
    this.#round = this.#renew()
      .then(
        () => {
          this.#isFailing = false;
        },
        (error: unknown) => {
          if (!this.#isFailing && !this.#isStopped) this.#options.report(asTesseraError(error));
          this.#isFailing = true;
        },
      )
      .finally(() => {
        this.#isRunning = false;
        if (!this.#isStopped) this.#wait(this.#isAgain ? SOON : this.#untilNext());
      });
    return this.#round;
  }

  /** Checks again at once when another node counts as dead. */
  #untilNext(): number {
    const now = this.#now();
    const deaths = [...this.#others.values()].map(({ at }) => at + LEASE_TIME - now).filter((left) => left > 0);
    return Math.min(NODE_RENEWAL_INTERVAL, ...deaths);
  }

  async #renew(): Promise<void> {
    const { engine, formats } = this.#options;
    // Formats aren't lowered: a node that doesn't know the store's format no longer takes part.
    if (this.#format !== undefined) assertFormat(this.#format, formats);
    const began = this.#now();
    const transaction = await engine.begin({ writable: true });
    // Written without being read, so that it conflicts with nothing.
    this.#putRow(transaction);
    await transaction.commit();
    if (began - this.#renewedAt > LEASE_TIME) this.#options.returned();
    this.#renewedAt = began;
    const holders = await this.#look();
    if (this.#format !== undefined) assertFormat(this.#format, formats);
    const wanted = this.#wanted();
    const free: BackgroundWork[] = [];
    const others: BackgroundWork[] = [];
    for (const work of WORKS) {
      const holder = holders.get(work);
      const isMine = holder === this.node;
      if (isMine) this.lease(work).hold(began + LEASE_TIME);
      else this.lease(work).lose();
      if (isMine && !wanted.has(work)) others.push(work);
      if (!isMine && wanted.has(work) && (holder === undefined || !this.#isAlive(holder))) free.push(work);
    }
    if (this.#isStopped) return;
    if (others.length > 0) await withRetries(engine, (transaction) => this.#giveUp(transaction, others));
    if (free.length > 0) await this.#takeOver(free, holders, began + LEASE_TIME);
    if (!this.lease('nodes').isHeld) return;
    await this.#removeDead();
    await this.#raiseFormat();
  }

  #putRow(transaction: Transaction): void {
    const { about, formats } = this.#options;
    const row = { ...about, format: formats.newest, beat: ++this.#beat, staleness: this.staleness };
    transaction.put(nodeKey(this.node), storedNode(row));
  }

  /** Raises the write format to the newest one that all nodes know. */
  async #raiseFormat(): Promise<void> {
    if (this.#format === undefined || this.#lowestFormat <= this.#format) return;
    await withRetries(this.#options.engine, async (transaction) => {
      await this.lease('nodes').confirm(transaction);
      const nodes = await entriesOf(transaction, NODES_RANGE);
      const format = Math.min(...nodes.map(([, stored]) => readNode(stored).format));
      if (format > (await storeFormat(transaction))) putStoreFormat(transaction, format);
    });
  }

  /** The work assigned to this node, given the nodes that it has seen. */
  #wanted(): ReadonlySet<BackgroundWork> {
    const alive = [this.node, ...[...this.#others.keys()].filter((node) => this.#isAlive(node))].sort();
    const nodes = alive.join(' ');
    if (this.#share.nodes !== nodes) {
      const works = WORKS.filter((work) => preferredNode(work, alive) === this.node);
      this.#share = { nodes, works: new Set(works) };
    }
    return this.#share.works;
  }

  /** Transactions of the work that are under way conflict with the release, and change nothing. */
  async #giveUp(transaction: Transaction, works: readonly BackgroundWork[]): Promise<void> {
    await transaction.prefetch?.({ keys: works.map(leaseKey) });
    for (const work of works) {
      this.lease(work).lose();
      if ((await holderOf(transaction, work)) === this.node) transaction.delete(leaseKey(work));
    }
  }

  /** Notes the renewals of the other nodes; returns the holder of each lease. */
  async #look(): Promise<ReadonlyMap<string, string>> {
    const transaction = await this.#options.engine.begin({ writable: false });
    const [nodes, leases, format] = await lastly(
      () =>
        Promise.all([
          entriesOf(transaction, NODES_RANGE),
          entriesOf(transaction, LEASES_RANGE),
          storeFormat(transaction),
        ]),
      () => transaction.cancel(),
    );
    this.#format = format;
    this.#lowestFormat = Math.min(...nodes.map(([, stored]) => readNode(stored).format));
    const now = this.#now();
    const others = new Map<string, Sighting>();
    for (const [key, stored] of nodes) {
      const node = nodeOfKey(key);
      const { beat } = readNode(stored);
      const former = this.#others.get(node);
      if (node !== this.node) others.set(node, former?.beat === beat ? former : { beat, at: now });
    }
    this.#others = others;
    return new Map(leases.map(([key, stored]) => [workOfKey(key), readHolder(stored)]));
  }

  #isAlive(node: string): boolean {
    const sighting = this.#others.get(node);
    return sighting !== undefined && this.#now() - sighting.at < LEASE_TIME;
  }

  /** Takes leases without a holder, or with a dead one: all of them, or none if something has changed meanwhile. */
  async #takeOver(
    works: readonly BackgroundWork[],
    holders: ReadonlyMap<string, string>,
    until: number,
  ): Promise<void> {
    const transaction = await this.#options.engine.begin({ writable: true });
    try {
      const nodes = new Set(works.flatMap((work) => holders.get(work) ?? []));
      await transaction.prefetch?.({ keys: [...works.map(leaseKey), ...[...nodes].map(nodeKey)] });
      for (const work of works) {
        const holder = await holderOf(transaction, work);
        if (holder !== holders.get(work) || !(await this.#isUnchanged(transaction, holder))) return;
        putHolder(transaction, work, this.node);
      }
      await transaction.commit();
      for (const work of works) this.lease(work).hold(until);
    } catch (error) {
      if (!isConflict(error)) throw error;
    } finally {
      transaction.cancel();
    }
  }

  /** Whether a node hasn't renewed its row since it was seen; if it does so now, the transaction conflicts. */
  async #isUnchanged(transaction: Transaction, node: string | undefined): Promise<boolean> {
    if (node === undefined) return true;
    const stored = await transaction.get(nodeKey(node));
    return (stored === undefined ? undefined : readNode(stored).beat) === this.#others.get(node)?.beat;
  }

  async #removeDead(): Promise<void> {
    for (const [node, { at }] of this.#others) {
      if (this.#now() - at < REMOVAL_TIME) continue;
      await withRetries(this.#options.engine, async (transaction) => {
        await this.lease('nodes').confirm(transaction);
        if (!(await this.#isUnchanged(transaction, node))) return;
        await this.#options.forget(transaction, node);
        transaction.delete(nodeKey(node));
      });
    }
  }
}
