// One build of Tessera in a process of its own: opens small data in every target, then measures what the parent process asks for.

import { NOTHING } from '../data/nothing.mjs';
import { TARGETS } from '../targets/index.mjs';
import { WORKLOADS } from '../workloads/index.mjs';
import { contenderOf, runs } from './bench.mjs';
import { useFolder } from './build.mjs';
import { grouped } from './grouped.mjs';
import { calibrate, timed } from './rounds.mjs';

const ROWS = 1_000;
/** Short enough that some samples are left alone by whatever else the machine does. */
const MILLISECONDS = 3;
/** Until the compiler has mostly made up its mind. */
const WARM_UP = 30;
/** Milliseconds of processor time: what takes longer at a time is left out. */
const LONGEST = 40;

const [folder, ...names] = process.argv.slice(2);
useFolder(folder);

/** What is measured: a workload in a target, by name. @type {Map<string, {workload: object, contender: object}>} */
const cells = new Map();
const nameOf = (workload, target) => `${workload.name} (${target.name})`;
const wanted = (workload, target) => runs(workload, target) && names.includes(nameOf(workload, target));

for (const [data, workloads] of grouped(WORKLOADS, ({ data = NOTHING }) => data)) {
  for (const target of TARGETS) {
    const several = workloads.filter((workload) => wanted(workload, target));
    if (several.length === 0) continue;
    const rows = Math.min(ROWS, data.most ?? ROWS);
    const opened = await target.open(data, rows);
    for (const workload of several) {
      const contender = contenderOf(workload, target, opened, rows);
      const name = nameOf(workload, target);
      try {
        await calibrate(workload, contender, MILLISECONDS, WARM_UP);
        const { processor } = await timed(workload, contender);
        if (processor * contender.count * (workload.per ?? 1) > LONGEST * 1e6) continue;
        cells.set(name, { workload, contender });
      } catch (error) {
        // What the other revision doesn't know yet can't be compared.
        console.error(`${name} doesn't run: ${error.message}`);
      }
    }
  }
}

const counts = Object.fromEntries([...cells].map(([name, { contender }]) => [name, contender.count]));
process.on('message', async ({ name, count }) => {
  const { workload, contender } = cells.get(name);
  process.send(await timed(workload, contender, count));
});
process.send(counts);
