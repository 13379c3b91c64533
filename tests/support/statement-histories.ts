/**
 * Clients of several servers on one store, which run random transactions over HTTP and note what they have seen: lists that are appended to, registers
 * that are read and overwritten, and records that are found by a condition. `history-checker.ts` judges the history.
 */
import { realEnvironment } from '../../src/env/real.js';
import type { HistoryOperation, HistoryTransaction } from './history-checker.js';
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
  readonly root: { readonly user: string; readonly pass: string };
}

/** Keys change after so many transactions, so that lists stay short. */
const WINDOW = 150;
const KEYS_AT_ONCE = 4;
/** Milliseconds without an answer after which a client gives up. */
const PATIENCE = 20_000;

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
  readonly kind: Kind;
  readonly key: number;
}

interface Entry {
  readonly status: 'OK' | 'ERR';
  readonly result: unknown;
}

export class HistoryClients {
  readonly history: HistoryTransaction[] = [];
  /** How many transactions were acknowledged by each node. */
  readonly acknowledged = new Map<string, number>();
  /** Why transactions were not, and how often. */
  readonly failures = new Map<string, number>();
  readonly #nodes: readonly HistoryNode[];
  readonly #options: HistoryOptions;
  #token = '';
  #lastId = 0;

  constructor(nodes: readonly HistoryNode[], options: HistoryOptions) {
    this.#nodes = nodes;
    this.#options = options;
  }

  /** Makes the tables, through the first node. */
  async prepare(): Promise<void> {
    const [first] = this.#nodes;
    const body = JSON.stringify(this.#options.root);
    const response = await fetch(`${first?.url}/signin`, {
      method: 'POST',
      headers: { accept: 'application/json' },
      body,
    });
    this.#token = ((await response.json()) as { token: string }).token;
    await this.#send(first as HistoryNode, SCHEMA);
  }

  /** Runs transactions until `isOver`, each client one after the other. */
  async run(isOver: () => boolean): Promise<void> {
    const { clients, seed } = this.#options;
    const client = async (number: number) => {
      const random = seeded(seed * 1_000 + number);
      while (!isOver()) {
        const id = ++this.#lastId;
        const node = this.#nodes[random(this.#nodes.length)] as HistoryNode;
        if (!(await this.#transact(id, node, drawn(id, random)))) await realEnvironment.timers.wait(5);
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
        all.set(`${table} ${key}`, { kind: read, key: Number(key.split(' ')[1]) });
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
    const statements = wanted.map(({ kind, key }) => STATEMENTS[kind][1](key, id));
    const text = statements.length === 1 ? (statements[0] as string) : `BEGIN; ${statements.join('; ')}; COMMIT`;
    const began = clock.monotonic();
    const { outcome, results } = await this.#outcomeOf(node, text);
    const ended = clock.monotonic();
    const own = statements.length === 1 ? results : results.slice(1, -1);
    const operations = wanted.map((each, at) => operationOf(each, outcome === 'committed' ? own[at] : undefined));
    this.history.push({ id, node: node.name, began, ended, outcome, operations });
    if (outcome === 'committed') this.acknowledged.set(node.name, (this.acknowledged.get(node.name) ?? 0) + 1);
    return outcome === 'committed';
  }

  async #outcomeOf(
    node: HistoryNode,
    text: string,
  ): Promise<{ readonly outcome: HistoryTransaction['outcome']; readonly results: readonly unknown[] }> {
    const none: readonly unknown[] = [];
    try {
      const entries = await this.#send(node, text);
      const failed = entries.filter(({ status }) => status === 'ERR').map(({ result }) => String(result));
      if (failed.length === 0) return { outcome: 'committed', results: entries.map(({ result }) => result) };
      const reason = failed.find((each) => !each.includes('not executed')) ?? String(failed[0]);
      this.#count(reason);
      return { outcome: failed.some(isUnknown) ? 'unknown' : 'aborted', results: none };
    } catch (error) {
      const { message, cause } = error as { readonly message: string; readonly cause?: { readonly code?: string } };
      this.#count(cause?.code ?? message);
      return {
        outcome: error instanceof Refused && !isUnknown(message) ? 'aborted' : isUnsent(cause?.code),
        results: none,
      };
    }
  }

  /** Those that differ only in a time are one. */
  #count(reason: string): void {
    const kind = reason.replaceAll(/\d+ ms/g, 'N ms');
    this.failures.set(kind, (this.failures.get(kind) ?? 0) + 1);
  }

  async #send(node: HistoryNode, text: string): Promise<readonly Entry[]> {
    const headers = {
      accept: 'application/json',
      authorization: `Bearer ${this.#token}`,
      'svc-ns': 'test',
      'svc-db': 'test',
    };
    const signal = AbortSignal.timeout(PATIENCE);
    const response = await fetch(`${node.url}/sql`, { method: 'POST', headers, body: text, signal });
    const answer = await response.text();
    if (!response.ok) throw new Refused(answer);
    return JSON.parse(answer) as readonly Entry[];
  }
}

/** The server has answered that it did nothing. */
class Refused extends Error {}

function isUnknown(message: string): boolean {
  return message.includes('unknown whether');
}

/** What never reached a server was not done. */
function isUnsent(code: string | undefined): 'aborted' | 'unknown' {
  return code === 'ECONNREFUSED' ? 'aborted' : 'unknown';
}

/** Up to four operations, each of another kind or key. */
function drawn(id: number, random: (below: number) => number): Wanted[] {
  const wanted = new Map<string, Wanted>();
  const window = Math.floor(id / WINDOW) * KEYS_AT_ONCE;
  for (let left = 1 + random(4); left > 0; left--) {
    const kind = KINDS[random(KINDS.length)] as Kind;
    const key = window + random(KEYS_AT_ONCE);
    // What a transaction has written itself it would read again.
    wanted.set(`${STATEMENTS[kind][0]} ${key}`, { kind, key });
  }
  return [...wanted.values()];
}

const listed = (result: unknown) => (result === null || result === undefined ? [] : (result as readonly number[]));

/** With what was seen, if the transaction was committed. */
function operationOf({ kind, key: number }: Wanted, result: unknown): HistoryOperation {
  const key = `${STATEMENTS[kind][0]} ${number}`;
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
