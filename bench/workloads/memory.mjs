// What a record of five fields takes, in memory and on disk: a database of its own is loaded in each round.
import { statSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { batches } from '../data/batches.mjs';
import { peopleFrom } from '../data/people.mjs';
import { tessera } from '../harness/build.mjs';
import { temporaryFolder } from '../harness/temporary-folder.mjs';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

/** Bytes of memory that are in use once the garbage is gone. */
function inUse() {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function loaded(address, rows, measure) {
  const { Tessera } = await tessera('embedded/index');
  const db = await Tessera.open(address);
  await db.use('bench', 'bench');
  await db.query('DEFINE TABLE person SCHEMALESS');
  const before = measure();
  for (let from = 0; from < rows; from += 1_000) {
    // Made as they are needed, so that they aren't in memory besides.
    for (const batch of batches(peopleFrom(from, Math.min(1_000, rows - from)))) {
      await db.query('INSERT INTO person $batch RETURN NONE', { batch });
    }
  }
  const after = measure();
  await db.close();
  return (after - before) / rows;
}

/** @type {import('../harness/contract.mjs').Workload[]} */
export const MEMORY = [
  {
    name: 'memory for each record',
    only: ['tessera:memory'],
    figure: 'memory',
    rounds: 3,
    surrealql: () => undefined,
    sample: async (_opened, { rows }) => ({ memory: await loaded('memory', rows, inUse) }),
  },
  {
    name: 'disk for each record',
    only: ['tessera:lmdb'],
    figure: 'disk',
    rounds: 3,
    surrealql: () => undefined,
    sample: async (_opened, { rows }) => {
      const folder = temporaryFolder();
      const size = () => statSync(`${folder.path}/data.mdb`).size;
      const disk = await loaded(folder.path, rows, size);
      folder.remove();
      return { disk };
    },
  },
];
