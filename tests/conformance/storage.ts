import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Timers } from '../../src/env/environment.js';
import { failure, TesseraError } from '../../src/errors/error.js';
import type { Engine, Entry, Key, KeyRange, ScanOptions, Stored, Transaction } from '../../src/storage/contract.js';
import { withRetries } from '../../src/storage/retry.js';
import { stampIn } from '../../src/storage/transaction/append.js';
import { ReadSet } from '../../src/storage/transaction/read-set.js';
import { StubbedEnvironment } from '../support/environment.js';
import { reservationConformance } from './reservations.js';

/** An engine under test. */
export interface StorageFixture {
  readonly engine: Engine;
  /** The snapshot of a transaction is taken at its first read rather than when it begins. */
  readonly snapshotAtFirstRead?: true;
  /** Lets commits end that aren't kept waiting. */
  settle?(rounds?: number): Promise<void>;
  /** Closes the engine and opens the same store again; absent where nothing outlives the engine. */
  reopen?(): Promise<Engine>;
  /** Closes the engine and removes what it stored. */
  dispose(): Promise<void>;
}

/** Opens an empty store. */
export type OpenStorage = (timers: Timers) => Promise<StorageFixture>;

export const EVERYTHING: KeyRange = { from: '', to: '\xff\xff\xff\xff' };

export async function scanAll(
  transaction: Transaction,
  range: KeyRange = EVERYTHING,
  options?: ScanOptions,
): Promise<Entry[]> {
  const entries: Entry[] = [];
  const cursor = transaction.scan(range, options);
  for (let batch = await cursor.next(); batch !== undefined; batch = await cursor.next()) {
    expect(batch.length).toBeGreaterThan(0);
    entries.push(...batch);
  }
  return entries;
}

async function scanKeys(transaction: Transaction, range?: KeyRange, options?: ScanOptions): Promise<Key[]> {
  return (await scanAll(transaction, range, options)).map(([key]) => key);
}

export async function code(work: () => unknown): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof TesseraError) return error.code;
    throw error;
  }
}

/** What every engine must do. */
export function storageConformance(name: string, open: OpenStorage): void {
  describe(`storage contract: ${name}`, () => {
    let fixture: StorageFixture;
    let engine: Engine;
    let environment: StubbedEnvironment;

    beforeEach(async () => {
      environment = new StubbedEnvironment();
      environment.timers.yield = () => new Promise((resolve) => setImmediate(resolve));
      fixture = await open(environment.timers);
      engine = fixture.engine;
    });
    afterEach(() => fixture.dispose());

    const begin = async (writable = true) => engine.begin({ writable });

    async function write(entries: Record<Key, Stored> | readonly Entry[]): Promise<void> {
      const transaction = await begin();
      const list = Array.isArray(entries) ? (entries as readonly Entry[]) : Object.entries(entries);
      for (const [key, value] of list) transaction.put(key, value as Stored);
      await transaction.commit();
    }

    async function read(key: Key): Promise<Stored | undefined> {
      const transaction = await begin(false);
      const value = await transaction.get(key);
      transaction.cancel();
      return value;
    }

    /** Runs two transactions over each other and tells how the second commit went. */
    async function race(
      first: (transaction: Transaction) => unknown,
      second: (transaction: Transaction) => unknown,
    ): Promise<string | undefined> {
      const a = await begin();
      const b = await begin();
      await first(a);
      await second(b);
      await a.commit();
      return code(() => b.commit());
    }

    describe('reading and writing', () => {
      it('stores any kind of plain value, and NULL apart from absence', async () => {
        const values: Record<Key, Stored> = { n: null, t: true, i: 7, f: 1.5, s: 'text', a: [1, [2, null]] };
        await write(values);
        for (const [key, value] of Object.entries(values)) expect(await read(key)).toEqual(value);
        expect(await read('absent')).toBeUndefined();
      });

      it('reads its own writes and deletions', async () => {
        await write({ a: 1, b: 2 });
        const transaction = await begin();
        transaction.put('c', 3);
        transaction.put('a', 10);
        transaction.delete('b');
        expect(await transaction.getMany(['a', 'b', 'c', 'd'])).toEqual([10, undefined, 3, undefined]);
        expect(await scanAll(transaction)).toEqual([
          ['a', 10],
          ['c', 3],
        ]);
        expect(await transaction.count(EVERYTHING)).toBe(2);
        transaction.cancel();
        expect(await read('a')).toBe(1);
      });

      it('keeps NUL and 0xff bytes in keys, in byte order', async () => {
        const keys = [
          '\0',
          '\0\0',
          '\0\x01',
          'a',
          'a\0',
          'a\0\xff',
          'a\x01',
          'a\xfe',
          'a\xff',
          'a\xff\0',
          'b',
          '\x80',
          '\xff',
        ];
        await write(keys.map((key, index): Entry => [key, index]));
        const sorted = [...keys].sort((a, b) => (a < b ? -1 : 1));
        const transaction = await begin(false);
        expect(await scanKeys(transaction)).toEqual(sorted);
        expect(await scanKeys(transaction, EVERYTHING, { reverse: true })).toEqual([...sorted].reverse());
        expect(await scanKeys(transaction, { from: 'a', to: 'b' })).toEqual(
          sorted.filter((key) => key.startsWith('a')),
        );
        for (const [index, key] of keys.entries()) expect(await transaction.get(key)).toBe(index);
        transaction.cancel();
      });

      it('keeps values of many megabytes', async () => {
        const text = 'x'.repeat(5 << 20);
        const bytes = new Uint8Array(9 << 20).map((_, index) => index % 251);
        await write({ text, bytes });
        expect(await read('text')).toBe(text);
        const found = (await read('bytes')) as Uint8Array;
        expect(found.length).toBe(bytes.length);
        expect(Buffer.compare(found, bytes)).toBe(0);
        const transaction = await begin(false);
        expect((await scanAll(transaction)).length).toBe(2);
        transaction.cancel();
      });

      it('keeps many keys', async () => {
        const entries = Array.from(
          { length: 20_000 },
          (_, index): Entry => [`k${String(index).padStart(6, '0')}`, index],
        );
        await write(entries);
        const transaction = await begin(false);
        expect(await transaction.count(EVERYTHING)).toBe(entries.length);
        expect(await scanAll(transaction)).toEqual(entries);
        expect(await transaction.count({ from: 'k000100', to: 'k000200' })).toBe(100);
        transaction.cancel();
      });
    });

    describe('ranges', () => {
      const KEYS = ['a', 'b', 'c', 'd', 'e', 'f'];
      beforeEach(() => write(KEYS.map((key): Entry => [key, key])));

      it('includes the start and excludes the end', async () => {
        const transaction = await begin(false);
        expect(await scanKeys(transaction, { from: 'b', to: 'e' })).toEqual(['b', 'c', 'd']);
        expect(await scanKeys(transaction, { from: 'b', to: 'e' }, { reverse: true })).toEqual(['d', 'c', 'b']);
        expect(await scanKeys(transaction, { from: 'bb', to: 'dd' })).toEqual(['c', 'd']);
        expect(await scanKeys(transaction, { from: 'x', to: 'z' })).toEqual([]);
        expect(await transaction.count({ from: 'b', to: 'e' })).toBe(3);
        transaction.cancel();
      });

      it('finds nothing in empty and inverted ranges', async () => {
        const transaction = await begin();
        for (const range of [
          { from: 'c', to: 'c' },
          { from: 'e', to: 'b' },
          { from: '', to: '' },
        ]) {
          expect(await scanKeys(transaction, range)).toEqual([]);
          expect(await scanKeys(transaction, range, { reverse: true })).toEqual([]);
          expect(await transaction.count(range)).toBe(0);
          await transaction.deleteRange(range);
        }
        expect(await transaction.count(EVERYTHING)).toBe(KEYS.length);
        transaction.cancel();
      });

      it('keeps to limits and batch sizes', async () => {
        const transaction = await begin();
        transaction.put('cc', 'cc');
        transaction.delete('b');
        for (const batch of [1, 2, 3, 100]) {
          expect(await scanKeys(transaction, EVERYTHING, { batch })).toEqual(['a', 'c', 'cc', 'd', 'e', 'f']);
          expect(await scanKeys(transaction, EVERYTHING, { batch, limit: 4 })).toEqual(['a', 'c', 'cc', 'd']);
          expect(await scanKeys(transaction, EVERYTHING, { batch, limit: 4, reverse: true })).toEqual([
            'f',
            'e',
            'd',
            'cc',
          ]);
          expect(await scanKeys(transaction, EVERYTHING, { batch, limit: 0 })).toEqual([]);
        }
        const growing = transaction.scan(EVERYTHING, { first: 1, batch: 3 });
        const sizes: (number | undefined)[] = [];
        for (let count = 0; count < 4; count++) sizes.push((await growing.next())?.length);
        expect(sizes).toEqual([1, 3, 2, undefined]);
        const cursor = transaction.scan(EVERYTHING, { batch: 2 });
        expect([1, 2]).toContain((await cursor.next())?.length);
        cursor.close();
        expect(await cursor.next()).toBeUndefined();
        transaction.cancel();
      });

      it('passes over entries in both directions, among own writes, too', async () => {
        const keys = Array.from({ length: 700 }, (_, at) => `k${String(at).padStart(3, '0')}`);
        await write(keys.map((key): Entry => [key, key]));
        await write({ j: 0, l: 0 });
        const behind = async (transaction: Transaction, count: number, reverse: boolean) => {
          const cursor = transaction.scan({ from: 'k', to: 'l' }, { reverse, batch: 3 });
          let left = count;
          for (let skipped = await cursor.skip(left); skipped > 0; skipped = await cursor.skip(left)) left -= skipped;
          const next = await cursor.next();
          cursor.close();
          return next?.[0]?.[0];
        };
        const own = await begin();
        for (const key of [...keys.slice(0, 5), 'k350', 'k699']) own.delete(key);
        own.put('k0055', 1);
        const changed = [...keys, 'k0055'].filter((key) => own.hasWritten(key) === (key === 'k0055')).sort();
        for (const [transaction, present] of [
          [await begin(false), keys],
          [await begin(), keys],
          [own, changed],
        ] as const) {
          for (const count of [0, 1, 2, 63, 64, 65, 350, 600, present.length - 1, present.length, 1_000, 100_000]) {
            expect([count, await behind(transaction, count, false)]).toEqual([count, present[count]]);
            expect([count, await behind(transaction, count, true)]).toEqual([count, present.at(-1 - count)]);
          }
          transaction.cancel();
        }
        const second = (count: number) => async (transaction: Transaction) => {
          await behind(transaction, count, false);
          transaction.put('result', 1);
        };
        expect(await race((first) => first.put('k1000', 1), second(300))).toBe('transaction_conflict');
        expect(await race((first) => first.put('k500', 1), second(300))).toBeUndefined();
        expect(await race((first) => first.put('k999', 1), second(5_000))).toBe('transaction_conflict');
      });

      it('gives values without their keys', async () => {
        await write({ pa: 1, pb: 2, pc: 3, pd: 4 });
        const values = async (transaction: Transaction, options?: ScanOptions) => {
          const found: Stored[] = [];
          const cursor = transaction.scan({ from: 'p', to: 'q' }, options);
          for (let batch = await cursor.nextValues(); batch !== undefined; batch = await cursor.nextValues()) {
            expect(batch.length).toBeGreaterThan(0);
            found.push(...batch);
          }
          return found;
        };
        const transaction = await begin();
        for (const batch of [1, 3, 100]) {
          expect(await values(transaction, { batch })).toEqual([1, 2, 3, 4]);
          expect(await values(transaction, { batch, reverse: true, limit: 3 })).toEqual([4, 3, 2]);
        }
        transaction.put('pbb', 5);
        transaction.delete('pc');
        expect(await values(transaction, { batch: 2 })).toEqual([1, 2, 5, 4]);
        const firstTwo = (options: ScanOptions) => async (second: Transaction) => {
          await values(second, options);
          second.put('result', 1);
        };
        expect(await race((first) => first.put('pc', 1), firstTwo({ limit: 2 }))).toBeUndefined();
        expect(await race((first) => first.put('paa', 1), firstTwo({ limit: 2 }))).toBe('transaction_conflict');
        expect(await race((first) => first.put('pbb', 1), firstTwo({ limit: 2, reverse: true }))).toBeUndefined();
        expect(await race((first) => first.put('pe', 1), firstTwo({ limit: 2, reverse: true }))).toBe(
          'transaction_conflict',
        );
      });

      it('shows a scan what was there when it was opened, and no more', async () => {
        const transaction = await begin();
        transaction.put('cc', 1);
        const cursor = transaction.scan(EVERYTHING, { batch: 2 });
        const seen: Key[] = [];
        for (let batch = await cursor.next(); batch !== undefined; batch = await cursor.next()) {
          for (const [key] of batch) {
            seen.push(key);
            transaction.put(`${key}x`, 1);
            transaction.delete('f');
          }
        }
        expect(seen).toEqual(['a', 'b', 'c', 'cc', 'd', 'e', 'f']);
        expect(await transaction.count(EVERYTHING)).toBe(13);
        transaction.cancel();
      });

      it('deletes a range, own writes included', async () => {
        const transaction = await begin();
        transaction.put('bb', 1);
        transaction.put('x', 1);
        await transaction.deleteRange({ from: 'b', to: 'e' });
        expect(await scanKeys(transaction)).toEqual(['a', 'e', 'f', 'x']);
        transaction.put('c', 'again');
        await transaction.commit();
        const after = await begin(false);
        expect(await scanKeys(after)).toEqual(['a', 'c', 'e', 'f', 'x']);
        after.cancel();
      });
    });

    describe('snapshots', () => {
      it('shows a transaction nothing of what is committed after it began', async () => {
        await write({ a: 1, b: 1 });
        const reader = await begin(false);
        const writer = await begin();
        if (fixture.snapshotAtFirstRead) for (const transaction of [reader, writer]) await transaction.get('d');
        await write({ a: 2, c: 2 });
        const deleting = await begin();
        deleting.delete('b');
        await deleting.commit();
        for (const transaction of [reader, writer]) {
          expect(await transaction.get('a')).toBe(1);
          expect(await transaction.getMany(['b', 'c'])).toEqual([1, undefined]);
          expect(await scanKeys(transaction)).toEqual(['a', 'b']);
          expect(await transaction.count(EVERYTHING)).toBe(2);
          transaction.cancel();
        }
        expect(await read('a')).toBe(2);
      });

      it('shows no one what is not committed', async () => {
        const transaction = await begin();
        transaction.put('a', 1);
        expect(await read('a')).toBeUndefined();
        transaction.cancel();
        expect(await read('a')).toBeUndefined();
      });

      it('shows a commit to those who begin after it was acknowledged', async () => {
        for (let round = 0; round < 50; round++) {
          await write({ a: round });
          expect(await read('a')).toBe(round);
        }
      });
    });

    describe('conflicts', () => {
      beforeEach(() => write({ a: 1, b: 2, x: 50, y: 50 }));

      it('refuses a lost update', async () => {
        const increment = async (transaction: Transaction) =>
          transaction.put('a', ((await transaction.get('a')) as number) + 1);
        expect(await race(increment, increment)).toBe('transaction_conflict');
        expect(await read('a')).toBe(2);
      });

      it('refuses write skew', async () => {
        const withdraw = (key: Key) => async (transaction: Transaction) => {
          const [x, y] = (await transaction.getMany(['x', 'y'])) as [number, number];
          if (x + y >= 100) transaction.put(key, 0);
        };
        expect(await race(withdraw('x'), withdraw('y'))).toBe('transaction_conflict');
      });

      it('refuses a phantom in a range that was scanned or counted', async () => {
        const scan = async (transaction: Transaction) => {
          await scanAll(transaction, { from: 'm', to: 'n' });
          transaction.put('result', 0);
        };
        const count = async (transaction: Transaction) =>
          transaction.put('result', await transaction.count({ from: 'm', to: 'n' }));
        const erase = async (transaction: Transaction) => transaction.deleteRange({ from: 'b', to: 'n' });
        for (const [index, second] of [scan, count, erase].entries()) {
          expect(await race((first) => first.put(`m${index}`, 1), second)).toBe('transaction_conflict');
        }
      });

      it('refuses the reading of a key that was absent, and of one that was deleted', async () => {
        const copy = (key: Key) => async (transaction: Transaction) =>
          transaction.put('result', (await transaction.get(key)) ?? null);
        expect(await race((first) => first.put('new', 1), copy('new'))).toBe('transaction_conflict');
        expect(await race((first) => first.delete('a'), copy('a'))).toBe('transaction_conflict');
      });

      it('lets a limited scan conflict only with what it has delivered', async () => {
        const firstOf = (options: ScanOptions) => async (transaction: Transaction) => {
          await scanAll(transaction, { from: 'a', to: 'z' }, options);
          transaction.put('result', 1);
        };
        expect(await race((first) => first.put('c', 1), firstOf({ limit: 2 }))).toBeUndefined();
        expect(await race((first) => first.put('aa', 1), firstOf({ limit: 2 }))).toBe('transaction_conflict');
        expect(await race((first) => first.put('d', 1), firstOf({ limit: 2, reverse: true }))).toBeUndefined();
        expect(await race((first) => first.put('xx', 1), firstOf({ limit: 2, reverse: true }))).toBe(
          'transaction_conflict',
        );
      });

      it('lets both commit where that is serializable', async () => {
        const put = (key: Key, value: Stored) => (transaction: Transaction) => transaction.put(key, value);
        expect(await race(put('a', 10), put('a', 20))).toBeUndefined();
        expect(await read('a')).toBe(20);
        expect(await race(put('a', 1), put('b', 1))).toBeUndefined();
        // Reads only: serializable as of its snapshot.
        expect(await race(put('a', 2), (second) => second.get('a'))).toBeUndefined();
        // Reads what it wrote itself.
        const own = (transaction: Transaction) => {
          transaction.put('a', 7);
          return transaction.get('a');
        };
        expect(await race(put('a', 3), own)).toBeUndefined();
        expect(await read('a')).toBe(7);
      });

      it('counts what was read before a rollback as read', async () => {
        const second = async (transaction: Transaction) => {
          const start = transaction.savepoint();
          await transaction.get('a');
          transaction.rollback(start);
          transaction.put('result', 1);
        };
        expect(await race((first) => first.put('a', 9), second)).toBe('transaction_conflict');
      });

      it('sees conflicts with commits that are under way', async () => {
        const transactions = await Promise.all(Array.from({ length: 10 }, () => begin()));
        for (const transaction of transactions) {
          transaction.put('a', ((await transaction.get('a')) as number) + 1);
        }
        const outcomes = await Promise.all(transactions.map((transaction) => code(() => transaction.commit())));
        expect(outcomes.filter((outcome) => outcome === undefined).length).toBe(1);
        expect(outcomes.filter((outcome) => outcome === 'transaction_conflict').length).toBe(9);
        expect(await read('a')).toBe(2);
      });

      it('never fails work that is retried', async () => {
        const clients = Array.from({ length: 20 }, () =>
          withRetries(engine, async (transaction) => {
            const before = (await transaction.get('a')) as number;
            await Promise.resolve();
            transaction.put('a', before + 1);
          }),
        );
        await Promise.all(clients);
        expect(await read('a')).toBe(21);
      });
    });

    it('knows which keys a transaction has written', async () => {
      await write({ a: 1, b: 1, c: 1 });
      const transaction = await begin();
      const written = () => ['a', 'b', 'c', 'd'].filter((key) => transaction.hasWritten(key));
      await transaction.get('a');
      expect(written()).toEqual([]);
      transaction.put('a', 2);
      transaction.delete('b');
      const mark = transaction.savepoint();
      await transaction.deleteRange({ from: 'c', to: 'd' });
      transaction.put('d', 1);
      expect(written()).toEqual(['a', 'b', 'c', 'd']);
      transaction.rollback(mark);
      expect(written()).toEqual(['a', 'b']);
      transaction.cancel();
    });

    describe('savepoints', () => {
      it('forgets the writes since a savepoint, again and again', async () => {
        await write({ a: 1, b: 1 });
        const transaction = await begin();
        transaction.put('a', 2);
        const outer = transaction.savepoint();
        transaction.delete('b');
        transaction.put('c', 1);
        const inner = transaction.savepoint();
        transaction.put('a', 3);
        transaction.rollback(inner);
        expect(await transaction.getMany(['a', 'b', 'c'])).toEqual([2, undefined, 1]);
        transaction.put('a', 4);
        transaction.rollback(inner);
        expect(await transaction.get('a')).toBe(2);
        transaction.rollback(outer);
        expect(await transaction.getMany(['a', 'b', 'c'])).toEqual([2, 1, undefined]);
        transaction.put('d', 1);
        transaction.rollback(outer);
        await transaction.commit();
        const after = await begin(false);
        expect(await scanAll(after)).toEqual([
          ['a', 2],
          ['b', 1],
        ]);
        after.cancel();
      });
    });

    /** The values of a log, and the versionstamps under which they stand. */
    async function readLog(prefix: Key): Promise<{ values: Stored[]; stamps: bigint[] }> {
      const transaction = await begin(false);
      const entries = await scanAll(transaction, { from: prefix, to: `${prefix}\xff` });
      transaction.cancel();
      return { values: entries.map(([, value]) => value), stamps: entries.map(([key]) => stampIn(prefix, key)) };
    }

    describe('logs', () => {
      it('keeps entries in the order of commits, those of one commit under one versionstamp', async () => {
        const late = await begin();
        late.append('log', 'late 1');
        late.append('log', 'late 2');
        for (const value of ['first', 'second']) {
          const early = await begin();
          early.append('log', value);
          await early.commit();
        }
        await late.commit();
        const { values, stamps } = await readLog('log');
        expect(values).toEqual(['first', 'second', 'late 1', 'late 2']);
        const [first = 0n, second = 0n, third = 0n, fourth] = stamps;
        expect(first > 0n && first < second && second < third).toBe(true);
        expect(fourth).toBe(third);
      });

      it('lets appenders commit over each other, but not over who read the log', async () => {
        const append = (transaction: Transaction) => transaction.append('log', 1);
        expect(await race(append, append)).toBeUndefined();
        const reader = async (transaction: Transaction) => {
          await scanAll(transaction, { from: 'log', to: 'loh' });
          transaction.put('a', 1);
        };
        expect(await race(append, reader)).toBe('transaction_conflict');
      });

      it('forgets what was appended since a savepoint, or under a deleted prefix', async () => {
        const transaction = await begin();
        transaction.append('log', 1);
        const savepoint = transaction.savepoint();
        transaction.append('log', 2);
        transaction.append('other', 2);
        transaction.rollback(savepoint);
        transaction.append('log', 3);
        transaction.append('other', 3);
        await transaction.deleteRange({ from: 'other', to: 'othes' });
        await transaction.commit();
        expect((await readLog('log')).values).toEqual([1, 3]);
        expect((await readLog('other')).values).toEqual([]);
      });

      it('assigns greater versionstamps when it is opened again', async () => {
        if (fixture.reopen === undefined) return;
        for (const value of [1, 2]) {
          const transaction = await begin();
          for (let at = 0; at < 1000 * value; at++) transaction.append('log', value);
          await transaction.commit();
          engine = await fixture.reopen();
        }
        const { stamps } = await readLog('log');
        expect(new Set(stamps).size).toBe(2);
      });
    });

    describe('callbacks', () => {
      it('calls before a commit, with what is written then in it', async () => {
        const transaction = await begin();
        const savepoint = transaction.savepoint();
        transaction.put('a', 1);
        transaction.beforeCommit(async () => {
          transaction.put('late', (await transaction.get('a')) ?? 2);
        });
        transaction.beforeCommit(() => transaction.put('later', 3));
        transaction.rollback(savepoint);
        await transaction.commit();
        const snapshot = await engine.begin({ writable: false });
        expect(await snapshot.getMany(['a', 'late', 'later'])).toEqual([undefined, 2, 3]);
        snapshot.cancel();
      });

      it('commits nothing where that fails', async () => {
        const transaction = await begin();
        transaction.put('a', 1);
        transaction.beforeCommit(() => {
          throw failure('cancelled');
        });
        await expect((async () => transaction.commit())()).rejects.toMatchObject({ code: 'cancelled' });
        expect(() => transaction.put('b', 1)).toThrow();
        transaction.cancel();
        const snapshot = await engine.begin({ writable: false });
        expect(await snapshot.get('a')).toBeUndefined();
        snapshot.cancel();
      });

      it('calls back when a commit can be seen, in the order of commits, and not what was rolled back', async () => {
        const called: string[] = [];
        const shown: Promise<void>[] = [];
        const commit = async (name: string, writes: boolean) => {
          const transaction = await begin();
          if (writes) transaction.put(name, 1);
          transaction.afterCommit(() => called.push(`${name} 1`));
          const savepoint = transaction.savepoint();
          transaction.afterCommit(() => called.push('never'));
          transaction.rollback(savepoint);
          transaction.afterCommit(() => {
            const snapshot = engine.begin({ writable: false }) as Transaction;
            const place = called.push('') - 1;
            const show = (value: Stored | undefined) => {
              called[place] = `${name} 2: ${value}`;
              snapshot.cancel();
            };
            shown.push(Promise.resolve(snapshot.get(name)).then(show));
          });
          return transaction;
        };
        const first = await commit('first', true);
        const second = await commit('second', true);
        const third = await commit('third', false);
        (await commit('fourth', true)).cancel();
        const commits = [second.commit(), first.commit()];
        await Promise.all(commits);
        await third.commit();
        await Promise.all(shown);
        expect(called).toEqual(['second 1', 'second 2: 1', 'first 1', 'first 2: 1', 'third 1', 'third 2: undefined']);
      });

      it('gives the last versionstamp that was issued by then', async () => {
        const told: bigint[] = [];
        const commit = async (writes: (transaction: Transaction) => void) => {
          const transaction = await begin();
          writes(transaction);
          transaction.afterCommit((last) => told.push(last));
          return transaction.commit();
        };
        // They are under way together, and what appends nothing comes behind what does.
        await Promise.all([
          commit((transaction) => transaction.append('log', 1)),
          commit((transaction) => transaction.put('a', 1)),
          commit((transaction) => transaction.append('log', 2)),
        ]);
        await commit(() => {});
        const { stamps } = await readLog('log');
        const [first, between, second, after] = told as [bigint, bigint, bigint, bigint];
        expect([first, second]).toEqual(stamps);
        // What appends nothing may have a versionstamp of its own.
        expect(between >= first && between < second && after >= second).toBe(true);
      });

      it('calls nothing back after a conflict', async () => {
        let called = 0;
        const overwrite = async (transaction: Transaction) => {
          await transaction.get('a');
          transaction.put('a', 1);
          transaction.afterCommit(() => called++);
        };
        expect(await race(overwrite, overwrite)).toBe('transaction_conflict');
        expect(called).toBe(1);
      });
    });

    describe('lifetime', () => {
      it('refuses a finished transaction, and cancels it harmlessly', async () => {
        for (const finish of [(t: Transaction) => t.commit(), (t: Transaction) => t.cancel()]) {
          const transaction = await begin();
          transaction.put('a', 1);
          const savepoint = transaction.savepoint();
          const cursor = transaction.scan(EVERYTHING);
          const finished = finish(transaction);
          const uses: (() => unknown)[] = [
            () => transaction.get('a'),
            () => transaction.getMany(['a']),
            () => transaction.scan(EVERYTHING),
            () => transaction.count(EVERYTHING),
            () => transaction.put('a', 1),
            () => transaction.delete('a'),
            () => transaction.append('a', 1),
            () => transaction.deleteRange(EVERYTHING),
            () => transaction.savepoint(),
            () => transaction.rollback(savepoint),
            () => transaction.commit(),
            () => cursor.next(),
          ];
          for (const use of uses) expect(await code(use)).toBe('transaction_finished');
          transaction.cancel();
          await finished;
          transaction.cancel();
        }
        expect(await read('a')).toBe(1);
      });

      it('is unavailable once closed', async () => {
        await engine.check();
        const before = await begin();
        before.put('a', 1);
        await engine.close();
        expect(await code(() => begin())).toBe('storage_unavailable');
        expect(await code(() => engine.check())).toBe('storage_unavailable');
        expect(await code(() => before.commit())).toBe('storage_unavailable');
        await engine.close();
      });
    });

    reservationConformance(() => ({ engine, environment, settle: fixture.settle }));

    it('keeps the total when eight clients transfer between fifty accounts', async () => {
      const account = (index: number): Key => `account/${String(index).padStart(2, '0')}`;
      const accounts: KeyRange = { from: 'account/', to: 'account0' };
      await write(Array.from({ length: 50 }, (_, index): Entry => [account(index), 100]));
      let seed = 1;
      const random = (below: number) => {
        seed = (seed * 48_271) % 2_147_483_647;
        return seed % below;
      };
      const total = (entries: readonly Entry[]) => entries.reduce((sum, [, balance]) => sum + (balance as number), 0);
      const client = async () => {
        for (let round = 0; round < 25; round++) {
          const from = account(random(50));
          const to = account(random(50));
          await withRetries(engine, async (transaction) => {
            const source = (await transaction.get(from)) as number;
            await new Promise(setImmediate);
            transaction.put(from, source - 1);
            transaction.put(to, ((await transaction.get(to)) as number) + 1);
          });
          const audit = await begin(false);
          expect(total(await scanAll(audit, accounts))).toBe(5_000);
          audit.cancel();
        }
      };
      await Promise.all(Array.from({ length: 8 }, client));
      const audit = await begin(false);
      expect(total(await scanAll(audit, accounts))).toBe(5_000);
      audit.cancel();
    });

    it('does what a sorted map does', async () => {
      const key = fc.string({ unit: fc.constantFrom('\0', 'a', 'b', '\xff'), minLength: 1, maxLength: 3 });
      const bound = fc.string({ unit: fc.constantFrom('\0', 'a', 'b', '\xff'), maxLength: 3 });
      const range = fc.record({ from: bound, to: bound });
      const step = fc.oneof(
        fc.record({ do: fc.constant('put' as const), key, value: fc.nat(99) }),
        fc.record({ do: fc.constant('delete' as const), key }),
        fc.record({ do: fc.constant('deleteRange' as const), range }),
        fc.record({ do: fc.constant('get' as const), key }),
        fc.record({
          do: fc.constant('scan' as const),
          range,
          reverse: fc.boolean(),
          limit: fc.option(fc.nat(5), { nil: 1_000 }),
          batch: fc.integer({ min: 1, max: 4 }),
        }),
        fc.record({ do: fc.constant('savepoint' as const) }),
        fc.record({ do: fc.constant('rollback' as const) }),
        fc.record({ do: fc.constant('commit' as const) }),
        fc.record({ do: fc.constant('cancel' as const) }),
      );
      const within = ({ from, to }: KeyRange, model: Map<Key, number>) =>
        [...model].filter(([k]) => k >= from && k < to).sort(([a], [b]) => (a < b ? -1 : 1));
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
          const clean = await begin();
          await clean.deleteRange(EVERYTHING);
          await clean.commit();
          let committed = new Map<Key, number>();
          let model = new Map(committed);
          let transaction = await begin();
          let mark = { savepoint: transaction.savepoint(), model: new Map(model) };
          const restart = async () => {
            transaction = await begin();
            model = new Map(committed);
            mark = { savepoint: transaction.savepoint(), model: new Map(model) };
          };
          for (const s of steps) {
            if (s.do === 'put') {
              transaction.put(s.key, s.value);
              model.set(s.key, s.value);
            } else if (s.do === 'delete') {
              transaction.delete(s.key);
              model.delete(s.key);
            } else if (s.do === 'deleteRange') {
              await transaction.deleteRange(s.range);
              for (const [k] of within(s.range, model)) model.delete(k);
            } else if (s.do === 'get') {
              expect(await transaction.get(s.key)).toBe(model.get(s.key));
            } else if (s.do === 'scan') {
              const expected = within(s.range, model);
              expect(await transaction.count(s.range)).toBe(expected.length);
              if (s.reverse) expected.reverse();
              expect(await scanAll(transaction, s.range, s)).toEqual(expected.slice(0, s.limit));
            } else if (s.do === 'savepoint') {
              mark = { savepoint: transaction.savepoint(), model: new Map(model) };
            } else if (s.do === 'rollback') {
              transaction.rollback(mark.savepoint);
              model = new Map(mark.model);
            } else if (s.do === 'commit') {
              await transaction.commit();
              committed = model;
              await restart();
            } else {
              transaction.cancel();
              await restart();
            }
          }
          await transaction.commit();
          const after = await begin(false);
          expect(await scanAll(after)).toEqual(within(EVERYTHING, model));
          after.cancel();
        }),
        { numRuns: 60 },
      );
    });

    it('is serializable: whatever is interleaved, all that was read is what commit order would have shown', async () => {
      const key = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 2 });
      const range = fc.record({ from: key, to: key });
      const step = fc.oneof(
        fc.record({ do: fc.constant('get' as const), key }),
        fc.record({ do: fc.constant('count' as const), range }),
        fc.record({
          do: fc.constant('scan' as const),
          range,
          reverse: fc.boolean(),
          limit: fc.integer({ min: 1, max: 4 }),
          batch: fc.integer({ min: 1, max: 3 }),
        }),
        fc.record({ do: fc.constant('put' as const), key, value: fc.nat(99) }),
        fc.record({ do: fc.constant('delete' as const), key }),
        fc.record({ do: fc.constant('deleteRange' as const), range }),
        fc.record({ do: fc.constant('commit' as const) }),
      );
      const clients = 4;
      type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
      /** Does a step on a sorted map, and tells what it reads. */
      const replay = (model: Map<Key, number>, s: Step): unknown => {
        const within = ({ from, to }: KeyRange) =>
          [...model].filter(([k]) => k >= from && k < to).sort(([a], [b]) => (a < b ? -1 : 1));
        switch (s.do) {
          case 'get':
            return model.get(s.key);
          case 'count':
            return within(s.range).length;
          case 'scan': {
            const entries = within(s.range);
            return (s.reverse ? entries.reverse() : entries).slice(0, s.limit);
          }
          case 'put':
            return void model.set(s.key, s.value);
          case 'delete':
            return void model.delete(s.key);
          case 'deleteRange': {
            const entries = within(s.range);
            for (const [k] of entries) model.delete(k);
            return entries.length;
          }
          case 'commit':
            return undefined;
        }
      };
      const perform = async (transaction: Transaction, s: Step): Promise<unknown> => {
        switch (s.do) {
          case 'get':
            return transaction.get(s.key);
          case 'count':
            return transaction.count(s.range);
          case 'scan':
            return scanAll(transaction, s.range, s);
          case 'put':
            return transaction.put(s.key, s.value);
          case 'delete':
            return transaction.delete(s.key);
          case 'deleteRange': {
            const count = await transaction.count(s.range);
            await transaction.deleteRange(s.range);
            return count;
          }
          case 'commit':
            return undefined;
        }
      };
      await fc.assert(
        fc.asyncProperty(fc.array(fc.tuple(fc.nat(clients - 1), step), { maxLength: 80 }), async (schedule) => {
          const clean = await begin();
          await clean.deleteRange(EVERYTHING);
          await clean.commit();
          const model = new Map<Key, number>();
          type Running = { transaction: Transaction; did: [Step, unknown][] };
          const running = new Map<number, Running>();
          const commits: { did: Running['did']; outcome: Promise<string | undefined> }[] = [];
          for (const [client, s] of schedule) {
            // Half of them begin on accepted commits, and are done when they are accepted, where there is such a thing.
            const early = client % 2 === 0 ? engine.earlyAnswers : undefined;
            const start = () => (early ? early.beginOnAccepted({ writable: true }) : begin());
            const current = running.get(client) ?? { transaction: await start(), did: [] };
            running.set(client, current);
            if (s.do === 'commit') {
              running.delete(client);
              const writes = current.did.some(
                ([did, found]) => did.do === 'put' || did.do === 'delete' || (did.do === 'deleteRange' && found !== 0),
              );
              const outcome = code(() => (early ? early.accept(current.transaction) : current.transaction.commit()));
              // One that only read is serializable at another place in the order: where it began.
              if (writes) commits.push({ did: current.did, outcome });
              if (s.do === 'commit' && schedule.length % 2 === 0) await outcome;
            } else {
              current.did.push([s, await perform(current.transaction, s)]);
            }
          }
          for (const { transaction } of running.values()) transaction.cancel();
          for (const { did, outcome } of commits) {
            const result = await outcome;
            if (result === undefined) for (const [s, read] of did) expect(read).toEqual(replay(model, s));
            else expect(result).toBe('transaction_conflict');
          }
          await engine.earlyAnswers?.durable();
          const after = await begin(false);
          expect(await scanAll(after)).toEqual([...model].sort(([a], [b]) => (a < b ? -1 : 1)));
          after.cancel();
        }),
        { numRuns: 100 },
      );
    });

    it('delivers the keys of each commit to those who follow, once snapshots show them', async () => {
      // Commits of several processes: `following.ts`.
      if (engine.shared !== undefined) return;
      const heard: Key[][] = [];
      const seen: Promise<Stored | undefined>[] = [];
      const stop = await engine.commitFeed.follow({
        onCommits: (commits) => {
          for (const { keys } of commits) {
            heard.push([...keys].sort());
            // The snapshot is taken within the call.
            seen.push(read('a'));
          }
        },
        onGap: () => heard.push(['a gap']),
      });
      await write({ a: 1, b: 2 });
      const cancelled = await begin();
      cancelled.put('c', 3);
      cancelled.cancel();
      const changing = await begin();
      changing.put('a', 2);
      changing.delete('b');
      const undone = changing.savepoint();
      changing.put('d', 4);
      changing.rollback(undone);
      await changing.commit();
      const appending = await begin();
      appending.append('log', 'entry');
      await appending.commit();
      await expect.poll(() => heard.length).toBe(3);
      expect(heard.slice(0, 2)).toEqual([
        ['a', 'b'],
        ['a', 'b'],
      ]);
      expect(heard[2]?.[0]).toMatch(/^log/);
      // A later one is as good where snapshots are taken at the first read.
      expect(((await seen[0]) as number) >= 1 && (await seen[1]) === 2).toBe(true);
      stop();
      await write({ e: 5 });
      expect(heard.length).toBe(3);
    });

    it('notes what a read-only transaction reads, if it is asked to', async () => {
      await write({ a: 1, b: 2, c: 3, d: 4, e: 5 });
      const reads = new ReadSet();
      const transaction = await engine.begin({ writable: false, reads });
      await transaction.get('a');
      await transaction.getMany(['missing']);
      await scanAll(transaction, { from: 'c', to: 'e' });
      transaction.cancel();
      reads.settle(100);
      for (const key of ['a', 'missing', 'c', 'cc', 'd']) expect([key, reads.meets([key])]).toEqual([key, true]);
      for (const key of ['b', 'e', 'x']) expect([key, reads.meets([key])]).toEqual([key, false]);
    });

    it('keeps what was committed, and nothing else, when it is opened again', async () => {
      if (fixture.reopen === undefined) return;
      await write({ a: 1, b: [1, 'two', null], c: 'c' });
      const deleting = await begin();
      deleting.delete('c');
      deleting.put('\0\xff', 'bytes');
      await deleting.commit();
      const lost = await begin();
      lost.put('lost', 1);
      engine = await fixture.reopen();
      const transaction = await begin();
      expect(await scanAll(transaction)).toEqual([
        ['\0\xff', 'bytes'],
        ['a', 1],
        ['b', [1, 'two', null]],
      ]);
      transaction.put('a', 2);
      await transaction.commit();
      engine = await fixture.reopen();
      expect(await read('a')).toBe(2);
    });
  });
}
