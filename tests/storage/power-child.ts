/**
 * A process whose calls are traced: `node power-child.js <folder> …`. In each folder it opens the store, commits to it
 * from where that was, and closes it. It prints what is acknowledged, behind the number of the folder.
 */
import { writeSync } from 'node:fs';
import { openLmdb } from '../../src/storage/lmdb/engine/lmdb.js';
import { heldTimers } from '../support/held-timers.js';
import { commitLinked, lastOf, WRITERS, type Writer } from '../support/power/linked-writes.js';

const ROUNDS = 7;

for (const [at, folder] of process.argv.slice(2).entries()) {
  const { timers, held } = heldTimers();
  const engine = openLmdb(folder, { timers });
  const write = async (writer: Writer, rounds: number) => {
    const first = lastOf(engine, writer) + 1;
    for (let round = first; round < first + rounds; round++) {
      writeSync(1, `${at} ${await commitLinked(engine, writer, round)}\n`);
      // The tree follows while others go on.
      if (round % 3 === 0) for (const follow of [...held]) follow();
    }
  };
  await Promise.all(WRITERS.map((writer) => write(writer, ROUNDS)));
  await Promise.all([write('many', 1), write('a', 3)]);
  await engine.close();
}
