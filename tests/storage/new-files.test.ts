/** The files of a new store: whole, and on the disk, before they have their names. */
import fs, { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openLmdb } from '../../src/storage/lmdb/engine/lmdb.js';

const { fsyncSync, linkSync } = fs;
let root: string;
let folder: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tessera-new-files-'));
  folder = join(root, 'data');
});
afterEach(() => {
  Object.assign(fs, { fsyncSync, linkSync });
  syncBuiltinESMExports();
  rmSync(root, { recursive: true });
});

async function commitOnce(): Promise<void> {
  const engine = openLmdb(folder);
  const transaction = engine.begin({ writable: true });
  transaction.put('key', 'value');
  await transaction.commit();
  await engine.close();
}

it('are flushed by then, with both of their first pages', async () => {
  const flushed = new Map<number, number>();
  const named: string[] = [];
  Object.assign(fs, {
    fsyncSync(descriptor: number) {
      fsyncSync(descriptor);
      const { ino, size } = fs.fstatSync(descriptor);
      flushed.set(ino, size);
    },
    linkSync(from: string, to: string) {
      const { ino, size } = statSync(from);
      if (to.endsWith('.mdb')) {
        expect([basename(to), flushed.get(ino)]).toEqual([basename(to), size]);
        named.push(basename(to));
      }
      linkSync(from, to);
    },
  });
  syncBuiltinESMExports();
  await commitOnce();
  expect(named).toEqual(['owner.mdb', 'data.mdb']);
  expect(readdirSync(folder).sort()).toEqual(['data.mdb', 'data.mdb-lock', 'owner.mdb', 'owner.mdb-lock']);
});

it('are made afresh where a process with the same number has left a part of them', async () => {
  mkdirSync(folder);
  for (const name of ['owner.mdb', 'data.mdb'])
    writeFileSync(join(folder, `${name}-${process.pid}`), Buffer.alloc(4_096));
  await commitOnce();
  expect(readdirSync(folder)).toHaveLength(4);
});

it('take the place of empty ones, as a crash of an older release may have left', async () => {
  mkdirSync(folder);
  for (const name of ['owner.mdb', 'data.mdb']) writeFileSync(join(folder, name), '');
  await commitOnce();
  expect(statSync(join(folder, 'owner.mdb')).size).toBeGreaterThan(0);
});
