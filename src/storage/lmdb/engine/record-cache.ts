/** Cache of records that were read by their key, so that a repeated read needn't decode them. */
import type { Key, Stored } from '../../contract.js';
import { SecondChance } from './second-chance.js';

/**
 * Memory of a record for each byte of its encoding, and its overhead. Measured on 4 to 50 fields: from a third above to
 * three times too much.
 */
const HEAP_A_BYTE = 4;
const HEAP_A_RECORD = 176;

interface CachedRecord {
  readonly key: Key;
  value: Stored;
  /** The key has had this value since this version, or longer. */
  since: number;
  /** Bytes of memory, estimated. */
  cost: number;
  used: boolean;
}

/**
 * A cache of decoded records.
 *
 * It holds each key's newest value, as of `version`, and since when that value is known to be valid. A snapshot may use
 * values that aren't younger than itself; older snapshots read from the store.
 */
export class RecordCache {
  readonly #room: number;
  readonly #records = new Map<Key, CachedRecord>();
  readonly #outworn = new SecondChance(this.#records);
  #taken = 0;
  #version: number;
  /** Of `get`. */
  hits = 0;
  misses = 0;

  constructor(bytes: number, version: number) {
    this.#room = bytes;
    this.#version = version;
  }

  /** The value of a key as a snapshot of `version` shows it, if it is known. `version` is at most the cache's own. */
  get(key: Key, version: number): Stored | undefined {
    const record = this.#records.get(key);
    if (record === undefined || record.since > version) {
      this.misses++;
      return undefined;
    }
    this.hits++;
    record.used = true;
    return record.value;
  }

  /** Whether it has a value of a key, of any version. */
  holds(key: Key): boolean {
    return this.#records.has(key);
  }

  /**
   * Caches a value that was read from the store in a snapshot of `version`. A value that may have changed
   * since isn't cached.
   */
  keep(key: Key, value: Stored, bytes: number, version: number): void {
    const cost = costOf(key, bytes);
    if (version !== this.#version || this.#isTooLarge(cost)) return;
    this.#records.set(key, { key, value, since: version, cost, used: false });
    this.#taken += cost;
    this.#makeRoom();
  }

  /** Advances to a newer version; `replace` must then be called for every key that it changed. */
  advance(version: number): void {
    this.#version = version;
  }

  /**
   * A key's value, or absence, as of the version just advanced to. Values that were never read aren't cached when
   * written either: most are bulk loads, which would evict values in use, and cost the garbage collector more than
   * decoding it once.
   */
  replace(key: Key, value: Stored | undefined, bytes: number): void {
    const record = this.#records.get(key);
    if (record === undefined) return;
    const cost = costOf(key, bytes);
    if (value === undefined || this.#isTooLarge(cost)) {
      this.#forget(record);
      return;
    }
    this.#taken += cost - record.cost;
    record.value = value;
    record.since = this.#version;
    record.cost = cost;
    this.#makeRoom();
  }

  /** Drops everything, as of the version just advanced to. */
  clear(): void {
    this.#records.clear();
    this.#taken = 0;
  }

  /** A record that would evict much else isn't cached. */
  #isTooLarge(cost: number): boolean {
    return cost > this.#room / 16;
  }

  #makeRoom(): void {
    while (this.#taken > this.#room) this.#forget(this.#outworn.next());
  }

  #forget(record: CachedRecord): void {
    this.#records.delete(record.key);
    this.#taken -= record.cost;
  }
}

function costOf(key: Key, bytes: number): number {
  return HEAP_A_RECORD + key.length + bytes * HEAP_A_BYTE;
}
