// LMDB through the library that Tessera uses, with its own encoding of values: what a store on disk costs without a database around it.
import { plain } from '../harness/answers.mjs';
import { temporaryFolder } from '../harness/temporary-folder.mjs';

async function openStore(dataset, rows) {
  const { open } = await import('lmdb');
  const folder = temporaryFolder();
  // Like Tessera's store: fsync, then the page that makes a transaction visible.
  const root = open({ path: folder.path, overlappingSync: false });
  const tables = Object.fromEntries(Object.keys(dataset.tables).map((name) => [name, root.openDB({ name })]));
  const load = async (table, all) => {
    await root.transaction(() => {
      for (const row of all) void tables[table].put(row.id, row);
    });
  };
  const record = (_table, id) => id;
  for (const [name, { rows: made }] of Object.entries(dataset.tables)) await load(name, made(rows, record));
  return {
    root,
    tables,
    record,
    load,
    clear: (table) => tables[table].clearAsync(),
    answer: plain,
    close: async () => {
      await root.close();
      folder.remove();
    },
  };
}

/** @type {import('../harness/contract.mjs').Target[]} */
export const LMDB = [
  {
    name: 'lmdb',
    title: 'raw LMDB',
    speaks: 'lmdb',
    keeps: 'a crash of the machine: fsync before the answer',
    needs: ['lmdb'],
    open: openStore,
  },
];
