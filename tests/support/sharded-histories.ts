/**
 * Histories of transactions over a simulated store that is sharded by database, while nodes and clusters crash and
 * databases move, and whether they are strictly serializable. All follows from a seed.
 */
import { isDeepStrictEqual } from 'node:util';
import { anomaliesOf, type HistoryOperation, type HistoryTransaction } from './history-checker.js';
import { Lateness, seeded } from './late-engine.js';
import {
  CLUSTERS,
  type Head,
  headOf,
  type Key,
  type Omission,
  placementKey,
  ROOT,
  SimulatedCluster,
  type Value,
} from './sharded-cluster.js';
import { Aborted, type Network, ShardedNode, type ShardedTransaction, Unknown } from './sharded-node.js';

const DATABASES: readonly Head[] = [1, 2, 3];
const ROOT_KEYS: readonly Key[] = ['r/a', 'r/b'];
const keysOf = (head: Head): readonly Key[] => (head === ROOT ? ROOT_KEYS : [`${head}/x`, `${head}/y`]);

type Kind = 'database' | 'root' | 'one read' | 'many reads';
const KINDS: readonly Kind[] = ['database', 'database', 'database', 'root', 'root', 'one read', 'many reads'];

/** What has happened in a history, for those who want to know that it was enough. */
export interface Events {
  committed: number;
  moved: number;
  added: number;
  crashed: number;
}

/** Runs one history. What is wrong with it, in words. */
export async function runShardedHistory(
  seed: number,
  omission?: Omission,
  events: Events = { committed: 0, moved: 0, added: 0, crashed: 0 },
): Promise<readonly string[]> {
  return new ShardedHistory(seed, omission, events).run();
}

class ShardedHistory {
  readonly #random: (below: number) => number;
  readonly #network: Network;
  readonly #clusters: readonly SimulatedCluster[];
  readonly #nodes: ShardedNode[] = [];
  readonly #transactions: HistoryTransaction[] = [];
  /** Versionstamps of commits in databases. */
  readonly #stamps = new Map<number, number>();
  readonly #events: Events;
  /** How many clusters the store had at the beginning. */
  readonly #listed: number;
  #now = 0;
  #isOver = false;

  constructor(seed: number, omission: Omission | undefined, events: Events) {
    this.#random = seeded(seed);
    const random = this.#random;
    const lateness = new Lateness(1 + random(3), random);
    const reliability = [8, 30, 1_000_000][random(3)] as number;
    this.#network = { lateness, random, omission, reliability };
    const now = () => this.#now >> 2;
    this.#clusters = Array.from({ length: 2 + random(2) }, (_, at) => new SimulatedCluster(at, this.#network, now));
    // The others are added.
    const listed = this.#clusters.slice(0, 1 + random(this.#clusters.length));
    this.#listed = listed.length;
    const root = new Map<Key, Value>([[CLUSTERS, listed.map(({ number }) => number)]]);
    // Ranges aren't simulated: all rows are there from the beginning.
    for (const key of ROOT_KEYS) root.set(key, []);
    for (const database of DATABASES) root.set(placementKey(database), [random(listed.length)]);
    for (const { entries } of listed) for (const [key, value] of root) entries.set(key, value);
    this.#events = events;
  }

  async run(): Promise<readonly string[]> {
    const clients = Array.from({ length: 2 + this.#random(2) }, () => this.#startNode()).flatMap((_, at) => [
      this.#client(at),
      this.#client(at),
    ]);
    const movers = Array.from({ length: this.#random(3) }, (_, at) => this.#mover(at));
    const crashes = this.#crashes();
    await Promise.all([...clients, ...movers]);
    this.#isOver = true;
    await crashes;
    return this.#end();
  }

  #startNode(): ShardedNode {
    const node = new ShardedNode(`n${this.#nodes.length}`, this.#clusters, this.#network);
    this.#nodes.push(node);
    return node;
  }

  async #client(at: number): Promise<void> {
    let node = this.#nodes[at] as ShardedNode;
    for (let left = 3 + this.#random(8); left > 0; left--) {
      // Another one is started in its place.
      if (!node.isAlive) node = this.#startNode();
      const kind = pick(KINDS, this.#random);
      for (let tries = 3; tries > 0; tries--) if ((await this.#transact(node, kind)) !== 'aborted') break;
    }
  }

  /** Moves a database to and fro, as long as others use it. */
  async #mover(at: number): Promise<void> {
    let node = this.#nodes[at] as ShardedNode;
    const database = pick(DATABASES, this.#random);
    let target = pick(this.#clusters, this.#random);
    await this.#add(node);
    for (let left = 1 + this.#random(6); left > 0; left--) {
      if (!node.isAlive) node = this.#startNode();
      try {
        const source = await node.move(database, target);
        if (source !== target) this.#events.moved++;
        target = this.#random(2) === 0 ? source : pick(this.#clusters, this.#random);
      } catch (error) {
        mustBeExpected(error);
      }
    }
  }

  async #add(node: ShardedNode): Promise<void> {
    for (const cluster of this.#clusters) {
      if (this.#random(4) === 0) await this.#pass(this.#random(40));
      for (let tries = 2; tries > 0; tries--) await node.add(cluster).catch(mustBeExpected);
    }
  }

  /** Crashes of clusters and nodes at any time. */
  async #crashes(): Promise<void> {
    for (let left = this.#random(4); left > 0 && !this.#isOver; left--) {
      await this.#pass(5 + this.#random(40));
      this.#events.crashed++;
      if (this.#random(3) === 0) {
        pick(this.#nodes, this.#random).isAlive = false;
        continue;
      }
      const cluster = pick(this.#clusters, this.#random);
      cluster.crash();
      await this.#pass(this.#random(25));
      cluster.start();
    }
  }

  async #transact(node: ShardedNode, kind: Kind): Promise<HistoryTransaction['outcome']> {
    const random = this.#random;
    const home = kind === 'root' ? ROOT : pick(DATABASES, random);
    const id = this.#transactions.length;
    const operations: HistoryOperation[] = [];
    const transaction = node.begin(home);
    const began = ++this.#now;
    // Its place in the list, as others begin meanwhile.
    this.#transactions.push({ id, node: node.name, began, ended: began, outcome: 'unknown', operations });
    const readable = kind === 'many reads' ? DATABASES.flatMap(keysOf) : [...ROOT_KEYS, ...keysOf(home)];
    let outcome: HistoryTransaction['outcome'] = 'committed';
    try {
      for (const key of drawn(readable, 1 + random(5), random)) {
        await read(transaction, key, operations);
        // Some clients take their time.
        if (random(5) === 0) await this.#pass(random(20));
      }
      if (kind === 'database' || kind === 'root') {
        for (const key of drawn(keysOf(home), 1 + random(2), random)) await append(transaction, key, id, operations);
      }
      const stamp = await transaction.commit();
      if (stamp !== undefined) this.#stamps.set(id, stamp);
      this.#events.committed++;
    } catch (error) {
      mustBeExpected(error);
      outcome = error instanceof Aborted ? 'aborted' : 'unknown';
    }
    this.#transactions[id] = { id, node: node.name, began, ended: ++this.#now, outcome, operations };
    return outcome;
  }

  /** Lets everything arrive, reads everything, and judges the history. */
  async #end(): Promise<readonly string[]> {
    this.#network.reliability = 1_000_000;
    for (const { background } of this.#nodes) await Promise.all(background);
    const node = this.#startNode();
    const problems: string[] = [];
    for (const cluster of this.#clusters) {
      for (const change of [...cluster.closed.values()]) await node.resolve(cluster, change);
      if (cluster.closed.size > 0) problems.push(`cluster ${cluster.number} still has closed keys`);
    }
    const last = await this.#readAll(node);
    if (last.size === 0) problems.push('what is stored can not be read');
    const listed = this.#clusters[0]?.entries.get(CLUSTERS) ?? [];
    this.#events.added += listed.length - this.#listed;
    const [root, ...copies] = listed.map((at) =>
      [...(this.#clusters[at]?.entries ?? [])].filter(([key]) => headOf(key) === ROOT).sort(),
    );
    if (copies.some((copy) => !isDeepStrictEqual(copy, root))) problems.push('the copies of the root differ');
    return [...anomaliesOf(this.#transactions), ...this.#stampProblems(last), ...problems];
  }

  async #readAll(node: ShardedNode): Promise<ReadonlyMap<Key, Value>> {
    const keys = [...ROOT_KEYS, ...DATABASES.flatMap(keysOf)];
    // It has to find out where databases are.
    for (let left = 20; left > 0; left--) {
      const operations: HistoryOperation[] = [];
      const transaction = node.begin(ROOT);
      const [id, began] = [this.#transactions.length, ++this.#now];
      try {
        for (const key of keys) await read(transaction, key, operations);
        await transaction.commit();
      } catch (error) {
        mustBeExpected(error);
        continue;
      }
      this.#transactions.push({ id, node: 'last', began, ended: ++this.#now, outcome: 'committed', operations });
      return new Map(operations.map((each) => [each.key, each.kind === 'list' ? each.found : []]));
    }
    return new Map();
  }

  /** The versionstamps of a database ascend in the order of its commits, wherever they were made. */
  #stampProblems(last: ReadonlyMap<Key, Value>): string[] {
    return [...last].flatMap(([key, writers]) => {
      const stamps = writers.flatMap((writer) => this.#stamps.get(writer) ?? []);
      const isAscending = stamps.every((stamp, at) => at === 0 || stamp > (stamps[at - 1] as number));
      return isAscending ? [] : [`the versionstamps of ${key} don't ascend: ${stamps.join(' ')}`];
    });
  }

  async #pass(turns: number): Promise<void> {
    for (let left = turns; left > 0; left--) await this.#network.lateness.answer(() => undefined);
  }
}

async function read(transaction: ShardedTransaction, key: Key, operations: HistoryOperation[]): Promise<void> {
  operations.push({ kind: 'list', key, found: await transaction.get(key) });
}

async function append(
  transaction: ShardedTransaction,
  key: Key,
  id: number,
  operations: HistoryOperation[],
): Promise<void> {
  const before = await transaction.get(key);
  transaction.put(key, [...before, id]);
  operations.push({ kind: 'append', key, before });
}

function mustBeExpected(error: unknown): void {
  if (!(error instanceof Aborted || error instanceof Unknown)) throw error;
}

function pick<T>(items: readonly T[], random: (below: number) => number): T {
  return items[random(items.length)] as T;
}

/** Some of them, each once. */
function drawn<T>(items: readonly T[], count: number, random: (below: number) => number): T[] {
  const left = [...items];
  return Array.from({ length: Math.min(count, left.length) }, () => left.splice(random(left.length), 1)[0] as T);
}
