// Runs the tests that run in one process, and shows how much of src/ they reach; fails below the floor of `vitest.config.ts`.
// Servers and clients in processes of their own aren't counted, so their tests are left out.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const APART = [
  'tests/end-to-end/**',
  'tests/protocol/**',
  'tests/studio/**',
  'tests/bench/**',
  'tests/repository/**',
  'tests/compare/**',
];

// Counting slows loops down most of all, and a machine that has other work slows everything.
const TIMEOUT = '600000';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const args = [
  'run',
  '--coverage',
  `--test-timeout=${TIMEOUT}`,
  `--hook-timeout=${TIMEOUT}`,
  ...APART.flatMap((pattern) => ['--exclude', pattern]),
  ...process.argv.slice(2),
];
const { status } = spawnSync(process.execPath, [join('node_modules', 'vitest', 'vitest.mjs'), ...args], {
  stdio: 'inherit',
  // For tests with a timeout of their own.
  env: { ...process.env, TESTS_LEAST_TIMEOUT: TIMEOUT },
});
process.exit(status ?? 1);
