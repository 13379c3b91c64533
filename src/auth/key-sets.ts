import { createLocalJWKSet, errors, type JSONWebKeySet, type LocalJWKSet } from 'jose';
import { LruCache } from '../base/lru-cache.js';
import type { Clock } from '../env/environment.js';
import { failure } from '../errors/error.js';

/**
 * Fetches the JSON Web Key Set (RFC 7517) at a URL. The rules of the network are the fetcher's business: https only, which addresses, after
 * each redirect, how long and how much.
 */
export type KeySetFetcher = (url: string) => Promise<unknown>;

const HOUR = 60 * 60 * 1000;
const FRESH_MILLISECONDS = 12 * HOUR;
/** No set is fetched more often, neither for an unknown key nor after a failure. */
const PAUSE_MILLISECONDS = 5 * 60 * 1000;

interface Entry {
  readonly fetchedAt: number;
  readonly keys: Promise<LocalJWKSet>;
}

/** The key sets of the access methods defined WITH JWT URL. */
export class KeySets {
  readonly #clock: Clock;
  readonly #fetch: KeySetFetcher | undefined;
  readonly #entries = new LruCache<string, Entry>(64);

  constructor(clock: Clock, fetch?: KeySetFetcher) {
    this.#clock = clock;
    this.#fetch = fetch;
  }

  /**
   * Does `work` with the keys at `url`; once more with keys fetched anew if none of those at hand fits.
   *
   * @throws TesseraError `key_set_unavailable`; what `work` throws
   */
  async use<T>(url: string, work: (keys: LocalJWKSet) => Promise<T>): Promise<T> {
    const entry = this.#entry(url, FRESH_MILLISECONDS);
    try {
      return await work(await entry.keys);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      const renewed = this.#entry(url, PAUSE_MILLISECONDS);
      if (renewed === entry) throw error;
      return work(await renewed.keys);
    }
  }

  #entry(url: string, maxAge: number): Entry {
    const now = this.#clock.monotonic();
    const known = this.#entries.get(url);
    if (known !== undefined && now - known.fetchedAt < maxAge) return known;
    const entry: Entry = { fetchedAt: now, keys: this.#load(url) };
    this.#entries.set(url, entry);
    // A failure is remembered as well, but only for the length of a pause.
    entry.keys.catch(() => {
      if (this.#entries.get(url) === entry) {
        this.#entries.set(url, { ...entry, fetchedAt: now - FRESH_MILLISECONDS + PAUSE_MILLISECONDS });
      }
    });
    return entry;
  }

  async #load(url: string): Promise<LocalJWKSet> {
    if (this.#fetch === undefined) throw failure('key_set_unavailable');
    try {
      return createLocalJWKSet((await this.#fetch(url)) as JSONWebKeySet);
    } catch (cause) {
      throw failure('key_set_unavailable', undefined, { cause });
    }
  }
}
