// Runs generated scripts and those of tests/scripts here and on the embedded peer, each in an empty database, and says per family how many answer alike.
// For developers; no test needs it. Differences that are meant stand in known-differences.json with their reason and where the documentation has it;
// any other makes the exit code 1.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readOptions } from '../scripts/options.mjs';
import { coverageOf, differencesOf, knownFor, readKnown } from './differences.mjs';
import { DIST, openTessera } from './engines.mjs';
import { FAMILIES, scriptOf } from './families/families.mjs';
import { PEER } from './peer.mjs';
import { superviseProcess } from './peer-supervisor.mjs';
import { answers, stepsOfFile, stepsOfLines, writtenScripts } from './script.mjs';

const HELP = `Runs generated scripts and those of tests/scripts here and on the embedded peer, and says per family how many answer alike.

  npm run compare -- [options]

  --peer FOLDER   a folder in whose node_modules @surrealdb/node is (compare, after npm ci in it)
  --seed N        another seed makes other scripts (1)
  --scripts N     scripts of each generated family (300)
  --family NAME   only this family; may be repeated
  --out FILE      where the differences go (differences.log)
  --dist FOLDER   another build of Tessera
  -h, --help      prints this`;

const { values: flags } = readOptions(HELP, {
  options: {
    dist: { type: 'string', default: DIST },
    peer: { type: 'string', default: PEER },
    seed: { type: 'string', default: '1' },
    scripts: { type: 'string', default: '300' },
    family: { type: 'string', multiple: true },
    out: { type: 'string', default: 'differences.log' },
  },
});
const WRITTEN = 'written';

/** The functions, with the texts of their parameters' types. */
async function functionsOf(dist) {
  const { FUNCTIONS } = await import(pathToFileURL(join(dist, 'functions/registry.js')).href);
  const { typeText } = await import(pathToFileURL(join(dist, 'value/text/type-text.js')).href);
  return FUNCTIONS.map(({ name, parameters }) => ({
    name,
    parameters: parameters.map(({ type, optional, rest }) => ({
      type: typeText(type),
      optional: Boolean(optional || rest),
    })),
  }));
}

/** Names and steps of a family's scripts. */
function* scriptsOf(family, known) {
  if (family === WRITTEN) {
    for (const { name, source } of writtenScripts()) yield { name, steps: [...stepsOfFile(source)] };
    return;
  }
  for (let number = 0; number < Number(flags.scripts); number++) {
    yield { name: `${number}`, steps: stepsOfLines(scriptOf(family, Number(flags.seed), number, known)) };
  }
}

const known = readKnown();
const functions = await functionsOf(flags.dist);
const peer = superviseProcess(flags.dist, flags.peer);
const report = [];
const coverage = coverageOf(known);
const totals = { scripts: 0, texts: 0, equal: 0, meant: 0, differing: 0, died: 0 };
for (const family of flags.family ?? [...Object.keys(FAMILIES), WRITTEN]) {
  const counts = { scripts: 0, texts: 0, equal: 0, meant: 0, differing: 0, died: 0 };
  for (const { name, steps } of scriptsOf(family, functions)) {
    counts.scripts++;
    const theirs = await peer.answers(steps);
    const tessera = await openTessera(flags.dist);
    const ours = await answers(tessera, steps);
    await tessera.close();
    counts.texts += ours.length;
    if (theirs === undefined) {
      counts.died++;
      report.push(`# ${family} ${name}: the peer didn't survive\n${steps.map(({ line }) => line).join('\n')}\n`);
      continue;
    }
    const differences = differencesOf(ours, theirs);
    const others = differences.filter((one) => {
      const entry = knownFor(known, { script: `${family} ${name}`, ...one });
      if (entry !== undefined && family === WRITTEN) coverage.note(entry);
      return entry === undefined;
    });
    if (differences.length === 0) counts.equal++;
    else if (others.length === 0) counts.meant++;
    else counts.differing++;
    for (const one of others) {
      report.push(`# ${family} ${name}\n${one.asked}\n   peer ${one.peer}\n   here ${one.here}\n`);
    }
  }
  if (family === WRITTEN) {
    for (const { reason, said, found } of coverage.wrong()) {
      counts.differing++;
      report.push(`# ${family}: '${reason}' covers ${found} lines rather than ${said}\n`);
    }
  }
  for (const key of Object.keys(totals)) totals[key] += counts[key];
  print(family, counts);
}
print('all', totals);
writeFileSync(flags.out, report.join('\n'));
if (report.length > 0) console.log(`${report.length} differences are in ${flags.out}`);
peer.close();
process.exit(totals.differing > 0 ? 1 : 0);

function print(family, { scripts, texts, equal, meant, differing, died }) {
  const rest = died > 0 ? `, ${died} that the peer didn't survive` : '';
  console.log(
    `${family}: ${scripts} scripts (${texts} texts): ${equal} equal, ${meant} with known differences, ${differing} differing${rest}`,
  );
}
