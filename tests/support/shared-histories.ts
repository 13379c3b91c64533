/** Histories of transactions of several processes on one store, and whether they are serializable in the order of their versionstamps. */
import { isDeepStrictEqual } from 'node:util';
import { TesseraError } from '../../src/errors/error.js';
import type { Engine, Entry, Key, KeyRange, Stored, Transaction } from '../../src/storage/contract.js';
import { seeded } from './late-engine.js';

const KEYS: readonly Key[] = Array.from({ length: 12 }, (_, at) => `key/${String.fromCharCode(97 + at)}`);
const RANGES: readonly KeyRange[] = [
  { from: 'key/', to: 'key0' },
  { from: 'key/c', to: 'key/h' },
  { from: 'log/', to: 'log0' },
];

type Read =
  | { readonly key: Key; readonly found: Stored | null }
  | { readonly range: KeyRange; readonly found: readonly Entry[] }
  | { readonly range: KeyRange; readonly count: number };

/** A transaction that has committed, as it can be written down. */
export interface CommittedHistory {
  /** What it read of the store, before it wrote anything. */
  readonly reads: readonly Read[];
  readonly writes: readonly (readonly [Key, Stored | null])[];
  readonly appended: readonly Stored[];
  /** Of its commit; absent if it wrote nothing. */
  readonly stamp?: string;
}

/** Runs transactions, four at a time, and hands over each that has committed. */
export async function runTransactions(
  engine: Engine,
  seed: number,
  count: number,
  committed: (history: CommittedHistory) => void,
): Promise<void> {
  const random = seeded(seed);
  const client = async (id: number) => {
    for (let made = 0; made < count / 4; made++) {
      const history = await runOne(engine, `${seed}.${id}.${made}`, random);
      if (history !== undefined) committed(history);
    }
  };
  await Promise.all([0, 1, 2, 3].map(client));
}

type Random = (below: number) => number;

function pick<T>(items: readonly T[], random: Random): T {
  return items[random(items.length)]!;
}

async function runOne(engine: Engine, id: string, random: Random): Promise<CommittedHistory | undefined> {
  const writable = random(4) > 0;
  const transaction = await engine.begin({ writable });
  try {
    const reads: Read[] = [];
    for (let left = 1 + random(3); left > 0; left--) reads.push(await readSomething(transaction, random));
    // Others get between the reads and the commit.
    if (random(2) === 0) await new Promise(setImmediate);
    const writes: [Key, Stored | null][] = [];
    const appended: Stored[] = [];
    if (writable) {
      for (let left = 1 + random(3); left > 0; left--) {
        const key = pick(KEYS, random);
        const value = random(5) === 0 ? null : `${id}.${left}`;
        writes.push([key, value]);
        if (value === null) transaction.delete(key);
        else transaction.put(key, value);
      }
      if (random(12) === 0) {
        transaction.append('log/', id);
        appended.push(id);
      }
    }
    let stamp: string | undefined;
    if (writable) {
      transaction.afterCommit((last) => {
        stamp = String(last);
      });
    }
    await transaction.commit();
    return { reads, writes, appended, ...(stamp !== undefined && { stamp }) };
  } catch (error) {
    transaction.cancel();
    if (error instanceof TesseraError && error.code === 'transaction_conflict') return undefined;
    throw error;
  }
}

async function readSomething(transaction: Transaction, random: Random): Promise<Read> {
  if (random(2) === 0) {
    const key = pick(KEYS, random);
    return { key, found: (await transaction.get(key)) ?? null };
  }
  const range = pick(RANGES, random);
  if (random(3) === 0) return { range, count: await transaction.count(range) };
  const found: Entry[] = [];
  const cursor = transaction.scan(range, { reverse: random(2) === 0 });
  for (let batch = await cursor.next(); batch !== undefined; batch = await cursor.next()) found.push(...batch);
  return { range, found: found.map(([key, value]): Entry => [key.startsWith('log/') ? 'log/' : key, value]).sort() };
}

/**
 * Makes sure that every transaction has read what those before it have written, and that those that wrote nothing have
 * seen a state that there was. Answers the last state.
 * @throws Error what isn't as it should be
 */
export function checkHistories(histories: readonly CommittedHistory[]): ReadonlyMap<Key, Stored> {
  const writers = histories.filter(({ stamp }) => stamp !== undefined);
  writers.sort((one, other) => (BigInt(one.stamp!) < BigInt(other.stamp!) ? -1 : 1));
  const state = new Map<Key, Stored>();
  const states = [new Map(state)];
  for (const [at, history] of writers.entries()) {
    if (at > 0 && writers[at - 1]!.stamp === history.stamp)
      throw new Error(`versionstamp ${history.stamp} given twice`);
    if (!agrees(history, state)) throw new Error(`not serializable: ${JSON.stringify(history)}`);
    for (const [key, value] of history.writes) {
      if (value === null) state.delete(key);
      else state.set(key, value);
    }
    for (const value of history.appended) state.set(`log/${history.stamp}`, value);
    states.push(new Map(state));
  }
  for (const history of histories) {
    if (history.stamp === undefined && !states.some((each) => agrees(history, each))) {
      throw new Error(`a state that there never was: ${JSON.stringify(history)}`);
    }
  }
  return state;
}

function agrees({ reads }: CommittedHistory, state: ReadonlyMap<Key, Stored>): boolean {
  return reads.every((read) => {
    if ('key' in read) return isDeepStrictEqual(read.found, state.get(read.key) ?? null);
    const { from, to } = read.range;
    const entries = [...state].filter(([key]) => key >= from && key < to);
    if ('count' in read) return read.count === entries.length;
    const found = entries.map(([key, value]): Entry => [key.startsWith('log/') ? 'log/' : key, value]).sort();
    return isDeepStrictEqual(read.found, found);
  });
}
