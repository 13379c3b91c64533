// All targets side by side in one run: see README.md.
import { readOptions } from '../scripts/options.mjs';
import { bench, missing } from './harness/bench.mjs';
import { printAims, printMeasured, writeTables } from './harness/report.mjs';
import { addResults, machine, measured, USUAL_ROWS } from './harness/results.mjs';
import { TARGETS } from './targets/index.mjs';
import { FAMILIES } from './workloads/index.mjs';

const RESULTS = new URL('results.json', import.meta.url);

const HELP = `Measures all targets side by side: see bench/README.md.

  npm run bench -- [options]

  --only WORDS      workloads whose name holds one of these words, with commas between
  --targets WORDS   likewise for targets
  --rows N          records in a dataset
  --rounds N        rounds, of which medians are taken
  --quick           few rows and rounds, and nothing that needs servers
  --json FILE       adds the results to a file
  --write           adds them to bench/results.json, and writes the tables of the pages
  -h, --help        prints this`;

const { values } = readOptions(HELP, {
  options: {
    only: { type: 'string' },
    targets: { type: 'string' },
    rows: { type: 'string' },
    rounds: { type: 'string' },
    quick: { type: 'boolean', default: false },
    json: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});
const { rows, rounds, milliseconds, enough } = {
  ...(values.quick
    ? { rows: 2_000, rounds: 3, milliseconds: 15, enough: 1_000 }
    : { rows: USUAL_ROWS, rounds: 11, milliseconds: 60, enough: 20_000 }),
  ...(values.rows && { rows: Number(values.rows) }),
  ...(values.rounds && { rounds: Number(values.rounds) }),
};

/** Words with commas between them, one of which a name must hold. */
const named = (words) => (name) => words === undefined || words.split(',').some((word) => name.includes(word.trim()));
const families = FAMILIES.filter(({ servers }) => !(values.quick && servers) || values.only !== undefined);
const workloads = families.flatMap((family) => family.workloads).filter(({ name }) => named(values.only)(name));
const targets = [];
for (const target of TARGETS.filter(({ name }) => named(values.targets)(name))) {
  const why = await missing(target);
  if (why === undefined) targets.push(target);
  else console.log(`without ${target.name}: ${why}`);
}

const on = machine();
/** @type {import('./harness/results.mjs').Measured[]} */
const results = [];
const began = performance.now();
await bench({
  workloads,
  targets,
  rows,
  effort: { rounds, milliseconds, enough },
  progress: (text) => console.log(`  (${text})`),
  tell: (result) => {
    const given = measured(result, on);
    const judged = values.quick ? { ...given, aims: [] } : given;
    results.push(judged);
    printMeasured(judged);
    // A run that is cut short keeps what it has measured.
    if (values.json) addResults(values.json, [judged]);
    if (values.write) writeTables(addResults(RESULTS, [judged]));
  },
});
if (!values.quick) printAims(results);
console.log(`\n${((performance.now() - began) / 1e3).toFixed(0)} s`);
// Some engines leave threads behind that keep a process alive.
process.exit(0);
