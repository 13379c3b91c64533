// Asks both engines random statements over small random data, and prints the smallest case of each difference it finds.
//
//     npm run build && cd compare && npm ci
//     node fuzz.mjs --about expression --rounds 20 --runs 200 --seed 1      about: expression, select, write
//
// Each round has a seed of its own, which is printed. `--dist FOLDER` takes another build of Tessera.
import { appendFileSync } from 'node:fs';
import fc from 'fast-check';
import { readOptions } from '../scripts/options.mjs';
import { cases } from './arbitrary.mjs';
import { DIST, openEngines } from './engines.mjs';

const HELP = `Asks both engines random statements over small random data, and prints the smallest case of each difference. Needs a build.

  node fuzz.mjs [options]

  --about KIND    expression, select or write (expression)
  --rounds N      rounds, each with a seed of its own (10)
  --runs N        cases in a round (200)
  --seed N        the first seed (any)
  --save FILE     appends the smallest case of each difference to a script, with what the peer answers
  --keep N        appends N cases of each round on which both agree as well (0)
  --dist FOLDER   another build of Tessera
  --peer FOLDER   a folder in whose node_modules @surrealdb/node is
  -h, --help      prints this`;

const { values: flags } = readOptions(HELP, {
  options: {
    dist: { type: 'string', default: DIST },
    peer: { type: 'string' },
    about: { type: 'string', default: 'expression' },
    rounds: { type: 'string', default: '10' },
    runs: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    save: { type: 'string' },
    keep: { type: 'string', default: '0' },
  },
});
/** Differences that are decided (docs/reference/compatibility.md), by what the peer says. */
const DECIDED = [/Exceeded|depth/, /Unsupported value type/, /Invalid function\/constant path|Unknown function/];

/** What the peer 3.0.2 gets wrong: `*` loses a field that is named besides it with an alias. */
const DECIDED_STATEMENTS = [/SELECT \*, \w+ AS /, /SPLIT \w+ .*START/];
/** Generated ids differ each time. */
const masked = (lines) => lines.join('\n        ').replace(/:[a-z0-9]{20}\b/g, ':RANDOM');

const { here, there } = await openEngines(flags.dist, flags.peer);
let database = 0;

async function differenceIn([setup, statements]) {
  const selected = `d${database++}`;
  for (const engine of [here, there]) {
    await engine.use('owner', 'fuzz', selected);
    await engine.ask('owner', setup);
  }
  for (const statement of statements) {
    const ours = masked(await here.ask('owner', statement));
    const theirs = masked(await there.ask('owner', statement));
    const isDecided =
      DECIDED.some((text) => text.test(theirs)) || DECIDED_STATEMENTS.some((text) => text.test(statement));
    if (ours !== theirs && !isDecided) return `${statement}\n   peer ${theirs}\n   here ${ours}`;
  }
  return undefined;
}

/** Appends a case to a script (tests/scripts): a database of its own, and what the peer answers. Drawn ids have no place in one. */
async function save(name, [setup, statements], onlyEqual = false) {
  if (flags.save === undefined) return;
  const lines = [`--@use fuzz ${name}`, setup, '--ok'];
  for (const engine of [here, there]) {
    await engine.use('owner', 'fuzz', name);
    await engine.ask('owner', setup);
  }
  for (const statement of statements) {
    const ours = await here.ask('owner', statement);
    const theirs = await there.ask('owner', statement);
    // A difference that is decided is known already.
    if (onlyEqual && ours.join('\n') !== theirs.join('\n')) continue;
    // Nor can all ways of running scripts send a regex.
    if (theirs.some((line) => line.includes('Unsupported value type'))) continue;
    const answers = theirs.map((line) => line.replaceAll('\n', '\\n'));
    if (answers.some((line) => /:[a-z0-9]{20}\b/.test(line))) return;
    if (!answers[0]?.startsWith('--! Parse error: ')) lines.push(statement, ...answers);
    else lines.push(`--@fails ${answers[0].slice('--! '.length).split('\\n')[0]}`, statement, '');
  }
  appendFileSync(flags.save, `${lines.join('\n')}\n`);
}

for (let round = 0; round < Number(flags.rounds); round++) {
  const seed = Number(flags.seed) + round;
  const property = fc.asyncProperty(cases[flags.about], async (one) => (await differenceIn(one)) === undefined);
  const { failed, counterexample, numRuns } = await fc.check(property, { seed, numRuns: Number(flags.runs) });
  if (!failed) console.log(`seed ${seed}: ${numRuns} cases, no difference`);
  else {
    const [[setup, statements]] = counterexample;
    await save(`${flags.about}_${seed}`, [setup, statements]);
    const used = statements.join('\n');
    console.log(
      `seed ${seed}:\n${/\b(t|u|link|l|o|[abcd])\b/.test(used) ? `${setup}\n` : ''}${used}\n → ${await differenceIn([setup, statements])}\n`,
    );
  }
}
for (let round = 0; round < Number(flags.rounds); round++) {
  const seed = Number(flags.seed) + round;
  for (const [at, one] of fc.sample(cases[flags.about], { seed, numRuns: Number(flags.keep) }).entries()) {
    if ((await differenceIn(one)) === undefined) await save(`${flags.about}_${seed}_${at}`, one, true);
  }
}
await here.close();
process.exit(0);
