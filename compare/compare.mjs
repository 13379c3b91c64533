// Runs statements here and on the embedded peer, and prints where the answers differ. For developers; no test needs it.
//
//     npm run build && cd compare && npm ci
//     node compare.mjs ../tests/scripts/statements/create.surql     a script file, whatever it expects
//     echo 'RETURN 7 / 2;' | node compare.mjs                       or statements from the standard input
//     node compare.mjs new.surql --write ../tests/scripts/new.surql writes them as a script, with our answers as what is expected
//     node compare.mjs new.surql --all                              shows what is equal, too
//
// A group of statements ends with a line that ends in `;` outside of brackets. `--@use`, `--@session`, `--@signin`, `--@signup` as in
// tests/scripts. `--dist FOLDER` takes another build of Tessera, `--peer FOLDER` the peer of another folder.
import { readFileSync, writeFileSync } from 'node:fs';
import { readOptions } from '../scripts/options.mjs';
import { DIST, openEngines } from './engines.mjs';
import { stepsOfFile } from './script.mjs';

const HELP = `Runs statements here and on the embedded peer, and prints where the answers differ. Needs a build.

  node compare.mjs [FILES] [options]

FILES are scripts of tests/scripts or the like; without any, standard input is read.

  --write FILE    writes the statements as a script, with our answers as what is expected
  --all           shows what is equal, too
  --dist FOLDER   another build of Tessera
  --peer FOLDER   a folder in whose node_modules @surrealdb/node is
  -h, --help      prints this`;

const { values: flags, positionals } = readOptions(HELP, {
  allowPositionals: true,
  options: {
    dist: { type: 'string', default: DIST },
    peer: { type: 'string' },
    write: { type: 'string' },
    all: { type: 'boolean', default: false },
  },
});
const { here, there } = await openEngines(flags.dist, flags.peer);

let current = 'owner';
let differing = 0;
const script = [];
for (const step of stepsOfFile(readFileSync(positionals[0] ?? 0, 'utf8'))) {
  if (step.text === undefined) script.push(step.line);
  if (step.text !== undefined) {
    const [ours, theirs] = [await here.ask(current, step.text), await there.ask(current, step.text)];
    // What can't be parsed fails as a whole.
    const parseError = ours[0]?.startsWith('--! Parse error: ');
    if (parseError) script.push(`--@fails ${ours[0].slice('--! '.length).split('\n')[0]}`, step.text, '');
    else script.push(step.text, ...ours.map((line) => line.replaceAll('\n', '\\n')));
    const equal = ours.join('\n') === theirs.join('\n');
    if (!equal) differing++;
    if (!equal || flags.all) console.log(`${equal ? '= ' : '≠ '}${step.text}`);
    if (equal && flags.all) console.log(ours.join('\n'));
    else if (!equal) {
      for (let at = 0; at < Math.max(ours.length, theirs.length); at++) {
        if (ours[at] === theirs[at]) continue;
        console.log(`   peer ${theirs[at] ?? 'no result'}\n   here ${ours[at] ?? 'no result'}`);
      }
    }
  } else if (step.word === 'use') {
    for (const engine of [here, there]) await engine.use(current, ...step.rest.split(/\s+/));
  } else if (step.word === 'session') {
    current = step.rest.trim();
  } else if (step.word === 'signin' || step.word === 'signup') {
    const body = JSON.parse(step.rest);
    for (const wrong of await here.enter(current, step.word, body)) console.log(`here ${wrong}`);
    for (const wrong of await there.enter(current, step.word, body)) console.log(`peer ${wrong}`);
  }
}
console.log(`${differing} differing`);
if (flags.write !== undefined)
  writeFileSync(
    flags.write,
    `${script
      .join('\n')
      .replace(/\n{3,}/g, '\n\n')
      .trimEnd()}\n`,
  );
await here.close();
process.exit(0);
