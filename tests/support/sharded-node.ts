/**
 * A node of a store that is sharded by database, simulated: its transactions, changes of the root in all clusters,
 * settling what other nodes have left, and moving a database (`docs/internals/adr/0053-…`).
 */
import {
  CLUSTERS,
  type ClosedChange,
  type Commit,
  type Head,
  headOf,
  type Key,
  type Omission,
  placementKey,
  ROOT,
  ServerLost,
  type SimulatedCluster,
  type Surroundings,
  type Value,
  type View,
} from './sharded-cluster.js';

/** Nothing of it was done. */
export class Aborted extends Error {}
/** Whether it was done isn't known to this node. */
export class Unknown extends Error {}

export interface Network extends Surroundings {
  /** Of how many calls about one goes wrong. */
  reliability: number;
}

const WAYS_OF_CALLS = ['request lost', 'answer lost', 'late', 'slow'] as const;
/** How many turns a late request may take, and a slow node. */
const LATE = 200;
const SLOW = 60;

interface ChangeUnderWay extends ClosedChange {
  readonly clusters: readonly SimulatedCluster[];
}

export class ShardedNode {
  isAlive = true;
  #changes = 0;
  /** Where databases were last seen. */
  readonly #hints = new Map<Head, number>();
  /** What goes on behind an answer. */
  readonly background: Promise<void>[] = [];

  constructor(
    readonly name: string,
    readonly clusters: readonly SimulatedCluster[],
    private readonly network: Network,
  ) {}

  get root(): SimulatedCluster {
    return this.clusters[0] as SimulatedCluster;
  }

  begin(home: Head): ShardedTransaction {
    return new ShardedTransaction(this, home);
  }

  /** The cluster at which a head is written. */
  clusterOf(head: Head): SimulatedCluster {
    return head === ROOT ? this.root : (this.clusters[this.#hints.get(head) ?? 0] as SimulatedCluster);
  }

  nextId(): string {
    return `${this.name}.${this.#changes++}`;
  }

  omits(part: Omission): boolean {
    return this.network.omission === part;
  }

  /** Calls a function of a cluster. @throws Unknown the answer was lost, and perhaps the request */
  async call<T>(work: () => Promise<T>): Promise<T> {
    const { random } = this.network;
    const way = random(this.network.reliability) === 0 ? WAYS_OF_CALLS[random(WAYS_OF_CALLS.length)] : undefined;
    if (way === 'slow') await this.#turns(random(SLOW));
    await this.#turns(1);
    if (way === 'late') {
      const late = this.#pass(random(LATE)).then(work);
      this.background.push(late.then(ignore, ignore));
    }
    if (way === 'late' || way === 'request lost') throw new Unknown();
    let answer: T;
    try {
      answer = await work();
    } catch (error) {
      if (error instanceof ServerLost) throw new Unknown();
      throw error;
    }
    await this.#turns(1);
    if (way === 'answer lost') throw new Unknown();
    return answer;
  }

  /** Judges by a snapshot where a database is. @throws Aborted it isn't in this cluster */
  async mustLiveIn(cluster: SimulatedCluster, view: View, head: Head): Promise<void> {
    if (head === ROOT) return;
    const key = placementKey(head);
    await this.mustBeOpen(cluster, view, key);
    const place = view.entries.get(key)?.[0] ?? 0;
    this.#hints.set(head, place);
    if (place !== cluster.number) throw new Aborted();
  }

  /** @throws Aborted the snapshot can't say what is under a key of the root */
  async mustBeOpen(cluster: SimulatedCluster, { closed }: View, key: Key): Promise<void> {
    const change = closed.find(({ changes }) => changes.has(key));
    if (change === undefined || this.omits('readers wait for closed keys')) return;
    await this.resolve(cluster, change);
    throw new Aborted();
  }

  /** Commits under one head. @throws Aborted, Unknown */
  async commitAt(cluster: SimulatedCluster, commit: Commit): Promise<number> {
    let outcome: number | 'conflict' | 'not applied';
    try {
      outcome = await this.call(() => cluster.commit(commit));
    } catch (error) {
      if (!(error instanceof Unknown)) throw error;
      outcome = await this.#settle(cluster, commit.id, commit.head);
    }
    if (typeof outcome !== 'number') throw new Aborted();
    return outcome;
  }

  /**
   * Changes the root: closes the keys in each cluster, decides at the root, and opens them again. `between` runs while
   * they are closed. The clusters are those of the snapshot, which the decision judges like all else that was read.
   * @throws Aborted, Unknown
   */
  async changeRoot(
    { since, ...commit }: Omit<Commit, 'head' | 'since'> & { readonly since: View },
    between?: () => Promise<void>,
  ): Promise<void> {
    await this.mustBeOpen(this.root, since, CLUSTERS);
    const change: ChangeUnderWay = { id: commit.id, changes: commit.changes, clusters: this.#listed(since, commit) };
    const isClosed =
      this.omits('closing') ||
      (await Promise.all(change.clusters.map((cluster) => this.#close(cluster, change)))).every((closed) => closed);
    if (!isClosed) return this.#drop(change);
    try {
      await between?.();
    } catch (error) {
      if (error instanceof Aborted || error instanceof Unknown) return this.#drop(change);
      throw error;
    }
    const keysRead = new Set(commit.keysRead);
    if (!this.omits('changes read the list of clusters')) keysRead.add(CLUSTERS);
    await this.commitAt(this.root, { ...commit, head: ROOT, since: since.stamps, keysRead }).catch((error: Error) => {
      // Without a decision others settle it, whenever they meet it.
      if (error instanceof Aborted) this.#openAll(change, false);
      throw error;
    });
    // No one reads the keys meanwhile: the answer needn't wait.
    this.#openAll(change, true);
  }

  /** Ends a closed change of another node, after it had some time to do so itself. */
  async resolve(cluster: SimulatedCluster, change: ClosedChange): Promise<void> {
    await this.#turns(this.network.random(12));
    const { closed } = await this.call(() => cluster.view());
    if (!closed.some(({ id }) => id === change.id)) return;
    const outcome = this.omits('the root settles what is closed')
      ? 'not applied'
      : await this.#settle(this.root, change.id, ROOT);
    await this.call(() => cluster.open(change, outcome !== 'not applied'));
  }

  /** Adds a cluster while the store is used. @throws Aborted, Unknown */
  async add(added: SimulatedCluster): Promise<void> {
    const left = await this.call(() => added.view());
    for (const change of left.closed) await this.resolve(added, change);
    const root = await this.call(() => this.root.view());
    const rows = new Map([...root.entries].filter(([key]) => headOf(key) === ROOT));
    const listed = rows.get(CLUSTERS) as Value;
    if (listed.includes(added.number)) return;
    if (!(await this.call(() => added.adopt(rows, root.stamps.get(ROOT) ?? 0)))) throw new Aborted();
    // It has read all of the root: nothing may change between the copy and the decision.
    await this.changeRoot({
      id: this.nextId(),
      since: root,
      keysRead: this.omits('adding a cluster reads the whole root') ? new Set() : new Set(rows.keys()),
      changes: new Map([[CLUSTERS, [...listed, added.number]]]),
    });
  }

  /** Moves a database to another cluster while it is used. Answers where it was. @throws Aborted, Unknown */
  async move(database: Head, target: SimulatedCluster): Promise<SimulatedCluster> {
    const id = this.nextId();
    const key = placementKey(database);
    const root = await this.call(() => this.root.view());
    await this.mustBeOpen(this.root, root, key);
    const source = this.clusters[root.entries.get(key)?.[0] ?? 0] as SimulatedCluster;
    if (source === target || !root.entries.get(CLUSTERS)?.includes(target.number)) return target;
    if (!(await this.call(() => target.stage(database, id)))) throw new Aborted();
    const copied = new Map<Key, Value>();
    // A piece whose answer is lost ends the move: sent again, it might overwrite a later one.
    const fill = async (piece: ReadonlyMap<Key, Value>, stamp: number) => {
      if (!(await this.call(() => target.fill(database, id, piece, stamp)))) throw new Aborted();
    };
    const copyRest = async () => {
      const { entries, stamps } = await this.call(() => source.view());
      const stamp = stamps.get(database) ?? 0;
      for (const [each, value] of entries) {
        if (headOf(each) !== database || copied.get(each) === value) continue;
        await fill(new Map([[each, value]]), stamp);
        copied.set(each, value);
      }
      await fill(new Map(), stamp);
    };
    await copyRest();
    const change = {
      id,
      since: root,
      keysRead: new Set([key]),
      changes: new Map([[key, [target.number]]]),
    };
    if (this.omits('a move closes the database')) await copyRest();
    await this.changeRoot(change, this.omits('a move closes the database') ? undefined : copyRest);
    // Where the source doesn't know of the move yet, it purges nothing.
    await this.call(() => source.purge(database)).catch(ignore);
    return source;
  }

  /** The clusters that a change goes to: those of the store, and one that it adds. */
  #listed({ entries }: View, { changes }: Pick<ClosedChange, 'changes'>): readonly SimulatedCluster[] {
    const listed = changes.get(CLUSTERS) ?? entries.get(CLUSTERS) ?? [];
    return listed.map((number) => this.clusters[number] as SimulatedCluster);
  }

  async #close(cluster: SimulatedCluster, change: ClosedChange): Promise<boolean> {
    try {
      const answer = await this.call(() => cluster.close(change));
      if (typeof answer === 'object') await this.resolve(cluster, answer);
      return answer === 'closed';
    } catch (error) {
      if (!(error instanceof Unknown)) throw error;
      return this.omits('closing of shards that are down');
    }
  }

  /** Gives a change up. It was never sent to be decided, and if it is left closed, others settle it. */
  async #drop(change: ChangeUnderWay): Promise<never> {
    const outcome = await this.#settle(this.root, change.id, ROOT).catch(() => undefined);
    if (outcome !== undefined) this.#openAll(change, outcome !== 'not applied');
    throw new Aborted();
  }

  #openAll(change: ChangeUnderWay, isApplied: boolean): void {
    for (const cluster of change.clusters) {
      const open = async () => {
        // Without closing, the change is copied to the clusters once it is decided.
        if (this.omits('closing') && isApplied) await this.call(() => cluster.close(change));
        await this.call(() => cluster.open(change, isApplied));
      };
      this.background.push(open().catch(ignore));
    }
  }

  async #settle(cluster: SimulatedCluster, id: string, head: Head): Promise<number | 'not applied'> {
    for (let left = 8; ; left--) {
      try {
        return await this.call(() => cluster.settle(id, head));
      } catch (error) {
        if (!(error instanceof Unknown) || left === 0) throw error;
      }
      await this.#turns(4);
    }
  }

  /** @throws Unknown this node is dead */
  async #turns(count: number): Promise<void> {
    await this.#pass(count);
    if (!this.isAlive) throw new Unknown();
  }

  async #pass(turns: number): Promise<void> {
    for (let left = turns; left > 0; left--) await this.network.lateness.answer(() => undefined);
  }
}

/** A transaction that writes under one head at most: that of `home`. */
export class ShardedTransaction {
  readonly #views = new Map<SimulatedCluster, { readonly view: View; readonly keysRead: Set<Key> }>();
  readonly #clusters = new Map<Head, SimulatedCluster>();
  readonly #writes = new Map<Key, Value>();

  constructor(
    private readonly node: ShardedNode,
    private readonly home: Head,
  ) {}

  /** Rows of the root are read from the copy in the cluster of the home. @throws Aborted, Unknown */
  async get(key: Key): Promise<Value> {
    const head = headOf(key) === ROOT ? this.home : headOf(key);
    const cluster = this.#clusters.get(head) ?? this.node.clusterOf(head);
    this.#clusters.set(head, cluster);
    let seen = this.#views.get(cluster);
    if (seen === undefined) {
      seen = { view: await this.node.call(() => cluster.view()), keysRead: new Set() };
      this.#views.set(cluster, seen);
    }
    await this.node.mustLiveIn(cluster, seen.view, head);
    if (headOf(key) === ROOT) await this.node.mustBeOpen(cluster, seen.view, key);
    if (head !== ROOT) seen.keysRead.add(placementKey(head));
    seen.keysRead.add(key);
    return this.#writes.get(key) ?? seen.view.entries.get(key) ?? [];
  }

  put(key: Key, value: Value): void {
    this.#writes.set(key, value);
  }

  /** The versionstamp of a commit in a database. @throws Aborted, Unknown */
  async commit(): Promise<number | undefined> {
    if (this.#writes.size === 0) return this.#judgeReads();
    const cluster = this.#clusters.get(this.home) as SimulatedCluster;
    const { view, keysRead } = this.#views.get(cluster) as { view: View; keysRead: Set<Key> };
    const commit = { id: this.node.nextId(), keysRead, changes: this.#writes };
    if (this.home !== ROOT) {
      return this.node.commitAt(cluster, { ...commit, head: this.home, since: view.stamps });
    }
    await this.node.changeRoot({ ...commit, since: view });
    return undefined;
  }

  /** What was read in several clusters was so at one time, if after the last snapshot none of it had changed. */
  async #judgeReads(): Promise<undefined> {
    if (this.#views.size < 2 || this.node.omits('reads of several shards are judged')) return;
    const judged = [...this.#views].map(([cluster, { view, keysRead }]) =>
      this.node.call(() => cluster.isUnchanged(view.stamps, keysRead)),
    );
    if ((await Promise.all(judged)).includes(false)) throw new Aborted();
  }
}

function ignore(): void {
  // What is left is settled by those who meet it.
}
