import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { abortTransaction, openDatabases } from '../../src/storage/lmdb/file/lmdb-databases.js';
import { LastTransaction, lockFileOf } from '../../src/storage/lmdb/file/lmdb-lock-file.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'tessera-lock-'));
afterAll(() => rmSync(FOLDER, { recursive: true }));

it('shows each commit as soon as it is there, and nothing that was aborted', async () => {
  const path = join(FOLDER, 'data.mdb');
  const { root, records } = openDatabases(path, { sync: false, readOnly: false });
  const last = new LastTransaction(lockFileOf(path));
  const inLibrary = () => (root.getStats() as { readonly lastTxnId: number }).lastTxnId;
  for (let commit = 0; commit < 5; commit++) {
    const before = last.read();
    await records.put(`key${commit}`, new Uint8Array(1));
    expect(last.read()).toBe(before + 1);
    expect(last.read()).toBe(inLibrary());
  }
  const before = last.read();
  root.transactionSync(() => {
    records.putSync('aborted', new Uint8Array(1));
    return abortTransaction();
  });
  expect(last.read()).toBe(before);
  await root.close();
  last.close();
});
