/**
 * One of several processes on a folder: `node shared-lmdb-child.js <folder> <owner> <mode> <name> <count> [archive]`. It prints a line for each commit once it
 * is acknowledged.
 *
 * `histories` runs transactions of all kinds on a few keys and prints what they read and wrote; `<name>` seeds them. `increment` increments one
 * counter. `commit` and `large` commit until they are killed, as in `crash-child.ts`; `large` says before each commit that it begins. `hold` takes the
 * lock of writers until its input ends.
 */
import { readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DATA_FILE } from '../../src/storage/lmdb/engine/lmdb-store.js';
import { openDatabases } from '../../src/storage/lmdb/file/lmdb-databases.js';
import { openSharedLmdb } from '../../src/storage/lmdb/shared/open.js';
import { withRetries } from '../../src/storage/retry.js';
import { commitPair } from '../support/paired-writes.js';
import { patientTimers } from '../support/patient-timers.js';
import { runTransactions } from '../support/shared-histories.js';

const [, , folder = '', owner = '', mode = '', name = '', count = '0', archive] = process.argv;
const engine = openSharedLmdb(folder, { owner: Number(owner), size: 3 }, { timers: patientTimers, archive });

function say(line: string): void {
  writeSync(1, `${line}\n`);
}

const MODES: Readonly<Record<string, () => Promise<void>>> = {
  histories: () => runTransactions(engine, Number(name), Number(count), (history) => say(JSON.stringify(history))),
  async increment() {
    for (let left = Number(count); left > 0; left--) {
      await withRetries(engine, async (transaction) => {
        transaction.put('counter', ((await transaction.get('counter')) as number) + 1);
        transaction.append('log/', name);
      });
      say('incremented');
    }
  },
  async commit() {
    for (let round = 1; ; round++) {
      await commitPair(engine, name, round);
      say(`${name} ${round}`);
    }
  },
  async large() {
    for (let round = 1; ; round++) {
      const transaction = engine.begin({ writable: true });
      for (let at = 0; at < 10_000; at++) transaction.put(`many/${at}`, round);
      say(`begin ${round}`);
      await transaction.commit();
      say(`end ${round}`);
    }
  },
  async hold() {
    const { root } = openDatabases(join(folder, DATA_FILE), { sync: true, readOnly: false, hasLog: true });
    root.transactionSync(() => {
      say('held');
      readSync(0, Buffer.alloc(1));
    });
    await root.close();
  },
};

// As the sockets of a server do: what an engine waits for keeps no process alive.
const alive = setInterval(() => undefined, 60_000);
await MODES[mode]?.();
await engine.close();
clearInterval(alive);
