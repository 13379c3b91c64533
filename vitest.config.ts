import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    // One more than the cores of the machine we promise to be quick on, since many tests wait for a process or a store.
    maxWorkers: 3,
    // Modules keep no state that one file could leave to the next, and loading them for each anew took longer than the tests.
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // What is waited for comes when it comes: a machine may have more to do than these tests.
    // `npm run coverage`.
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      reporter: ['text-summary', 'html'],
      reportsDirectory: 'coverage',
      // A third of the tests reaches as much; all of them must.
      thresholds: { statements: 80, branches: 77, functions: 83, lines: 82 },
    },
    expect: { poll: { timeout: 15_000 } },
  },
});
