// Processor time of scripts that come once, here and on the embedded peer, both in process and in memory, each script in a store of its own. For
// developers; no test needs it.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { readOptions } from '../scripts/options.mjs';
import { DIST, openPeerEngine, openTessera } from './engines.mjs';
import { FAMILIES, scriptOf } from './families/families.mjs';
import { PEER } from './peer.mjs';
import { answers, stepsOfFile, stepsOfLines, writtenScripts } from './script.mjs';

const HELP = `Prints the processor time of scripts that come once, here and on the embedded peer.

  node compare/once.mjs [options]

  --peer FOLDER   a folder in whose node_modules @surrealdb/node is (compare, after npm ci in it)
  --scripts N     scripts of each generated family (60)
  --dist FOLDER   another build of Tessera
  -h, --help      prints this`;

const { values: flags } = readOptions(HELP, {
  options: {
    dist: { type: 'string', default: DIST },
    peer: { type: 'string', default: PEER },
    scripts: { type: 'string', default: '60' },
    engine: { type: 'string' },
  },
});
/** Other scripts of the families come before, so that code is warm and no text is known. */
const [SEED, SEED_BEFORE] = [1, 2];
/** The generated calls of functions need a list of them, and say nothing about statements. */
const GENERATED = Object.keys(FAMILIES).filter((family) => family !== 'functions');
/** Scripts that wait measure the timer, and some panic the peer. */
const LEFT_OUT = /sleep|panics/i;

function* generated(seed) {
  for (const family of GENERATED) {
    for (let number = 0; number < Number(flags.scripts); number++) {
      yield { name: `${family} ${number}`, steps: stepsOfLines(scriptOf(family, seed, number, [])) };
    }
  }
}

function* all() {
  yield* generated(SEED);
  for (const { name, source } of writtenScripts()) {
    if (!LEFT_OUT.test(source)) yield { name, steps: [...stepsOfFile(source)] };
  }
}

const open = () => (flags.engine === 'peer' ? openPeerEngine(flags.dist, flags.peer) : openTessera(flags.dist));

/** Microseconds of the processor, those of all threads together. */
async function costOf(steps) {
  const engine = await open();
  const before = process.cpuUsage();
  await answers(engine, steps);
  const { user, system } = process.cpuUsage(before);
  await engine.close();
  return user + system;
}

/** One engine in a process of its own, which begins behind the last script that another one hasn't survived. */
async function measure(from) {
  // The peer needs no warming, and not all of these leave it alive.
  if (flags.engine !== 'peer') for (const { steps } of generated(SEED_BEFORE)) await costOf(steps);
  let at = 0;
  for (const { steps } of all()) {
    if (at++ < from) continue;
    process.send({ at: at - 1 });
    process.send({ at: at - 1, cost: await costOf(steps) });
  }
  process.exit(0);
}

/** Costs by the number of the script; those that end the process are missing. */
async function costsOf(engine) {
  const costs = new Map();
  for (let from = 0, isOver = false; !isOver; from++) {
    const args = [`--engine=${engine}`, `--scripts=${flags.scripts}`, `--dist=${flags.dist}`, `--peer=${flags.peer}`];
    const child = fork(fileURLToPath(import.meta.url), args, {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      env: { ...process.env, ONCE_FROM: String(from) },
    });
    child.on('message', ({ at, cost }) => {
      from = at;
      if (cost !== undefined) costs.set(at, cost);
    });
    isOver = (await new Promise((resolve) => child.on('exit', resolve))) === 0;
  }
  return costs;
}

const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];

function show(title, pairs) {
  const ratios = pairs.map(({ here, there }) => here / there).sort((a, b) => a - b);
  const sum = (side) => pairs.reduce((total, pair) => total + pair[side], 0) / 1e3;
  const median = (side) =>
    at(
      pairs.map((pair) => pair[side]).sort((a, b) => a - b),
      0.5,
    ) / 1e3;
  console.log(
    `${title}: ${pairs.length} scripts, median ${median('here').toFixed(2)} ms to ${median('there').toFixed(2)}; ratio: median ` +
      `${at(ratios, 0.5).toFixed(2)}, 90th percentile ${at(ratios, 0.9).toFixed(2)}, of the sums ${(sum('here') / sum('there')).toFixed(2)}`,
  );
}

if (flags.engine !== undefined) await measure(Number(process.env['ONCE_FROM'] ?? 0));
const [here, there] = [await costsOf('tessera'), await costsOf('peer')];
const pairs = [...all()].flatMap(({ name, steps }, number) => {
  const [one, other] = [here.get(number), there.get(number)];
  const texts = steps.filter(({ text }) => text !== undefined).length;
  return one === undefined || other === undefined ? [] : [{ name, texts, here: one, there: other }];
});
for (const family of GENERATED)
  show(
    family,
    pairs.filter(({ name }) => name.startsWith(`${family} `)),
  );
show(
  'written',
  pairs.filter(({ name }) => name.endsWith('.surql')),
);
show('all', pairs);
console.log('the worst:');
for (const pair of pairs.sort((a, b) => b.here / b.there - a.here / a.there).slice(0, 15)) {
  const { name, texts, here: one, there: other } = pair;
  console.log(
    `  ${name} (${texts} texts): ${(one / 1e3).toFixed(2)} ms to ${(other / 1e3).toFixed(2)}, ${(one / other).toFixed(2)}`,
  );
}
