import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';

/** Whether everything is run, as by `npm run test:all`, rather than as much as takes some minutes. */
export const RUNS_ALL = process.env['TESTS'] === 'all';

/**
 * What draws depend on, so that a failure is seen again as long as nothing is committed. `TESTS_DRAW` repeats the draw of
 * a commit.
 */
export const DRAW = drawnFrom();

function drawnFrom(): string {
  const given = process.env['TESTS_DRAW'];
  if (given !== undefined) return given;
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    // What was unpacked from an archive has no commits.
    return '';
  }
}

/** A number drawn from the commit and a name, of 32 bits. */
export function drawn(name: string): number {
  return createHash('sha256').update(`${DRAW} ${name}`).digest().readUInt32BE();
}

/** One of them in each run, drawn from the commit, unless everything is run. */
export function inTurns<T>(name: string, all: readonly T[]): readonly T[] {
  return RUNS_ALL ? all : all.filter((_, at) => at === drawn(name) % all.length);
}

/**
 * Long tests of what seldom changes take turns: each belongs to one of nine groups that take about a minute, and one
 * group is drawn from the commit.
 */
export function isInTurn(group: 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8): boolean {
  return RUNS_ALL || drawn('group') % 9 === group;
}
