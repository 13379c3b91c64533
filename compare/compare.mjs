// Runs statements here and on the embedded peer, and prints where the answers differ. For developers; no test needs it.
//
//     npm run build && cd compare && npm ci
//     node compare.mjs ../tests/scripts/statements/create.surql     a script file, whatever it expects
//     echo 'RETURN 7 / 2;' | node compare.mjs                       or statements from the standard input
//     node compare.mjs new.surql --write ../tests/scripts/new.surql writes them as a script, with our answers as what is expected
//     node compare.mjs new.surql --all                              shows what is equal, too
//
// A group of statements ends with a line that ends in `;` outside of brackets. `--@use`, `--@session`, `--@signin`, `--@signup` as in
// tests/scripts. `--dist FOLDER` takes another build of Tessera.
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { DIST, openEngines } from './engines.mjs';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    dist: { type: 'string', default: DIST },
    write: { type: 'string' },
    all: { type: 'boolean', default: false },
  },
});
const engines = await openEngines(flags.dist);

/** Groups of statements and directives, with the lines between them (comments, blank ones) as they are. */
function* steps(source) {
  let group = [];
  let depth = 0;
  for (const line of source.split('\n')) {
    if (/^--(>|!|ok|@fails)/.test(line)) continue;
    const directive = /^--@(\w+)\s*(.*)$/.exec(line);
    if (directive !== null) yield { line, word: directive[1], rest: directive[2] };
    else if (group.length === 0 && /^\s*(--.*)?$/.test(line)) yield { line };
    else {
      group.push(line);
      for (const character of line) depth += '([{'.includes(character) ? 1 : ')]}'.includes(character) ? -1 : 0;
      if (depth > 0 || !line.trimEnd().endsWith(';')) continue;
      yield { text: group.join('\n') };
      group = [];
      depth = 0;
    }
  }
  if (group.length > 0) yield { text: group.join('\n') };
}

let current = 'owner';
let differing = 0;
const script = [];
for (const step of steps(readFileSync(positionals[0] ?? 0, 'utf8'))) {
  if (step.text === undefined) script.push(step.line);
  if (step.text !== undefined) {
    const [here, there] = [await engines.here(current, step.text), await engines.there(current, step.text)];
    // What can't be parsed fails as a whole.
    const parseError = here[0]?.startsWith('--! Parse error: ');
    if (parseError) script.push(`--@fails ${here[0].slice('--! '.length).split('\n')[0]}`, step.text, '');
    else script.push(step.text, ...here.map((line) => line.replaceAll('\n', '\\n')));
    const equal = here.join('\n') === there.join('\n');
    if (!equal) differing++;
    if (!equal || flags.all) console.log(`${equal ? '= ' : '≠ '}${step.text}`);
    if (equal && flags.all) console.log(here.join('\n'));
    else if (!equal) {
      for (let at = 0; at < Math.max(here.length, there.length); at++) {
        if (here[at] === there[at]) continue;
        console.log(`   peer ${there[at] ?? 'no result'}\n   here ${here[at] ?? 'no result'}`);
      }
    }
  } else if (step.word === 'use') {
    await engines.use(current, ...step.rest.split(/\s+/));
  } else if (step.word === 'session') {
    current = step.rest.trim();
  } else if (step.word === 'signin' || step.word === 'signup') {
    for (const wrong of await engines.enter(current, step.word, JSON.parse(step.rest))) console.log(wrong);
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
await engines.close();
process.exit(0);
