import { checkFile } from '../../../src/storage/lmdb/engine/check-file.js';
import { openLmdb } from '../../../src/storage/lmdb/engine/lmdb.js';
import { heldTimers } from '../held-timers.js';
import { type Acknowledged, commitLinked, faultsIn, heard, lastOf, NOTHING, WRITERS } from './linked-writes.js';

/** What is wrong with the store in a folder, as it is found, when it is opened, and when it has gone on for a while. */
export async function faultsOfStore(folder: string, acknowledged: Acknowledged): Promise<readonly string[]> {
  const faults: string[] = [];
  const page = (what: string) => void faults.push(what);
  const check = () => checkFile(folder, { page, value: page, progress: () => undefined });
  try {
    // Before that there may be no file.
    if (acknowledged !== NOTHING) check();
    const engine = openLmdb(folder, { timers: heldTimers().timers });
    try {
      faults.push(...(await faultsIn(engine, acknowledged)));
      let known = acknowledged;
      for (const writer of WRITERS)
        known = heard(known, await commitLinked(engine, writer, (await lastOf(engine, writer)) + 1));
      faults.push(...(await faultsIn(engine, known)));
    } finally {
      await engine.close();
    }
    check();
  } catch (error) {
    faults.push(String(error));
  }
  return faults;
}
