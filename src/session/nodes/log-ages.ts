/**
 * Finds old entries of logs. Their versionstamps are by the store's clock, which may differ from this node's, or may
 * have jumped; so a node notes what it sees, and when, by its own monotonic clock.
 */
import type { Clock } from '../../env/environment.js';
import type { Key } from '../../storage/contract.js';

/** The last entry that a log had at a moment. */
interface Sample {
  readonly last: Key;
  readonly at: number;
}

export class LogAges {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #keptFor: number;
  /** By log, the oldest first; among those that are old enough only the last. */
  readonly #samples = new Map<Key, Sample[]>();

  /** `keptFor`: in milliseconds. */
  constructor(clock: Pick<Clock, 'monotonic'>, keptFor: number) {
    this.#clock = clock;
    this.#keptFor = keptFor;
  }

  /**
   * Notes the last entry that a log has now. Returns the last entry that has been there for `keptFor`: it and all
   * before it are old.
   */
  note(log: Key, last: Key | undefined): Key | undefined {
    const now = this.#clock.monotonic();
    const samples = this.#samples.get(log) ?? [];
    if (last !== undefined && last !== samples.at(-1)?.last) samples.push({ last, at: now });
    while (samples[1] !== undefined && now - samples[1].at >= this.#keptFor) samples.shift();
    if (last === undefined) this.#samples.delete(log);
    else this.#samples.set(log, samples);
    const [oldest] = samples;
    return oldest !== undefined && now - oldest.at >= this.#keptFor ? oldest.last : undefined;
  }

  /** Forgets all logs but some. */
  keepOnly(logs: ReadonlySet<Key>): void {
    for (const log of this.#samples.keys()) if (!logs.has(log)) this.#samples.delete(log);
  }
}
