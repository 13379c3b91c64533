// Asks both engines random statements over small random data, and prints the smallest case of each difference it finds.
//
//     npm run build && cd compare && npm ci
//     node fuzz.mjs --about expression --rounds 20 --runs 200 --seed 1      about: expression, select, write
//
// Each round has a seed of its own, which is printed. `--dist FOLDER` takes another build of Tessera.
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { cases } from './arbitrary.mjs';
import { DIST, openEngines } from './engines.mjs';

const { values: flags } = parseArgs({
  options: {
    dist: { type: 'string', default: DIST },
    about: { type: 'string', default: 'expression' },
    rounds: { type: 'string', default: '10' },
    runs: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
/** Differences that are decided (docs/COMPATIBILITY.md), by what the peer says. */
const DECIDED = [/Exceeded|depth/, /Unsupported value type/, /Invalid function\/constant path|Unknown function/];

/** What the peer 3.0.2 gets wrong: `*` loses a field that is named besides it with an alias. */
const DECIDED_STATEMENTS = [/SELECT \*, \w+ AS /, /SPLIT \w+ .*START/];
/** Generated ids differ each time. */
const masked = (lines) => lines.join('\n        ').replace(/:[a-z0-9]{20}\b/g, ':RANDOM');

const engines = await openEngines(flags.dist);
let database = 0;

async function differenceIn([setup, statements]) {
  await engines.use('owner', 'fuzz', `d${database++}`);
  await Promise.all([engines.here('owner', setup), engines.there('owner', setup)]);
  for (const statement of statements) {
    const here = masked(await engines.here('owner', statement));
    const there = masked(await engines.there('owner', statement));
    const isDecided =
      DECIDED.some((text) => text.test(there)) || DECIDED_STATEMENTS.some((text) => text.test(statement));
    if (here !== there && !isDecided) return `${statement}\n   peer ${there}\n   here ${here}`;
  }
  return undefined;
}

for (let round = 0; round < Number(flags.rounds); round++) {
  const seed = Number(flags.seed) + round;
  const property = fc.asyncProperty(cases[flags.about], async (one) => (await differenceIn(one)) === undefined);
  const { failed, counterexample, numRuns } = await fc.check(property, { seed, numRuns: Number(flags.runs) });
  if (!failed) console.log(`seed ${seed}: ${numRuns} cases, no difference`);
  else {
    const [[setup, statements]] = counterexample;
    const used = statements.join('\n');
    console.log(
      `seed ${seed}:\n${/\b(t|u|link|l|o|[abcd])\b/.test(used) ? `${setup}\n` : ''}${used}\n → ${await differenceIn([setup, statements])}\n`,
    );
  }
}
await engines.close();
process.exit(0);
