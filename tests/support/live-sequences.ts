/**
 * Live queries on one table of several servers, and writers that note what was acknowledged: whether all queries were
 * notified of the same, in the same order, of each write once, and of nothing else.
 */
import { realEnvironment } from '../../src/env/real.js';
import { JudgedRequests, type Outcome } from './judged-requests.js';
import { seeded } from './late-engine.js';
import { RpcConnection } from './rpc-connection.js';
import type { HistoryNode } from './statement-histories.js';

/** A write puts its number into a record. */
export interface SequenceWrite {
  readonly number: number;
  readonly record: string;
  /** Of one clock. */
  readonly began: number;
  readonly ended: number;
  readonly outcome: Outcome;
}

/** What a live query says of a change. */
export interface SequenceItem {
  readonly action: string;
  readonly record: string;
  readonly number: number;
  /** What the record held before. */
  readonly old: number | null;
}

/** What one live query was notified of, since its LIVE was answered. */
export interface Sequence {
  readonly name: string;
  readonly items: readonly SequenceItem[];
  readonly since: number;
  /** Why it ended, if it did. */
  readonly end: string | undefined;
}

/** What is wrong with the sequences of one database, in words. The first one is there from the beginning to the end. */
export function faultsOf(sequences: readonly Sequence[], writes: readonly SequenceWrite[]): string[] {
  const [first, ...others] = sequences as readonly [Sequence, ...Sequence[]];
  const faults = faultsOfWhole(first.items, new Map(writes.map((write) => [write.number, write])));
  for (const other of others) faults.push(...differences(first.items, other, writes));
  return faults;
}

function faultsOfWhole(items: readonly SequenceItem[], writes: ReadonlyMap<number, SequenceWrite>): string[] {
  const faults: string[] = [];
  const seen = new Set<number>();
  /** What each record holds. */
  const held = new Map<string, number>();
  let lastBegan = Number.NEGATIVE_INFINITY;
  for (const { action, record, number, old } of items) {
    const write = writes.get(number);
    const what = `${action} of ${record} with ${number}`;
    if (write?.record !== record) faults.push(`${what}, which was never written`);
    if (write?.outcome === 'aborted') faults.push(`${what}, which was aborted`);
    if (seen.has(number)) faults.push(`${what} twice`);
    seen.add(number);
    const before = held.get(record);
    if (old !== (before ?? null)) faults.push(`${what}, after ${old} rather than ${before}`);
    if (action !== (before === undefined ? 'CREATE' : 'UPDATE')) faults.push(`${what}, of a record with ${before}`);
    held.set(record, number);
    if (write === undefined) continue;
    if (write.outcome === 'committed' && write.ended < lastBegan)
      faults.push(`${what}, behind one that began after it had been acknowledged`);
    lastBegan = Math.max(lastBegan, write.began);
  }
  for (const { number, outcome, record } of writes.values())
    if (outcome === 'committed' && !seen.has(number)) faults.push(`nothing of ${number} of ${record}`);
  return faults;
}

/** One that began later, or ended earlier, has a part of the whole. */
function differences(
  whole: readonly SequenceItem[],
  { name, items, since, end }: Sequence,
  writes: readonly SequenceWrite[],
): string[] {
  const [head] = items;
  const from = head === undefined ? 0 : whole.findIndex(({ number }) => number === head.number);
  const at = items.findIndex((item, index) => JSON.stringify(item) !== JSON.stringify(whole[from + index]));
  if (from < 0 || at >= 0)
    return [`${name} differs at ${at} from ${from} on: ${JSON.stringify(items[Math.max(at, 0)])}`];
  const skipped = new Set(whole.slice(0, from).map(({ number }) => number));
  const faults = writes
    .filter(({ number, began }) => began > since && skipped.has(number))
    .map(({ number }) => `${name} lacks ${number}, which began after its LIVE`);
  if (end === undefined && from + items.length < whole.length) faults.push(`${name} has not come to the end`);
  return faults;
}

/** A live query on the table `t` of a database, over a connection of its own. */
export class SequenceWatcher implements Sequence {
  readonly items: SequenceItem[] = [];
  end: string | undefined;
  since = 0;

  private constructor(
    readonly name: string,
    private readonly connection: RpcConnection<LiveMessage>,
  ) {
    connection.listen((message) => this.#take(message));
    // A KILLED of before says more.
    void connection.closed.then((why) => {
      this.end ??= why;
    });
  }

  static async start(
    { name, url }: HistoryNode,
    database: string,
    root: { readonly user: string; readonly pass: string },
  ): Promise<SequenceWatcher> {
    const connection = await RpcConnection.open<LiveMessage>(url);
    const watcher = new SequenceWatcher(`${name} in ${database}`, connection);
    await connection.ask('signin', root);
    await connection.ask('use', 'test', database);
    await connection.query('LIVE SELECT v, $before.v AS old FROM t');
    watcher.since = realEnvironment.clock.monotonic();
    return watcher;
  }

  close(): void {
    this.connection.cut();
  }

  #take(message: LiveMessage): void {
    const { action, record, result } = message;
    if (action === 'KILLED') this.end ??= JSON.stringify(message);
    else this.items.push({ action, record, number: result.v, old: result.old ?? null });
  }
}

interface LiveMessage {
  readonly action: string;
  readonly record: string;
  readonly result: { readonly v: number; readonly old?: number | null };
}

/** Writers of several databases through all servers. */
export class SequenceWriters {
  /** Of each database. */
  readonly writes = new Map<string, SequenceWrite[]>();
  readonly failures = new Map<string, number>();
  readonly #requests = new JudgedRequests();
  #lastNumber = 0;

  constructor(
    private readonly nodes: readonly HistoryNode[],
    private readonly databases: readonly string[],
  ) {
    for (const database of databases) this.writes.set(database, []);
  }

  /** Makes the tables. */
  async prepare(root: { readonly user: string; readonly pass: string }): Promise<void> {
    const { url } = this.nodes[0] as HistoryNode;
    await this.#requests.signIn(url, root);
    for (const database of this.databases) await this.#requests.mustRun(url, database, 'DEFINE TABLE t');
  }

  /** So many for each server and database write until `isOver`, to records of their own and to some that all write. */
  async run(each: number, seed: number, isOver: () => boolean): Promise<void> {
    let writerCount = 0;
    const writer = async (node: HistoryNode, database: string, number: number) => {
      // One of its own, so that the moments of others don't change what it draws.
      const random = seeded(seed * 1_000 + ++writerCount);
      const own = `t:${node.name.replace(' ', '')}_${number}`;
      while (!isOver()) {
        const record = random(2) === 0 ? own : `t:all_${random(8)}`;
        if ((await this.write(node, database, record)) !== 'committed') await realEnvironment.timers.wait(10);
      }
    };
    const numbers = Array.from({ length: each }, (_, number) => number);
    const writers = this.nodes.flatMap((node) =>
      this.databases.flatMap((database) => numbers.map((number) => writer(node, database, number))),
    );
    await Promise.all(writers);
  }

  async write({ url }: HistoryNode, database: string, record: string): Promise<Outcome> {
    const { clock } = realEnvironment;
    const number = ++this.#lastNumber;
    const began = clock.monotonic();
    const text = `UPSERT ${record} SET v = ${number} RETURN NONE`;
    const { outcome, reason } = await this.#requests.run(url, database, text);
    if (reason !== undefined) this.failures.set(reason, (this.failures.get(reason) ?? 0) + 1);
    this.writes.get(database)?.push({ number, record, began, ended: clock.monotonic(), outcome });
    return outcome;
  }
}
