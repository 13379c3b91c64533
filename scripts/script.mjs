// Runs scripts of tests/scripts by their names, and updates what they expect: `npm run script -- select.surql --update`.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';
import { readOptions } from './options.mjs';

const HELP = `Runs scripts of tests/scripts, or updates what they expect.

  npm run script -- [options] NAME…

  NAME        the name of a script, or a part of it: select.surql, permissions/
  --all       runs each in every way rather than in two
  --update    shows how what they answer differs from what they expect, and writes that on request
  --yes       writes it without a question
  -h, --help  prints this`;
const { values, positionals } = readOptions(HELP, {
  allowPositionals: true,
  options: {
    all: { type: 'boolean', default: false },
    update: { type: 'boolean', default: false },
    yes: { type: 'boolean', default: false },
  },
});
if (positionals.length === 0) {
  console.error('a name of a script is needed\n(--help lists the options)');
  process.exit(2);
}
process.chdir(fileURLToPath(new URL('..', import.meta.url)));

/** Shells complete paths. */
const names = positionals.map((name) => name.replace(/^(\.\/)?tests\/scripts\//, ''));

/** Runs the tests of the scripts. */
function run(environment, stdio) {
  const env = { ...process.env, SCRIPTS: names.join(','), ...environment };
  const vitest = join('node_modules', 'vitest', 'vitest.mjs');
  return spawnSync(process.execPath, [vitest, 'run', 'tests/scripts/scripts.test.ts'], {
    stdio,
    env,
    encoding: 'utf8',
  });
}

if (!values.update) process.exit(run(values.all ? { TESTS: 'all' } : {}, 'inherit').status ?? 1);

const folder = mkdtempSync(join(tmpdir(), 'tessera-update-'));
try {
  const { status, stdout, stderr } = run({ SCRIPTS_UPDATE: folder }, 'pipe');
  if (status !== 0) console.error(stdout + stderr);
  else await write();
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Shows the differences, and writes them if they are meant. */
async function write() {
  const changed = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath ?? entry.path, entry.name)));
  if (changed.length === 0) return console.log('every script answers what it expects');
  for (const name of changed) {
    spawnSync('git', ['--no-pager', 'diff', '--no-index', '--', name, join(folder, name)], { stdio: 'inherit' });
  }
  if (
    !values.yes &&
    !(await agreed(`write ${changed.length === 1 ? changed[0] : `${changed.length} scripts`}? [y/N] `))
  )
    return;
  for (const name of changed) cpSync(join(folder, name), name);
  console.log(`written: ${changed.join(', ')}`);
}

async function agreed(question) {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await Promise.race([
    terminal.question(question),
    new Promise((resolve) => terminal.once('close', () => resolve(''))),
  ]);
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}
