/** Results of LIVE QUERYs that have ended, for clients that come back after a lost connection. */
import type { Clock } from '../../env/environment.js';
import type { Versionstamp } from '../../storage/contract.js';
import type { ResultVersion } from './shared-result.js';

/** Bytes of all of them together, and milliseconds for which each is kept. */
const MOST_BYTES = 32 * 2 ** 20;
const KEPT_FOR = 300_000;

interface Ended {
  readonly version: ResultVersion;
  /** On the monotonic clock. */
  readonly until: number;
}

export class EndedResults {
  readonly #clock: Clock;
  /** The oldest first. */
  readonly #ended = new Map<string, Ended>();
  #bytes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `key`: the result and whose it was. `stamp`: by which the client knows the version. */
  keep(key: string, stamp: Versionstamp, version: ResultVersion): void {
    const name = nameOf(key, stamp);
    this.#drop(name);
    this.#ended.set(name, { version, until: this.#clock.monotonic() + KEPT_FOR });
    this.#bytes += name.length + version.weight;
    const now = this.#clock.monotonic();
    for (const [each, { until }] of this.#ended) {
      if (this.#bytes <= MOST_BYTES && until > now) break;
      this.#drop(each);
    }
  }

  find(key: string, stamp: Versionstamp): ResultVersion | undefined {
    const ended = this.#ended.get(nameOf(key, stamp));
    return ended !== undefined && ended.until > this.#clock.monotonic() ? ended.version : undefined;
  }

  #drop(name: string): void {
    const ended = this.#ended.get(name);
    if (ended === undefined) return;
    this.#ended.delete(name);
    this.#bytes -= name.length + ended.version.weight;
  }
}

function nameOf(key: string, stamp: Versionstamp): string {
  return `${stamp} ${key}`;
}
