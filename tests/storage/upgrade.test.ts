import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Timers } from '../../src/env/environment.js';
import { realEnvironment } from '../../src/env/real.js';
import type { Entry, Stored } from '../../src/storage/contract.js';
import { type LmdbEngine, openLmdb } from '../../src/storage/lmdb/engine/lmdb.js';
import type { LmdbOptions } from '../../src/storage/lmdb/engine/lmdb-options.js';
import { LmdbFile } from '../../src/storage/lmdb/file/lmdb-file.js';
import { readFacts } from '../../src/storage/lmdb/file/lmdb-integrity.js';
import { walkPages } from '../../src/storage/lmdb/file/lmdb-pages.js';
import { StoredValues } from '../../src/storage/stored-values.js';
import { encodeRecord } from '../../src/value/codecs/record-encode.js';
import { sealState } from '../../src/value/codecs/sealed-record.js';

const EVERYTHING = { from: '', to: '\xff'.repeat(2_000) };
const OLD = gunzipSync(readFileSync('tests/storage/fixtures/format-1.mdb.gz'));
const folders: string[] = [];
let folder: string;
/** Goes on with a folder that holds nothing but a data file. */
function place(data: Uint8Array): void {
  folder = mkdtempSync(join(tmpdir(), 'tessera-'));
  folders.push(folder);
  writeFileSync(join(folder, 'data.mdb'), data);
}
beforeEach(() => place(OLD));
afterEach(() => {
  for (const each of folders.splice(0)) rmSync(each, { recursive: true });
});

/** How many values have a checksum that is right, one that is wrong, or none; and what the store says of itself. */
function states() {
  const file = new LmdbFile(join(folder, 'data.mdb'));
  const found = { right: 0, wrong: 0, none: 0 };
  walkPages(file, {
    fault: (what) => expect.unreachable(what),
    entry: (tree, key, value) => {
      if (tree === 'records\0') found[sealState(key, value)]++;
    },
  });
  const facts = readFacts(file);
  file.close();
  return { ...found, ...facts };
}

async function entries(engine: LmdbEngine): Promise<Entry[]> {
  const transaction = engine.begin({ writable: false });
  const cursor = transaction.scan(EVERYTHING);
  const all: Entry[] = [];
  for (let batch = await cursor.next(); batch !== undefined; batch = await cursor.next()) all.push(...batch);
  transaction.cancel();
  return all;
}

async function put(engine: LmdbEngine, key: string, value: Stored): Promise<void> {
  const transaction = engine.begin({ writable: true });
  transaction.put(key, value);
  await transaction.commit();
}

/** Lets so many turns pass, and then nothing more happens by itself. */
function turns(count: number): Timers {
  let left = count;
  const never = new Promise<void>(() => {});
  return { ...realEnvironment.timers, yield: () => (left-- > 0 ? realEnvironment.timers.yield() : never) };
}

describe('a store of format 1', () => {
  const open = (options: LmdbOptions = {}) => openLmdb(folder, { sync: 'never', cacheBytes: 0, ...options });

  it('is converted while it is used, and holds the same', async () => {
    expect(states()).toEqual({ right: 0, wrong: 0, none: 395, format: '1', mayBeUnsealed: true });
    const readOnly = open({ readOnly: true });
    const before = await entries(readOnly);
    await readOnly.close();
    const engine = open();
    expect(engine.isSealed).toBe(false);
    expect(await entries(engine)).toEqual(before);
    const [key, value] = before[100] as Entry;
    await Promise.all([put(engine, 'new', 'entry'), put(engine, key, 'changed meanwhile'), engine.sealed]);
    expect(engine.isSealed).toBe(true);
    const after = before.map((entry) => (entry[0] === key ? [key, 'changed meanwhile'] : entry));
    expect(await entries(engine)).toEqual(
      [...after, ['new', 'entry']].sort(([a], [b]) => ((a as string) < (b as string) ? -1 : 1)),
    );
    expect(value).not.toBe('changed meanwhile');
    await engine.close();
    expect(states()).toEqual({ right: 396, wrong: 0, none: 0, format: '2', mayBeUnsealed: false });
  });

  it('goes on where it was interrupted', async () => {
    // The first step is written, and the second never comes.
    open({ timers: turns(2) });
    await new Promise<void>((done) => {
      const look = () => (states().right > 0 ? done() : setImmediate(look));
      look();
    });
    const halfway = states();
    expect(halfway).toMatchObject({ format: '2', mayBeUnsealed: true, wrong: 0 });
    expect(halfway.none).toBeGreaterThan(0);
    // What a crash leaves is the file as it is now.
    place(readFileSync(join(folder, 'data.mdb')));
    const again = open();
    await again.sealed;
    await again.close();
    expect(states()).toEqual({ right: 395, wrong: 0, none: 0, format: '2', mayBeUnsealed: false });
  });

  it('is left alone by those who only read', async () => {
    const engine = open({ readOnly: true });
    expect(await entries(engine)).toHaveLength(395);
    const transaction = engine.begin({ writable: true });
    transaction.put('a', 1);
    expect(() => transaction.commit()).toThrow(expect.objectContaining({ code: 'read_only' }));
    await engine.close();
    expect(readFileSync(join(folder, 'data.mdb')).equals(OLD)).toBe(true);
  });

  it('takes no value without a checksum once it is converted', () => {
    const bytes = encodeRecord('old');
    expect(new StoredValues(true, () => 'it').decode('key', bytes)).toBe('old');
    const decode = () => new StoredValues(false, () => 'the record').decode('key', bytes);
    expect(decode).toThrow(expect.objectContaining({ code: 'storage_corrupt' }));
    expect(decode).toThrow('the record is not as it was written');
  });
});
