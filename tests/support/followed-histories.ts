/** Whether the followers of a node were given what the server applied: each commit once, whole, in order. */
import { isDeepStrictEqual } from 'node:util';
import type { CommitFollower, FollowedCommit } from '../../src/storage/contract.js';
import { headOf } from '../../src/storage/remote/heads.js';
import type { RemoteEngine } from '../../src/storage/remote/remote-engine.js';
import type { LogRow } from '../../src/storage/remote/store.js';
import type { SimulatedServer } from './simulated-store.js';

/** What a node was given since it has followed. */
export class FollowedHistory implements CommitFollower {
  readonly #server: SimulatedServer;
  readonly #engine: RemoteEngine;
  readonly #commits: FollowedCommit[] = [];
  /** How many rows the log had when it began, or last had a gap. */
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
    this.#since = this.#server.log.length;
  }

  /** @throws Error what isn't as it should be */
  async check(): Promise<void> {
    const { shared } = this.#engine;
    await answered(() => shared.catchUp());
    const rows = this.#server.log.slice(this.#since);
    for (const head of new Set(rows.map((row) => row.head))) {
      const expected = rows.filter((row) => row.head === head).map((row) => [row.stamp, row.node === shared.node]);
      const given = this.#commits.filter(({ keys }) => keys.some((key) => headOf(key) === head));
      if (
        !isDeepStrictEqual(
          given.map(({ versionstamp, isOwn }) => [versionstamp, isOwn]),
          expected,
        )
      ) {
        throw new Error(`node ${shared.node} was given ${given.length} commits of head ${head} for ${expected.length}`);
      }
    }
    const whole = new Map<string, LogRow[]>();
    for (const row of rows) {
      const name = `${row.node} ${row.part} ${row.place}`;
      whole.set(name, [...(whole.get(name) ?? []), row]);
    }
    const keysOf = (commits: readonly { readonly keys: readonly string[] }[]) =>
      commits.map(({ keys }) => [...keys].sort().join(' ')).sort();
    const expected = keysOf([...whole.values()].map((parts) => ({ keys: parts.flatMap(({ keys }) => keys) })));
    if (!isDeepStrictEqual(keysOf(this.#commits), expected)) throw new Error('commits were given in parts, or twice');
  }
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
