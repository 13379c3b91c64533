/**
 * Clients of several servers on one store, which run random transactions over HTTP and note what they have seen: lists
 * that are appended to, registers that are read and overwritten, and records that are found by a condition. They are in
 * one database or in several, and the history of all is one: `history-checker.ts` judges it.
 */
import { realEnvironment } from '../../src/env/real.js';
import type { HistoryOperation, HistoryTransaction } from './history-checker.js';
import { JudgedRequests } from './judged-requests.js';
import { seeded } from './late-engine.js';

/** A server; one that isn't there at the moment is asked all the same. */
export interface HistoryNode {
  readonly name: string;
  url: string;
}

export interface HistoryOptions {
  readonly seed: number;
  /** How many run transactions at once. */
  readonly clients: number;
  /** The names of the databases. */
  readonly databases?: readonly string[];
  readonly root: { readonly user: string; readonly pass: string };
}

/** Keys change after so many transactions for each database, so that lists stay short. */
const WINDOW = 150;
const KEYS_AT_ONCE = 4;
/** Of so many transactions one goes over two databases, by `USE`; the others are each within one. */
const OVER_TWO = 6;

const SCHEMA = 'DEFINE TABLE list; DEFINE TABLE register; DEFINE TABLE item; DEFINE INDEX shelf ON item FIELDS shelf';

type Kind = HistoryOperation['kind'];

/** The table of each kind, and its statement. */
const STATEMENTS: Readonly<
  Record<Kind, readonly [table: 'list' | 'register' | 'item', text: (key: number, id: number) => string]>
> = {
  append: [
    'list',
    (key, id) => `UPSERT ONLY list:${key} SET items = array::append(items ?? [], ${id}) RETURN VALUE $before.items`,
  ],
  list: ['list', (key) => `SELECT VALUE items FROM ONLY list:${key}`],
  write: ['register', (key, id) => `UPSERT ONLY register:${key} SET value = ${id} RETURN VALUE $before.value`],
  register: ['register', (key) => `SELECT VALUE value FROM ONLY register:${key}`],
  insert: ['item', (key, id) => `CREATE item SET shelf = ${key}, tag = ${id} RETURN NONE`],
  search: ['item', (key) => `SELECT VALUE tag FROM item WHERE shelf = ${key}`],
};
const KINDS = Object.keys(STATEMENTS) as Kind[];

interface Wanted {
  readonly database: string;
  readonly kind: Kind;
  readonly key: number;
}

export class HistoryClients {
  readonly history: HistoryTransaction[] = [];
  /** How many transactions were acknowledged by each node. */
  readonly acknowledged = new Map<string, number>();
  /** Why transactions were not, and how often. */
  readonly failures = new Map<string, number>();
  readonly #nodes: readonly HistoryNode[];
  readonly #options: HistoryOptions;
  readonly #databases: readonly string[];
  readonly #requests = new JudgedRequests();
  #lastId = 0;

  constructor(nodes: readonly HistoryNode[], options: HistoryOptions) {
    this.#nodes = nodes;
    this.#options = options;
    this.#databases = options.databases ?? ['test'];
  }

  /** Makes the databases and their tables, through the first node. */
  async prepare(): Promise<void> {
    const [first] = this.#nodes as readonly [HistoryNode];
    await this.#requests.signIn(first.url, this.#options.root);
    for (const database of this.#databases) await this.#requests.mustRun(first.url, database, SCHEMA);
  }

  /** Runs transactions until `isOver`, each client one after the other. */
  async run(isOver: () => boolean): Promise<void> {
    const { clients, seed } = this.#options;
    const client = async (number: number) => {
      const random = seeded(seed * 1_000 + number);
      while (!isOver()) {
        const id = ++this.#lastId;
        const node = this.#nodes[random(this.#nodes.length)] as HistoryNode;
        if (!(await this.#transact(id, node, drawn(id, this.#databases, random))))
          await realEnvironment.timers.wait(10);
      }
    };
    await Promise.all(Array.from({ length: clients }, (_, number) => client(number)));
  }

  /** Reads every key at the end, by one transaction for each. */
  async readAll(node: HistoryNode): Promise<void> {
    const all = new Map<string, Wanted>();
    for (const { operations } of this.history) {
      for (const { kind, key } of operations) {
        const [table] = STATEMENTS[kind];
        const read: Kind = table === 'item' ? 'search' : table;
        const [database, , number] = key.split(' ') as [string, string, string];
        all.set(key, { database, kind: read, key: Number(number) });
      }
    }
    const left = all.values();
    await Promise.all(Array.from({ length: this.#options.clients }, () => this.#readEach(node, left)));
  }

  async #readEach(node: HistoryNode, left: Iterable<Wanted>): Promise<void> {
    for (const wanted of left) {
      // A busy node may refuse now and then.
      let attempts = 100;
      while (!(await this.#transact(++this.#lastId, node, [wanted]))) {
        if (--attempts === 0) throw new Error(`${node.name} doesn't answer at the end`);
        await realEnvironment.timers.wait(100);
      }
    }
  }

  /** Whether it was committed. */
  async #transact(id: number, node: HistoryNode, wanted: readonly Wanted[]): Promise<boolean> {
    const { clock } = realEnvironment;
    const { text, database, places } = requestOf(id, wanted);
    const began = clock.monotonic();
    const { outcome, results, reason } = await this.#requests.run(node.url, database, text);
    const ended = clock.monotonic();
    if (reason !== undefined) this.failures.set(reason, (this.failures.get(reason) ?? 0) + 1);
    const found = (at: number) => (outcome === 'committed' ? results[places[at] as number] : undefined);
    const operations = wanted.map((each, at) => operationOf(each, found(at)));
    this.history.push({ id, node: node.name, began, ended, outcome, operations });
    if (outcome === 'committed') this.acknowledged.set(node.name, (this.acknowledged.get(node.name) ?? 0) + 1);
    return outcome === 'committed';
  }
}

/** Up to four operations, each of another kind or key, in one database, or now and then in two. */
function drawn(id: number, databases: readonly string[], random: (below: number) => number): Wanted[] {
  const wanted = new Map<string, Wanted>();
  const window = Math.floor(id / (WINDOW * databases.length)) * KEYS_AT_ONCE;
  const one = databases[random(databases.length)] as string;
  const isOverTwo = databases.length > 1 && random(OVER_TWO) === 0;
  const two = isOverTwo ? (databases[random(databases.length)] as string) : one;
  for (let left = 1 + random(4) + Number(isOverTwo); left > 0; left--) {
    const kind = KINDS[random(KINDS.length)] as Kind;
    const key = window + random(KEYS_AT_ONCE);
    const database = left % 2 === 0 ? one : two;
    // What a transaction has written itself it would read again.
    wanted.set(nameOf({ database, kind, key }), { database, kind, key });
  }
  return [...wanted.values()];
}

/** A key of the history: none of one database is one of another. */
function nameOf({ database, kind, key }: Wanted): string {
  return `${database} ${STATEMENTS[kind][0]} ${key}`;
}

interface HistoryRequest {
  readonly text: string;
  /** The one that it begins in. */
  readonly database: string;
  /** Which result each operation has. */
  readonly places: readonly number[];
}

function requestOf(id: number, wanted: readonly Wanted[]): HistoryRequest {
  const [{ database }] = wanted as readonly [Wanted];
  const statements: string[] = wanted.length === 1 ? [] : ['BEGIN'];
  const places: number[] = [];
  let used = database;
  for (const each of wanted) {
    if (each.database !== used) statements.push(`USE DB ${each.database}`);
    used = each.database;
    places.push(statements.length);
    statements.push(STATEMENTS[each.kind][1](each.key, id));
  }
  if (wanted.length > 1) statements.push('COMMIT');
  return { text: statements.join('; '), database, places };
}

const listed = (result: unknown) => (result === null || result === undefined ? [] : (result as readonly number[]));

/** With what was seen, if the transaction was committed. */
function operationOf(wanted: Wanted, result: unknown): HistoryOperation {
  const { kind } = wanted;
  const key = nameOf(wanted);
  switch (kind) {
    case 'append':
      return { kind, key, before: result === undefined ? undefined : listed(result) };
    case 'write':
      return { kind, key, before: result as number | null | undefined };
    case 'insert':
      return { kind, key };
    case 'register':
      return { kind, key, found: (result ?? null) as number | null };
    default:
      return { kind, key, found: listed(result) };
  }
}
