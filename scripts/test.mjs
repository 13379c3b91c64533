// `npm test`: installs what is missing, type-checks, lints, runs every test, and closes with the line `N passed, N failed`.
// Arguments go to vitest: `npm test -- tests/value`. `--all` (`npm run test:all`) runs each script in every way rather than in two, and more
// of what takes minutes (`tests/support/runs-all.ts`).
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { install } from './install.mjs';

if (['-h', '--help'].includes(process.argv[2])) {
  console.log(`Installs what is missing, type-checks, lints and runs the tests.

  npm test [-- ARGUMENTS]   ARGUMENTS go to vitest: npm test -- tests/value
  npm run test:all          runs each script in every way rather than in two (--all)`);
  process.exit(0);
}

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
install();

const all = process.argv[2] === '--all';
if (all) process.env.TESTS = 'all';

const bin = (name) => join('node_modules', '.bin', process.platform === 'win32' ? `${name}.cmd` : name);

/** Runs programs one after the other, as far as they succeed. Resolves with whether they did, and what they printed. */
async function run(...commands) {
  const output = [];
  for (const [program, ...args] of commands) {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk));
    child.once('error', (error) => output.push(Buffer.from(`${error}\n`)));
    const code = await new Promise((resolve) => child.once('close', resolve));
    if (code !== 0) return { isClean: false, output: Buffer.concat(output) };
  }
  return { isClean: true, output: Buffer.concat(output) };
}

const folder = mkdtempSync(join(tmpdir(), 'tessera-test-'));
const report = join(folder, 'report.json');
const CACHE = ['--cache', '--cache-location', 'node_modules/.cache/cspell'];
// Side by side, since most of them use one processor.
const checks = [
  // The end-to-end tests start the built server.
  [
    'build',
    run(
      [bin('tsc'), '-p', 'tsconfig.build.json'],
      [process.execPath, 'scripts/command.mjs'],
      [process.execPath, 'scripts/pages.mjs'],
      [bin('vite'), 'build', 'studio', '--logLevel', 'warn'],
    ),
  ],
  ['types', run(...['tsconfig.json', 'pages', 'studio'].map((project) => [bin('tsc'), '-p', project, '--noEmit']))],
  ['lint', run([bin('biome'), 'check', '--error-on-warnings', '.'])],
  ['spelling', run([bin('cspell'), 'lint', '--no-progress', '--no-summary', ...CACHE])],
];
let failed = 0;
for (const [name, check] of checks) {
  const { isClean, output } = await check;
  process.stderr.write(output);
  if (isClean) continue;
  console.error(`\n${name} failed`);
  failed++;
}
const vitest = spawnSync(
  bin('vitest'),
  ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...process.argv.slice(all ? 3 : 2)],
  { stdio: 'inherit' },
);
const clean = vitest.status === 0;

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
