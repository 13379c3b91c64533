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
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { openPeer } from './peer.mjs';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    dist: { type: 'string', default: fileURLToPath(new URL('../dist', import.meta.url)) },
    write: { type: 'string' },
    all: { type: 'boolean', default: false },
  },
});
const ours = (path) => import(pathToFileURL(resolve(flags.dist, path)));
const { open, toText } = await ours('embedded/index.js');
const peer = await openPeer({
  ...(await ours('value/cbor-encode.js')),
  ...(await ours('value/cbor-decode.js')),
  ...(await ours('value/uuid.js')),
  ...(await ours('embedded/from-javascript.js')),
});
const tessera = await open('memory');
const sessions = new Map();

/** The session of a name; the first one is an owner here and there, and so are the others until they sign in. */
async function session(name) {
  if (!sessions.has(name)) {
    const opened = name === 'owner' ? tessera : tessera.session();
    await opened.use('test', 'test');
    sessions.set(name, opened);
  }
  return sessions.get(name);
}

const answered = (value) => `--> ${toText(value)}`;
const failed = (error) => `--! ${error.message ?? error}`;

async function askTessera(name, text) {
  try {
    const results = await (await session(name)).run(text);
    return results.map(({ outcome }) => (outcome.ok ? answered(outcome.value) : failed(outcome.error)));
  } catch (error) {
    return [failed(error)];
  }
}

async function askPeer(name, text) {
  try {
    const results = await peer.call(name, 'query', [text]);
    return results.map(({ status, result }) => (status === 'OK' ? answered(result) : failed(result)));
  } catch (error) {
    return [failed(error)];
  }
}

/** Groups of statements and directives, with the lines between them (comments, blank ones) as they are. */
function* steps(source) {
  let group = [];
  let depth = 0;
  for (const line of source.split('\n')) {
    if (/^--(>|!|ok)/.test(line)) continue;
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
  script.push(step.text ?? step.line);
  if (step.text !== undefined) {
    const [here, there] = [await askTessera(current, step.text), await askPeer(current, step.text)];
    script.push(...here);
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
    const place = step.rest.split(/\s+/);
    await (await session(current)).use(...place);
    await peer.call(current, 'use', place);
  } else if (step.word === 'session') {
    current = step.rest.trim();
  } else if (step.word === 'signin' || step.word === 'signup') {
    const body = JSON.parse(step.rest);
    const opened = await session(current);
    await (step.word === 'signin' ? opened.signIn(body) : opened.signUp(body)).catch((error) =>
      console.log('here', error.message),
    );
    await peer.call(current, step.word, [body]).catch((error) => console.log('peer', error.message));
  }
}
console.log(`${differing} differing`);
if (flags.write !== undefined) writeFileSync(flags.write, `${script.join('\n').trimEnd()}\n`);
await tessera.close();
process.exit(0);
