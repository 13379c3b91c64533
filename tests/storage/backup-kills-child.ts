/**
 * What is killed at one of its calls that change files: `node backup-kills-child.js <mode> <from> <to>`.
 *
 * `backup` and `restore` do so. `hold` begins a backup, says so once it has read the store, and goes on for ever.
 * `archive` commits to the store `<from>` with its archive in `<to>`, and prints the number of each commit once it is
 * acknowledged.
 */
import '../support/kill-at-call.js';
import { createBackup } from '../../src/storage/backup/create-backup.js';
import { FolderBlobs } from '../../src/storage/backup/folder-blobs.js';
import { openBackup } from '../../src/storage/backup/read-backup.js';
import { restoreStore } from '../../src/storage/backup/restore-store.js';
import { openLmdb } from '../../src/storage/lmdb/engine/lmdb.js';
import { openArchivedLmdb } from '../../src/storage/lmdb/engine/open-archived.js';
import { commitPair } from '../support/paired-writes.js';

const [, , mode = '', from = '', to = ''] = process.argv;
/** Not by what is counted. */
const say = (line: string) => process.stdout.write(`${line}\n`);
const COMMITS = 4;

/** As the command does with the era. */
async function finish(folder: string): Promise<void> {
  const engine = openLmdb(folder, { sync: 'never' });
  const transaction = engine.begin({ writable: true });
  transaction.put('restored', true);
  await transaction.commit();
  await engine.close();
}

const MODES: Readonly<Record<string, () => Promise<unknown>>> = {
  backup: () => createBackup(from, new FolderBlobs(to)),
  async hold() {
    const blobs = new FolderBlobs(to);
    const held = {
      location: to,
      isEmpty: () => blobs.isEmpty(),
      read: (name: string, most: number) => blobs.read(name, most),
      write: () => {
        say('holds');
        return new Promise<never>(() => setInterval(() => undefined, 60_000));
      },
    };
    await createBackup(from, held);
  },
  restore: async () =>
    restoreStore(await openBackup(new FolderBlobs(from)), to, {
      finish,
      progress: () => undefined,
      replayed: () => undefined,
    }),
  async archive() {
    const engine = await openArchivedLmdb(from, to, {});
    const transaction = engine.begin({ writable: false });
    const begin = ((await transaction.get('last/pair')) as number | undefined) ?? 0;
    transaction.cancel();
    for (let round = begin + 1; round <= begin + COMMITS; round++) {
      await commitPair(engine, 'pair', round);
      say(String(round));
    }
    await engine.close();
  },
};
await MODES[mode]?.();
