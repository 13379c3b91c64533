import { describe, expect, test } from 'vitest';
import { RUNS_ALL } from '../support/runs-all.js';
import type { Omission } from '../support/sharded-cluster.js';
import { type Events, runShardedHistory } from '../support/sharded-histories.js';
import { atLeast } from '../support/timeouts.js';

/**
 * `HISTORIES=100000 HISTORY_SEED=7 npx vitest run tests/storage/sharded-histories.test.ts` runs more of them, from
 * another seed on.
 */
const HISTORIES = Number(process.env['HISTORIES'] ?? (RUNS_ALL ? 1_000 : 500));
const FIRST_SEED = Number(process.env['HISTORY_SEED'] ?? 1);

/** What is left out of the protocol, and a seed near which a history finds it. */
const OMISSIONS: readonly (readonly [omission: Omission, seed: number])[] = [
  ['closing', 1],
  ['closing of shards that are down', 1],
  ['readers wait for closed keys', 1],
  ['commits respect closed keys', 1],
  ['closing waits for commits', 30],
  ['closed keys outlast a crash', 1],
  ['the root settles what is closed', 1],
  ['what is settled stays out', 1],
  ['reads of several shards are judged', 420],
  ['a move closes the database', 1],
  ['pieces name their move', 735],
  ['a closed database is not staged again', 14_945],
  ['purging spares staged rows', 4_365],
  ['changes read the list of clusters', 70],
  ['adding a cluster reads the whole root', 225],
  ['versionstamps continue', 170],
];
/** After so many histories without a fault, an omission counts as not found. */
const MOST_WITHOUT = 30_000;

describe('A store that is sharded by database (ADR 53)', () => {
  test('is strictly serializable, whatever crashes, is late, or moves', { timeout: atLeast(600_000) }, async () => {
    const events: Events = { committed: 0, moved: 0, added: 0, crashed: 0 };
    const failures: string[] = [];
    for (let seed = FIRST_SEED; seed < FIRST_SEED + HISTORIES && failures.length < 5; seed++) {
      for (const problem of await runShardedHistory(seed, undefined, events)) failures.push(`seed ${seed}: ${problem}`);
    }
    expect(failures).toEqual([]);
    // That something has happened: there are enough of all in a hundred histories.
    if (HISTORIES >= 100) expect(Object.entries(events).filter(([, times]) => times < HISTORIES / 20)).toEqual([]);
  });

  test.each(OMISSIONS)('is not without this: %s', { timeout: atLeast(300_000) }, async (omission, first) => {
    let problems: readonly string[] = [];
    for (let seed = first; seed < first + MOST_WITHOUT && problems.length === 0; seed++) {
      problems = await runShardedHistory(seed, omission);
    }
    expect(problems).not.toEqual([]);
  });
});
