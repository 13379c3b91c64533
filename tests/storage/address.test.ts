import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from 'lmdb';
import { afterAll, describe, expect, it, test } from 'vitest';
import { bannerText } from '../../src/server/banner.js';
import { readStoreAddress, withoutPassword } from '../../src/storage/address.js';
import { openEngine } from '../../src/storage/open/open.js';

const base = mkdtempSync(join(tmpdir(), 'tessera-address-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

describe('the address of a store', () => {
  it.each([
    ['memory', 'memory', '', undefined],
    ['mem://', 'memory', '', undefined],
    ['mem:', 'memory', '', undefined],
    ['./data', 'lmdb', './data', undefined],
    ['C:\\data', 'lmdb', 'C:\\data', undefined],
    ['what?', 'lmdb', 'what?', undefined],
    ['file:data', 'lmdb', 'data', undefined],
    ['file:///var/data', 'lmdb', '/var/data', undefined],
    ['rocksdb:data.db', 'lmdb', 'data.db', 'RocksDB'],
    ['rocksdb://data.db', 'lmdb', 'data.db', 'RocksDB'],
    ['SurrealKV:///var/data', 'lmdb', '/var/data', 'SurrealKV'],
    ['surrealkv+versioned://data', 'lmdb', 'data', 'SurrealKV'],
  ])('%s', (address, engine, path, inPlaceOf) => {
    expect(readStoreAddress(address)).toEqual({ engine, path, inPlaceOf, parameters: new Map() });
  });

  it('may have parameters', () => {
    const { path, parameters } = readStoreAddress('surrealkv://data?versioned=true&sync=never');
    expect(path).toBe('data');
    expect([...parameters]).toEqual([
      ['versioned', 'true'],
      ['sync', 'never'],
    ]);
  });

  it.each(['', 'file:', 'rocksdb://', 'rocksdb:?sync=never', 'tikv://127.0.0.1:2379', 'constructor:data'])(
    'is none: %j',
    (address) => {
      expect(() => readStoreAddress(address)).toThrow('names no store');
    },
  );
});

test.each([
  ['postgres://app:secret@db/shop', 'postgres://app:…@db/shop'],
  ['postgres://app:a/b@c@db/shop?schema=x', 'postgres://app:…@db/shop?schema=x'],
  ['postgres://db/shop?user=app&password=secret&schema=x', 'postgres://db/shop?user=app&password=…&schema=x'],
  ['postgres://app@db/shop', 'postgres://app@db/shop'],
  ['./data', './data'],
])('%s is shown without a password', (address, shown) => {
  expect(withoutPassword(address)).toBe(shown);
  const banner = { url: 'http://127.0.0.1:8000', path: address, hasRootUser: true, graphql: true };
  expect(bannerText(banner)).toContain(`Data       ${shown}\n`);
});

test('no error shows the password of an address that names no store', () => {
  expect(() => readStoreAddress('mysql://app:secret@db/shop')).toThrow("'mysql://app:…@db/shop' names no store");
});

describe('a folder', () => {
  it('of another engine is left alone', async () => {
    const folder = join(base, 'foreign');
    mkdirSync(folder);
    writeFileSync(join(folder, 'CURRENT'), '');
    await expect(openEngine(`rocksdb:${folder}`)).rejects.toMatchObject({ code: 'storage_foreign' });
    expect(readdirSync(folder)).toEqual(['CURRENT']);
  });

  it('of our own opens under any name', async () => {
    const folder = join(base, 'own');
    await (await openEngine(folder)).close();
    await (await openEngine(`rocksdb:${folder}`)).close();
  });

  it.each([
    ['4', 'a newer Tessera wrote'],
    ['0', 'Export it with the version that wrote it'],
    ['unheard of', 'Export it with the version that wrote it'],
  ])('of the format %s is refused as it is', async (format, message) => {
    const folder = join(base, `format-${format}`);
    await (await openEngine(folder)).close();
    const write = (text: string) => {
      const root = open<Uint8Array, string>({
        path: join(folder, 'data.mdb'),
        noSubdir: true,
        overlappingSync: false,
        encoding: 'binary',
      });
      const about = root.openDB<Uint8Array, string>({ name: 'about', encoding: 'binary' });
      const before = about.get('format');
      about.putSync('format', new TextEncoder().encode(text));
      return root.close().then(() => new TextDecoder().decode(before));
    };
    expect(await write(format)).toBe('2');
    await expect(openEngine(folder)).rejects.toMatchObject({
      code: 'storage_format',
      message: expect.stringContaining(message),
    });
    // It isn't locked, and nothing has been changed.
    expect(await write('2')).toBe(format);
    await (await openEngine(folder)).close();
  });
});
