// Two revisions of Tessera side by side in one run, and whether the one that is checked out is slower: `npm run bench:compare REV`.
import { readOptions } from '../scripts/options.mjs';
import { buildRevision, buildWorking } from './harness/builds.mjs';
import { compare } from './harness/comparison.mjs';

const HELP = `Says whether the files as they are are slower than a revision.

  npm run bench:compare REV [-- --only WORDS]

  --only WORDS   workloads whose name holds one of these words, with commas between
  -h, --help     prints this`;

const { values, positionals } = readOptions(HELP, {
  allowPositionals: true,
  options: { only: { type: 'string', default: '' } },
});
const [revision] = positionals;
if (revision === undefined) {
  console.error(HELP);
  process.exit(2);
}
const began = performance.now();
const builds = { before: buildRevision(revision), now: buildWorking() };
const slower = await compare(builds, values.only.split(','));
for (const { name, ratio, noise } of slower) {
  console.log(
    `SLOWER: ${name} takes ${ratio.toFixed(2)} times as long; equal builds are ${((noise - 1) * 100).toFixed(0)} % apart`,
  );
}
if (slower.length === 0) console.log('nothing is slower beyond its noise');
console.log(`${((performance.now() - began) / 1e3).toFixed(0)} s`);
process.exit(slower.length === 0 ? 0 : 1);
