import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLmdb } from '../../src/storage/lmdb/engine/lmdb.js';
import { NO_READERS } from '../../src/storage/lmdb/engine/oldest-reader.js';
import { RECORDS_TREE } from '../../src/storage/lmdb/file/lmdb-integrity.js';
import { SpaceReserve } from '../../src/storage/lmdb/file/lmdb-space.js';
import { compiled } from '../support/compiled.js';

const BASE = mkdtempSync(join(tmpdir(), 'tessera-'));
let folder: string;
let data: string;
let sound: Buffer;
let child: string;
beforeAll(async () => {
  child = compiled('tests/storage/full-disk-child.ts', BASE);
  folder = join(BASE, 'data');
  data = join(folder, 'data.mdb');
  const engine = openLmdb(folder);
  const transaction = engine.begin({ writable: true });
  transaction.put('key', 'value');
  await transaction.commit();
  await engine.close();
  sound = readFileSync(data);
});
afterAll(() => rmSync(BASE, { recursive: true, force: true }));

const withCode = (code: string) => expect.objectContaining({ code });
/** Where the first meta page has the page size, and the number of its transaction. */
const PAGE_SIZE_AT = 24 + 24;
const TRANSACTION_AT = 24 + 128;

function withPageSize(size: number) {
  return (file: Buffer) => {
    file.writeUInt32LE(size, PAGE_SIZE_AT);
    return file;
  };
}

function withTransaction(file: Buffer): Buffer {
  file.writeUInt8(file.readUInt8(TRANSACTION_AT) ^ 8, TRANSACTION_AT);
  return file;
}

/** Writes the numbers of ever later transactions into the two meta pages, as commits do, until it is ended. */
const COMMITTER = `
  const { openSync, writeSync } = require('node:fs');
  const { parentPort, workerData: { path, page, from } } = require('node:worker_threads');
  const file = openSync(path, 'r+');
  const number = Buffer.alloc(8);
  for (let transaction = from + 1; ; transaction++) {
    number.writeBigUInt64LE(BigInt(transaction));
    writeSync(file, number, 0, 8, (transaction % 2) * page + ${TRANSACTION_AT});
    if (transaction === from + 1_000) parentPort.postMessage('busy');
  }`;

it('is not taken for damaged while others commit', async () => {
  const path = join(mkdtempSync(join(BASE, 'busy-')), 'data.mdb');
  writeFileSync(path, sound);
  const page = sound.readUInt32LE(PAGE_SIZE_AT);
  const numberAt = (place: number) => Number(sound.readBigUInt64LE(place * page + TRANSACTION_AT));
  const from = Math.max(numberAt(0), numberAt(1));
  const committer = new Worker(COMMITTER, { eval: true, workerData: { path, page, from } });
  try {
    await once(committer, 'message');
    for (let opened = 0; opened < 500; opened++) new SpaceReserve(path, RECORDS_TREE, NO_READERS).close();
  } finally {
    await committer.terminate();
  }
});

describe('A data file that can’t be used', () => {
  it('is reported by one error, and left as it is', async () => {
    const cases: [string, string, (file: Buffer) => Buffer][] = [
      ['storage_unavailable', 'is no data file', () => Buffer.from('something else')],
      ['storage_corrupt', 'ends at', (file) => file.subarray(0, 4096)],
      ['storage_corrupt', 'page size of 12345', withPageSize(12_345)],
      ['storage_corrupt', 'different page sizes|not marked', withPageSize(8192)],
      ['storage_corrupt', 'contradict', withTransaction],
    ];
    for (const [code, text, damage] of cases) {
      const damaged = damage(Buffer.from(sound));
      writeFileSync(data, damaged);
      expect(() => openLmdb(folder)).toThrow(withCode(code));
      expect(() => openLmdb(folder)).toThrow(new RegExp(text));
      expect(readFileSync(data).equals(damaged)).toBe(true);
    }
    writeFileSync(data, sound);
    const engine = openLmdb(folder);
    expect(engine.begin({ writable: false }).get('key')).toBe('value');
    await engine.close();
  });

  it('is no new store if it is empty and was used', async () => {
    truncateSync(data, 0);
    expect(() => openLmdb(folder)).toThrow(withCode('storage_corrupt'));
    expect(() => openLmdb(folder)).toThrow('data.mdb is empty, although there was a store in it');
    writeFileSync(data, sound);
    const fresh = join(BASE, 'fresh');
    mkdirSync(fresh);
    writeFileSync(join(fresh, 'data.mdb'), '');
    await openLmdb(fresh).close();
  });

  it('is found out while it is used, if it is cut off', async () => {
    const engine = openLmdb(folder);
    const large = 'x'.repeat(1 << 20);
    const commit = async () => {
      const transaction = engine.begin({ writable: true });
      transaction.put('large', large);
      await transaction.commit();
    };
    await commit();
    const { length } = readFileSync(data);
    // All that is in use lies before.
    truncateSync(data, length - 4096);
    await expect(commit()).rejects.toThrow('was cut off');
    truncateSync(data, length);
    await commit();
    await engine.close();
    writeFileSync(data, sound);
  });

  it.skipIf(process.platform === 'win32')('by the rights to it ends the process in order', () => {
    // Root may write everything, so another user tries, whom the folders above must let by.
    const env = { ...process.env, ...(process.getuid?.() === 0 && { RUN_AS: '65534' }) };
    const open = (path: string) => spawnSync(process.execPath, [child, path, '1'], { encoding: 'utf8', env });
    chmodSync(BASE, 0o755);
    chmodSync(folder, 0o755);
    chmodSync(data, 0o444);
    for (const path of [folder, join(folder, 'below'), resolve(data)]) {
      const { status, signal, stderr } = open(path);
      expect({ status, signal }).toEqual({ status: 1, signal: null });
      expect(stderr).toContain("code: 'storage_unavailable'");
    }
    chmodSync(folder, 0o700);
    expect(open(folder)).toMatchObject({ status: 1, signal: null });
  });
});
