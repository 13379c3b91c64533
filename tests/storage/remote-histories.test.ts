import { describe, expect, test } from 'vitest';
import { runHistory } from '../support/histories.js';
import { drawn, RUNS_ALL } from '../support/runs-all.js';
import { atLeast } from '../support/timeouts.js';

/** `HISTORIES=1000000 HISTORY_SEED=7 npx vitest run tests/storage/remote-histories.test.ts` runs more of them, from another seed on. */
const HISTORIES = Number(process.env['HISTORIES'] ?? (RUNS_ALL ? 10_000 : 4_000));
const FIRST_SEED = Number(process.env['HISTORY_SEED'] ?? (RUNS_ALL ? 1 : 1 + 3_000 * (drawn('histories') % 3)));

describe('Nodes on one store over a network', () => {
  test('are serializable in the order of commits, whatever is late, lost or unknown', {
    timeout: atLeast(600_000),
  }, async () => {
    const failures: string[] = [];
    for (let seed = FIRST_SEED; seed < FIRST_SEED + HISTORIES && failures.length < 5; seed++) {
      await runHistory(seed).catch((error: Error) => failures.push(`seed ${seed}: ${error.message}`));
    }
    expect(failures).toEqual([]);
  });
});
