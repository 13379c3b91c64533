// `npm test`: installs what is missing, builds, type-checks, lints, runs every test, and closes with the line `N passed, N failed`. A line says
// when each of these begins and ends.
// Arguments go to vitest: `npm test -- tests/value`. Without any, one eighth of the long tests is run, drawn from the commit
// (`tests/support/long-tests.ts`). `--all` (`npm run test:all`) runs each script in every way rather than in two, and all of what takes minutes
// (`tests/support/runs-all.ts`).
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installAll } from './install.mjs';

if (['-h', '--help'].includes(process.argv[2])) {
  console.log(`Installs what is missing, type-checks, lints and runs the tests.

  npm test [-- ARGUMENTS]   ARGUMENTS go to vitest: npm test -- tests/value
  npm run test:all          runs each script in every way rather than in two, and all long tests rather than an eighth of them (--all)`);
  process.exit(0);
}

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
/** What `npm test` is at, on standard error as what it finds. */
const say = (line) => console.error(`npm test: ${line}`);

say('install what is missing; then build, types, lint and spelling side by side; then the tests');
installAll();
say('installed');

const all = process.argv[2] === '--all';
const args = process.argv.slice(all ? 3 : 2);
if (all) process.env.TESTS = 'all';
else if (args.length === 0) process.env.TESTS = 'share';

const bin = (name) => join('node_modules', '.bin', process.platform === 'win32' ? `${name}.cmd` : name);

/** Runs programs one after the other, as far as they succeed. Resolves with whether they did; what they printed is shown then. */
async function run(name, ...commands) {
  say(`${name} begins`);
  const output = [];
  let isClean = true;
  for (const [program, ...args] of commands) {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk));
    child.once('error', (error) => output.push(Buffer.from(`${error}\n`)));
    const code = await new Promise((resolve) => child.once('close', resolve));
    isClean = code === 0;
    if (!isClean) break;
  }
  process.stderr.write(Buffer.concat(output));
  say(`${name} ${isClean ? 'is fine' : 'failed'}`);
  return isClean;
}

const folder = mkdtempSync(join(tmpdir(), 'tessera-test-'));
const report = join(folder, 'report.json');
const CACHE = ['--cache', '--cache-location', 'node_modules/.cache/cspell'];
// Side by side, since most of them use one processor.
const checks = await Promise.all([
  // The end-to-end tests start the built server.
  run(
    'build',
    [bin('tsc'), '-p', 'tsconfig.build.json'],
    [bin('tsc'), '-p', 'collections'],
    [process.execPath, 'scripts/command.mjs'],
    [process.execPath, 'scripts/pages.mjs'],
  ),
  run(
    'types',
    ...['tsconfig.json', 'collections', 'pages', 'studio'].map((project) => [bin('tsc'), '-p', project, '--noEmit']),
  ),
  run('lint', [bin('biome'), 'check', '--error-on-warnings', '.']),
  run('spelling', [bin('cspell'), 'lint', '--no-progress', '--no-summary', ...CACHE]),
]);
let failed = checks.filter((isClean) => !isClean).length;
say('the tests begin');
const vitest = spawnSync(
  bin('vitest'),
  ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...args],
  { stdio: 'inherit' },
);
const clean = vitest.status === 0;
say(`the tests ${clean ? 'are fine' : 'failed'}`);

let passed = 0;
try {
  const results = JSON.parse(readFileSync(report, 'utf8'));
  passed = results.numPassedTests;
  // A file that can't be loaded has no tests to fail.
  const unloaded = results.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0);
  const wrong = results.numFailedTests + unloaded.length;
  // An error outside of any test, such as an unhandled rejection, fails the run as well.
  failed += wrong === 0 && !clean ? 1 : wrong;
} catch {
  console.error('The tests left no report');
  failed++;
}
rmSync(folder, { recursive: true, force: true });
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
