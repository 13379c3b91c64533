/** Whether the followers of a node were given what the server applied: each commit once, whole, in order. */
import { isDeepStrictEqual } from 'node:util';
import type { CommitFollower, FollowedCommit } from '../../src/storage/contract.js';
import { type Head, headOf } from '../../src/storage/remote/heads.js';
import type { RemoteEngine } from '../../src/storage/remote/remote-engine.js';
import type { SimulatedServer } from './simulated-store.js';

/** What a node was given since it has followed. */
export class FollowedHistory implements CommitFollower {
  readonly #server: SimulatedServer;
  readonly #engine: RemoteEngine;
  readonly #commits: FollowedCommit[] = [];
  /** How many rows the log had had when it began, or last had a gap: all behind them must have been given. */
  #since = 0;

  constructor(server: SimulatedServer, engine: RemoteEngine) {
    this.#server = server;
    this.#engine = engine;
  }

  /** Begins, however often the store doesn't answer. */
  async follow(): Promise<void> {
    await answered(() => this.#engine.shared.follow(this));
  }

  onCommits(commits: readonly FollowedCommit[]): void {
    this.#commits.push(...commits);
  }

  onGap(): void {
    this.#commits.splice(0);
    this.#since = this.#server.history.length;
  }

  /** @throws Error what isn't as it should be */
  async check(): Promise<void> {
    const { shared } = this.#engine;
    await answered(() => shared.catchUp());
    const { history } = this.#server;
    const due = history.slice(this.#since);
    for (const head of new Set([...due.map((row) => row.head), ...this.#commits.flatMap(headsOf)])) {
      const rows = history.filter((row) => row.head === head).map((row) => [row.stamp, row.node === shared.node]);
      const given = this.#commits.filter((commit) => headsOf(commit).includes(head));
      // Behind a gap it may begin with some that were made before that was noticed.
      const isLess = given.length < due.filter((row) => row.head === head).length;
      const expected = rows.slice(rows.length - given.length);
      const seen = given.map(({ versionstamp, isOwn }) => [versionstamp, isOwn]);
      if (isLess || !isDeepStrictEqual(seen, expected)) {
        throw new Error(`node ${shared.node} was given ${given.length} commits of head ${head} of ${rows.length}`);
      }
    }
    const whole = new Map<string, Writes>();
    for (const { node, part, place, keys, ranges } of history) {
      const name = `${node} ${part} ${place}`;
      const { keys: others = [], ranges: otherRanges = [] } = whole.get(name) ?? {};
      whole.set(name, { keys: [...others, ...keys], ranges: [...otherRanges, ...ranges] });
    }
    const commits = [...whole.values()].map(nameOf);
    for (const commit of this.#commits) {
      const at = commits.indexOf(nameOf(commit));
      if (at < 0) throw new Error(`node ${shared.node} was given a commit in parts, or twice`);
      commits.splice(at, 1);
    }
  }
}

type Writes = Pick<FollowedCommit, 'keys' | 'ranges'>;

function headsOf({ keys, ranges }: Writes): Head[] {
  return [...keys.map(headOf), ...ranges.map(({ from }) => headOf(from))];
}

function nameOf({ keys, ranges }: Writes): string {
  return [...keys, ...ranges.map(({ from, to }) => `${from}…${to}`)].sort().join(' ');
}

async function answered<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch {
      // The question or its answer was lost.
    }
  }
}
