// The same work on Tessera and on what a user would pick instead, side by side in alternating rounds of one run: over HTTP, with processor time of all
// processes of a server, latency and rate. Needs a build (`npm run build`); records/neighbours.md says how the others are had. On Linux.
//
//     node bench/neighbours.mjs [--rounds 3] [--only tessera,postgraphile] [--pause 40] [--build ../other]
import { loadavg } from 'node:os';
import { resolve } from 'node:path';
import { readOptions } from '../scripts/options.mjs';
import { useFolder } from './harness/build.mjs';
import { spreadOf } from './harness/statistics.mjs';
import { fill, measure, open } from './neighbours/measure.mjs';
import { COLD, lossesOf, PAUSED, REHEAT, ROWS, tableOf } from './neighbours/rows.mjs';
import { SYSTEMS } from './neighbours/systems.mjs';

const HELP = `The same work on Tessera and on its neighbours: 200 users, 20,000 notes under rules. Needs a build.

  node bench/neighbours.mjs [options]

  --only NAMES        of ${Object.keys(SYSTEMS).join(', ')}
  --rounds N          in each of which every system has its turn (3)
  --pause SECONDS     measures, too, what is asked after a while without requests
  --hot               leaves out what processes show that have just started
  --quick             a tenth of the requests, to see that all works
  --build DIR         another build of Tessera: a checkout with dist
  --pocketbase PATH   the command, where it isn't in PATH
  --surreal PATH      the command, where it isn't in PATH
  -h, --help          prints this`;
const { values } = readOptions(HELP, {
  options: {
    only: { type: 'string', default: Object.keys(SYSTEMS).join() },
    rounds: { type: 'string', default: '3' },
    pause: { type: 'string' },
    hot: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    build: { type: 'string' },
    pocketbase: { type: 'string' },
    surreal: { type: 'string' },
  },
});
if (values.build !== undefined) useFolder(resolve(values.build, 'dist'));

/** Those that can be had here. */
const systems = values.only.split(',').flatMap((name) => {
  const system = SYSTEMS[name];
  if (system === undefined) {
    console.error(`There is no system '${name}'.\n\n${HELP}`);
    process.exit(2);
  }
  system.use?.(values);
  const missing = system.lacks();
  console.log(`${system.title}: ${missing === undefined ? system.version() : `skipped: ${missing}`}`);
  return missing === undefined ? [system] : [];
});
const results = new Map(systems.map(({ title }) => [title, {}]));
const add = ({ title }, row, figures) => {
  const rows = results.get(title);
  rows[row] ??= [];
  rows[row].push(figures);
};
const shorter = (requests) => (values.quick ? Math.ceil(requests / 10) : requests);
/** Each request has a number of its own, so that it isn't always the same notes. */
const asked = new Map();
function take(system, row, requests) {
  const key = `${system.title} ${row}`;
  const from = asked.get(key) ?? 0;
  asked.set(key, from + requests);
  return from;
}
async function run(system, opened, name, { work, clients, requests }) {
  const count = shorter(requests);
  const from = take(system, work, count);
  try {
    return await measure(opened.server(), opened.works[work], { clients, requests: count, from });
  } catch (error) {
    throw new Error(`${system.title}, ${name}: ${error.message}`, { cause: error });
  }
}

/** What a process of its own shows: its start, a bulk, and the first requests of the next process on that store. */
async function measureFresh(system) {
  const opened = await open(system);
  add(system, 'start', { time: opened.ready });
  add(system, 'bulk', await fill(system, opened.server()));
  await opened.restart();
  add(system, 'cold', await run(system, opened, 'cold', COLD));
  await opened.close();
}

/** Loads of the machine while it is measured: others may be at work on it. */
const loads = [];
function progress(text) {
  loads.push(loadavg()[0]);
  console.error(`${new Date().toISOString().slice(11, 19)} ${text}`);
}
const opened = new Map();
try {
  for (const system of systems) {
    progress(`warming up: ${system.title}`);
    opened.set(system, await open(system));
    await fill(system, opened.get(system).server());
    for (const [name, row] of Object.entries(ROWS)) {
      if (row.warmUp > 0) await run(system, opened.get(system), name, { ...row, requests: row.warmUp });
    }
  }
  for (let round = 0; round < Number(values.rounds); round++) {
    // Who is first in one round is the last in the next.
    const turns = [...systems.slice(round % systems.length), ...systems.slice(0, round % systems.length)];
    for (const [name, row] of Object.entries(ROWS)) {
      progress(`round ${round + 1}: ${row.title}`);
      for (const system of turns) {
        await run(system, opened.get(system), name, { ...row, ...REHEAT });
        add(system, name, await run(system, opened.get(system), name, row));
      }
    }
    if (!values.hot) {
      progress(`round ${round + 1}: fresh processes`);
      for (const system of turns) await measureFresh(system);
    }
    for (const [name, row] of values.pause === undefined ? [] : Object.entries(PAUSED)) {
      progress(`round ${round + 1}: ${row.title}, behind a pause`);
      await new Promise((resume) => setTimeout(resume, Number(values.pause) * 1_000));
      for (const system of turns) add(system, name, await run(system, opened.get(system), name, row));
    }
  }
} finally {
  for (const each of opened.values()) await each.close();
}
console.log('\nProcessor time a request; p50, p99; rate. Medians of the rounds.\n');
console.log(tableOf(results));
const losses = lossesOf(results);
console.log(`\n${losses.length === 0 ? 'No row is lost.' : losses.join('\n')}`);
const { low, median, high } = spreadOf(loads);
console.log(`\nLoad of the machine: ${[low, median, high].map((load) => load.toFixed(1)).join(', ')} (quartiles)`);
