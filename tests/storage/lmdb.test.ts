import { closeSync, openSync, readSync } from 'node:fs';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as endOfRound } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LmdbEngine, openLmdb } from '../../src/storage/lmdb/engine/lmdb.js';
import { DATA_FILE } from '../../src/storage/lmdb/engine/lmdb-store.js';
import { RecordCache } from '../../src/storage/lmdb/engine/record-cache.js';
import { MAX_KEY_LENGTH } from '../../src/storage/lmdb/file/lmdb-limits.js';
import { openEngine } from '../../src/storage/open/open.js';
import { HeldStore, openUnsynced } from '../support/held-store.js';

const EVERYTHING = { from: '', to: '\xff' };
const withCode = (code: string) => expect.objectContaining({ code });

/** LMDB's two meta pages, of which each commit writes one. */
function headOf(path: string): Buffer {
  const head = Buffer.alloc(2 * 4096);
  const file = openSync(path, 'r');
  readSync(file, head, 0, head.length, 0);
  closeSync(file);
  return head;
}

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tessera-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('LmdbEngine', () => {
  let store: HeldStore;
  let engine: LmdbEngine;
  beforeEach(() => {
    store = new HeldStore(openUnsynced(folder));
    engine = new LmdbEngine({ store });
  });
  afterEach(() => engine.close());

  const read = (key: string) => {
    const transaction = engine.begin({ writable: false });
    const value = transaction.get(key);
    transaction.cancel();
    return value;
  };
  const put = (key: string, value: number) => {
    const transaction = engine.begin({ writable: true });
    transaction.put(key, value);
    return Promise.resolve(transaction.commit());
  };

  it('writes commits that come together together', async () => {
    await Promise.all(Array.from({ length: 50 }, (_, index) => put(`k${index}`, index)));
    expect(store.writes).toBe(1);
    expect(engine.begin({ writable: false }).count(EVERYTHING)).toBe(50);
  });

  it.each(['the first', 'one that comes later in the round'])(
    'begins to write at the end of the round: %s',
    async (which) => {
      await put('k', 0);
      if (which !== 'the first') await endOfRound();
      const before = headOf(join(folder, DATA_FILE));
      const written = put('k', 1);
      await endOfRound();
      // The loop stands still from now on: only the library's thread, which has its work by now, can change the file.
      const pause = new Int32Array(new SharedArrayBuffer(4));
      let tries = 3_000;
      while (headOf(join(folder, DATA_FILE)).equals(before) && tries-- > 0) Atomics.wait(pause, 0, 0, 1);
      expect(tries).toBeGreaterThan(0);
      await written;
      expect(read('k')).toBe(1);
    },
  );

  it('keeps room for the pages of few entries, not for those that were given up', async () => {
    const engine = openLmdb(folder, { sync: 'never' });
    const write = async (entries: number, text: string | undefined) => {
      const transaction = engine.begin({ writable: true });
      for (let at = 0; at < entries; at++) {
        if (text === undefined) transaction.delete(`key ${at}`);
        else transaction.put(`key ${at}`, text);
      }
      await transaction.commit();
    };
    await write(2_000, 'x'.repeat(1_000));
    await write(2_000, undefined);
    const before = (await stat(join(folder, DATA_FILE))).size;
    for (let round = 0; round < 10; round++) await write(400, `${round}`.repeat(100));
    expect((await stat(join(folder, DATA_FILE))).size).toBe(before);
    await engine.close();
  });

  it('keeps no more room than the next commits may take, however many came before', async () => {
    const size = async () => (await stat(join(folder, DATA_FILE))).size;
    const writeAll = (value: number) =>
      Promise.all(Array.from({ length: 64 }, (_, index) => put(`k${String(index).padStart(40, '0')}`, value)));
    for (let round = 0; round < 4; round++) await writeAll(round);
    const before = await size();
    for (let round = 0; round < 100; round++) await writeAll(round);
    expect(await size()).toBe(before);
  });

  it('writes no more together than a few thousand changes, in their order', async () => {
    const order: number[] = [];
    const commits = Array.from({ length: 40 }, (_, at) => {
      const transaction = engine.begin({ writable: true });
      for (let key = 0; key < 500; key++) transaction.put(`k${at}/${key}`, at);
      transaction.put('last', at);
      transaction.afterCommit(() => order.push(at));
      return Promise.resolve(transaction.commit());
    });
    expect(engine.begin({ writable: false }).get('last')).toBeUndefined();
    await Promise.all(commits);
    expect(store.writes).toBe(5);
    expect(order).toEqual(Array.from({ length: 40 }, (_, at) => at));
    expect(read('last')).toBe(39);
    expect(engine.begin({ writable: false }).count({ from: 'k', to: 'l' })).toBe(20_000);
  });

  it('knows what a view shows that was taken before the writer learned of its success', async () => {
    const late = engine.begin({ writable: true });
    late.put('a', 2);
    await put('a', 1);
    let acknowledged = false;
    const complete = await new Promise<() => void>((resolve) => {
      store.held = resolve;
      void Promise.resolve(late.commit()).then(() => {
        acknowledged = true;
      });
    });
    // There was no read since the first commit, so this takes a view of the store as it now is on disk.
    const transaction = engine.begin({ writable: true });
    expect(transaction.get('a')).toBe(2);
    expect(acknowledged).toBe(false);
    expect(read('a')).toBe(2);
    store.held = undefined;
    complete();
    transaction.put('a', 3);
    await transaction.commit();
    expect(acknowledged).toBe(true);
    expect(read('a')).toBe(3);
  });

  it('reports a conflict only when beginning again can help', async () => {
    await put('a', 1);
    const transactions = [1, 2].map((value) => {
      const transaction = engine.begin({ writable: true });
      transaction.get('a');
      transaction.put('a', value + 10);
      return transaction;
    });
    const [first, second] = transactions.map((transaction) => Promise.resolve(transaction.commit()));
    await expect(second).rejects.toEqual(withCode('transaction_conflict'));
    expect(read('a')).toBe(11);
    await first;
  });

  it('lays accepted commits over what is written for those who begin early, and shows them to no one else', async () => {
    const entry = fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e'), fc.option(fc.nat(9)));
    const group = fc.array(entry, { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(group, group, group, async (durable, writing, waiting) => {
        const model = new Map<string, number>();
        const accept = (entries: typeof durable) => {
          const transaction = engine.begin({ writable: true });
          for (const [key, value] of [...entries, ['last', model.size] as const]) {
            if (value === null) transaction.delete(key);
            else transaction.put(key, value);
            if (value === null) model.delete(key);
            else model.set(key, value);
          }
          return engine.earlyAnswers.accept(transaction);
        };
        const clean = engine.begin({ writable: true });
        await clean.deleteRange(EVERYTHING);
        await clean.commit();
        void accept(durable);
        await engine.earlyAnswers.durable();
        const shown = await engine.begin({ writable: false }).scan(EVERYTHING).next();
        const complete = await new Promise<() => void>((resolve) => {
          store.held = resolve;
          void accept(writing);
        });
        void accept(waiting);
        const early = await engine.earlyAnswers.beginOnAccepted({ writable: true });
        const sorted = [...model].sort(([a], [b]) => (a < b ? -1 : 1));
        expect(early.count({ from: 'b', to: 'e' })).toBe(sorted.filter(([key]) => key >= 'b' && key < 'e').length);
        expect(early.scan(EVERYTHING).next()).toEqual(sorted);
        expect(early.scan(EVERYTHING).nextValues()).toEqual(sorted.map(([, value]) => value));
        expect(early.scan(EVERYTHING, { reverse: true }).next()).toEqual([...sorted].reverse());
        for (const key of 'abcde') expect(early.get(key)).toBe(model.get(key));
        early.cancel();
        store.held = undefined;
        complete();
        expect(shown?.at(-1)?.[0]).toBe('last');
        await engine.earlyAnswers.durable();
        expect(engine.begin({ writable: false }).scan(EVERYTHING).next()).toEqual(sorted);
      }),
      { numRuns: 50 },
    );
  });

  it('shows accepted commits only to those who begin on them', async () => {
    await put('a', 1);
    const transaction = engine.begin({ writable: true });
    transaction.put('a', 2);
    void engine.earlyAnswers.accept(transaction);
    expect(read('a')).toBe(1);
    const early = await engine.earlyAnswers.beginOnAccepted({ writable: false });
    expect(early.get('a')).toBe(2);
    await engine.earlyAnswers.durable();
    expect(read('a')).toBe(2);
  });

  it('waits for very many changes rather than lay them over', async () => {
    const transaction = engine.begin({ writable: true });
    for (let n = 0; n < 5000; n++) transaction.put(`k${n}`, n);
    await engine.earlyAnswers.accept(transaction);
    const early = engine.earlyAnswers.beginOnAccepted({ writable: false });
    expect(early).toBeInstanceOf(Promise);
    expect((await early).count(EVERYTHING)).toBe(5000);
  });

  it('has those begin again who read the oldest state when too many are read', async () => {
    await engine.close();
    engine = new LmdbEngine({ store: openUnsynced(folder) }, { maxViews: 5 });
    const reading: ReturnType<LmdbEngine['begin']>[] = [];
    for (let version = 0; version < 12; version++) {
      await put('a', version);
      reading.push(engine.begin({ writable: version % 2 === 0 }));
      // The newest can always be read.
      expect(reading.at(-1)?.get('a')).toBe(version);
      expect(read('a')).toBe(version);
      engine.check();
      expect(engine.inUse.views).toBeLessThanOrEqual(5);
    }
    const outcomes = reading.map((each) => {
      try {
        return each.get('a');
      } catch (error) {
        return (error as { code: string }).code;
      }
    });
    expect(outcomes).toEqual([...Array(7).fill('snapshot_expired'), 7, 8, 9, 10, 11]);
    const [oldest] = reading;
    expect(() => oldest?.scan(EVERYTHING).next()).toThrow(withCode('snapshot_expired'));
    for (const each of reading) each.cancel();
    expect(engine.inUse).toEqual({ views: 0, transactions: 0 });
    await put('a', 100);
    expect(read('a')).toBe(100);
  });

  it('reports in a check, and when something begins, that it can’t be read', async () => {
    await put('a', 1);
    store.unreadable = new Error('MDB_READERS_FULL');
    const unavailable = { code: 'storage_unavailable', message: expect.stringContaining('MDB_READERS_FULL') };
    expect(() => engine.check()).toThrow(expect.objectContaining(unavailable));
    expect(() => engine.begin({ writable: false })).toThrow(expect.objectContaining(unavailable));
    store.unreadable = undefined;
    engine.check();
    expect(read('a')).toBe(1);
  });

  it('asks the store in a check, though the newest state is being read', async () => {
    await put('a', 1);
    const reading = engine.begin({ writable: false });
    expect(reading.get('a')).toBe(1);
    store.unreadable = new Error('the disk is gone');
    expect(() => engine.check()).toThrow('the disk is gone');
    reading.cancel();
  });

  it('stays unavailable after a failed write', async () => {
    await put('a', 1);
    const open = engine.begin({ writable: true });
    store.failure = new Error('no space left');
    const commits = [put('a', 2), put('b', 2)];
    for (const commit of commits) {
      await expect(commit).rejects.toEqual(withCode('storage_unavailable'));
      await expect(commit).rejects.toThrow('no space left');
    }
    await expect(engine.earlyAnswers.durable()).rejects.toThrow('no space left');
    store.failure = undefined;
    expect(() => engine.begin({ writable: true })).toThrow(withCode('storage_unavailable'));
    expect(() => engine.check()).toThrow('no space left');
    expect(() => open.get('a')).toThrow(withCode('storage_unavailable'));
    open.put('c', 1);
    expect(() => open.commit()).toThrow(withCode('storage_unavailable'));
    expect(store.writes).toBe(2);
    await engine.close();
    const again = openLmdb(folder);
    expect(again.begin({ writable: false }).get('a')).toBe(1);
    await again.close();
  });

  it('finishes accepted commits when it is closed', async () => {
    const commits = [put('a', 1), put('b', 2)];
    await engine.close();
    await Promise.all(commits);
    const again = openLmdb(folder);
    expect(again.begin({ writable: false }).count(EVERYTHING)).toBe(2);
    await again.close();
  });

  it('survives transactions that outlive it', async () => {
    await put('a', 1);
    const reader = engine.begin({ writable: false });
    const cursor = reader.scan(EVERYTHING);
    await engine.close();
    expect(() => reader.get('a')).toThrow(withCode('storage_unavailable'));
    expect(() => cursor.next()).toThrow(withCode('storage_unavailable'));
    reader.cancel();
  });

  it('shows old snapshots what they began with, though newer values are cached', async () => {
    const snapshots = [];
    for (let round = 0; round < 20; round++) {
      await put('a', round);
      await put('b', round);
      if (round % 3 === 0) expect(read('a')).toBe(round);
      snapshots.push(engine.begin({ writable: false }));
    }
    for (const [round, snapshot] of snapshots.entries()) {
      expect(snapshot.getMany(['a', 'b'])).toEqual([round, round]);
      expect(snapshot.scan(EVERYTHING).next()).toEqual([
        ['a', round],
        ['b', round],
      ]);
      snapshot.cancel();
    }
  });

  it('knows what there is and what there is not among many keys that are looked up', async () => {
    await Promise.all(['b', 'k40', 'k41', 'm'].map((key, at) => put(key, at)));
    const snapshot = engine.begin({ writable: false });
    const keys = Array.from({ length: 100 }, (_, at) => `k${String(at).padStart(2, '0')}`);
    await put('k77', 7);
    for (const order of [
      keys,
      keys.toReversed(),
      ['m0', 'm', 'l', 'b', 'a', ...keys],
      Array(20).fill('k'.repeat(3_000)),
    ]) {
      const found = order.filter((key) => snapshot.get(key) !== undefined);
      expect(found.toSorted()).toEqual(order.filter((key) => ['b', 'k40', 'k41', 'm'].includes(key)).toSorted());
    }
    snapshot.cancel();
    expect(keys.filter((key) => read(key) !== undefined)).toEqual(['k40', 'k41', 'k77']);
    const transaction = engine.begin({ writable: true });
    for (const key of keys) if (transaction.get(key) === undefined) transaction.put(key, 1);
    await put('k99', 2);
    // It counts as read, whatever told that it wasn't there.
    await expect((async () => transaction.commit())()).rejects.toEqual(withCode('transaction_conflict'));
  });

  it('has a clear limit for keys, and takes any range', async () => {
    const longest = 'k'.repeat(MAX_KEY_LENGTH);
    const transaction = engine.begin({ writable: true });
    transaction.put(longest, 1);
    transaction.put('l', 2);
    expect(() => transaction.put(`${longest}k`, 1)).toThrow(withCode('key_too_long'));
    await transaction.commit();
    const reader = engine.begin({ writable: false });
    expect(reader.get(longest)).toBe(1);
    expect(reader.get(`${longest}k`)).toBeUndefined();
    for (const reverse of [false, true]) {
      const keys = async (from: string, to: string) =>
        (await reader.scan({ from, to }, { reverse }).next())?.map(([key]) => key.length);
      expect(await keys(longest, `${longest}\0`)).toEqual([MAX_KEY_LENGTH]);
      expect(await keys(`${longest}\0`, `${longest}\xff`)).toBeUndefined();
      expect(await keys(`${longest}\0`, 'm')).toEqual([1]);
      expect(await keys('', `${longest}${longest}`)).toEqual([MAX_KEY_LENGTH]);
    }
    expect(reader.count({ from: longest, to: `${longest}\0` })).toBe(1);
    expect(reader.count({ from: `${longest}\0`, to: 'm' })).toBe(1);
    // Long bounds in a row, which fill up the buffers of LMDB's library.
    for (let round = 0; round < 20; round++) {
      expect(reader.scan({ from: longest, to: `${longest}\0` }, { batch: 1 }).next()).toEqual([[longest, 1]]);
    }
  });

  it('grows with what it holds, under the eyes of old snapshots', async () => {
    await put('small', 1);
    const before = engine.begin({ writable: false });
    const large = 'x'.repeat(1 << 20);
    for (let round = 0; round < 8; round++) {
      const transaction = engine.begin({ writable: true });
      for (let index = 0; index < 8; index++) transaction.put(`large${round}${index}`, large);
      await transaction.commit();
      expect(before.get('small')).toBe(1);
      expect(before.count(EVERYTHING)).toBe(1);
    }
    const after = engine.begin({ writable: false });
    expect(after.count(EVERYTHING)).toBe(65);
    expect(after.get('large70')).toBe(large);
  });
});

describe('a data folder', () => {
  it('belongs to one engine at a time, even within a process', async () => {
    const engine = openLmdb(folder);
    expect(() => openLmdb(folder)).toThrow(withCode('storage_in_use'));
    expect(() => openLmdb(folder)).toThrow(folder);
    const transaction = engine.begin({ writable: true });
    transaction.put('a', 1);
    await transaction.commit();
    await engine.close();
    const again = openLmdb(folder);
    expect(again.begin({ writable: false }).get('a')).toBe(1);
    await again.close();
  });

  it('must be usable', async () => {
    await writeFile(join(folder, 'file'), 'not a folder');
    expect(() => openLmdb(join(folder, 'file'))).toThrow(withCode('storage_unavailable'));
    for (const name of ['data.mdb', 'owner.mdb']) {
      for (const content of ['x', 'x'.repeat(10_000), new Uint8Array(10_000)]) {
        await writeFile(join(folder, name), content);
        expect(() => openLmdb(folder)).toThrow(withCode('storage_unavailable'));
        expect(() => openLmdb(folder)).toThrow(name);
      }
      await rm(join(folder, name));
    }
    await openLmdb(folder).close();
  });
});

describe('openEngine', () => {
  it.each(['memory', 'mem://', 'memory:', 'mem:'])('opens %s', async (address) => {
    const engine = await openEngine(address);
    expect(engine.name).toBe('memory');
    await engine.close();
  });

  it.each(['lmdb:', 'lmdb://', 'file:', 'file://', ''])('opens a folder after "%s"', async (scheme) => {
    const engine = await openEngine(`${scheme}${folder}`, { sync: 'never' });
    expect(engine.name).toBe('lmdb');
    await engine.close();
  });

  it.each(['tikv:/data', 'lmdb:', 'file://', '', 'constructor:x'])('refuses "%s"', async (address) => {
    await expect(openEngine(address)).rejects.toEqual(withCode('storage_address'));
  });
});

describe('RecordCache', () => {
  it('serves the snapshots that may see an entry, and no others', () => {
    const cache = new RecordCache(1 << 20, 5);
    cache.keep('a', 'five', 4, 5);
    expect(cache.get('a', 5)).toBe('five');
    expect(cache.get('a', 4)).toBeUndefined();
    cache.keep('b', 'five', 4, 5);
    cache.advance(6);
    cache.replace('b', 'six', 4);
    expect(cache.get('a', 6)).toBe('five');
    expect(cache.get('a', 5)).toBe('five');
    expect(cache.get('b', 6)).toBe('six');
    expect(cache.get('b', 5)).toBeUndefined();
    // Values that were never read are written past it.
    cache.replace('d', 'six', 4);
    expect(cache.get('d', 6)).toBeUndefined();
    // Read in an older snapshot: another commit may have changed it since.
    cache.keep('c', 'old', 4, 5);
    expect(cache.get('c', 6)).toBeUndefined();
    cache.advance(7);
    cache.replace('a', undefined, 0);
    expect(cache.get('a', 7)).toBeUndefined();
  });

  it('keeps to its room, and what is used stays', () => {
    const cache = new RecordCache(100_000, 1);
    cache.keep('used', 1, 10, 1);
    let held = 0;
    for (let index = 0; index < 10_000; index++) {
      cache.keep(`k${index}`, index, 10, 1);
      expect(cache.get('used', 1)).toBe(1);
    }
    for (let index = 0; index < 10_000; index++) if (cache.get(`k${index}`, 1) !== undefined) held++;
    expect(held).toBeGreaterThan(100);
    expect(held).toBeLessThan(600);
    cache.keep('huge', 'x', 100_000, 1);
    expect(cache.get('huge', 1)).toBeUndefined();
  });
});
