import type { Key, Stored } from '../../contract.js';
import { SecondChance } from './second-chance.js';

/**
 * What a record takes for each byte of its encoding, and besides. Measured on 4 to 50 fields: from a third above to
 * three times too much.
 */
const HEAP_A_BYTE = 4;
const HEAP_A_RECORD = 176;

interface CachedRecord {
  readonly key: Key;
  value: Stored;
  /** The value has been this one since this version, or longer. */
  since: number;
  /** Bytes of memory, estimated. */
  cost: number;
  used: boolean;
}

/**
 * Decoded records, so that what is read again needn't be decoded again.
 *
 * It holds each key's newest value, as of `version`, and since when the value is known to be that. A snapshot may use
 * what is not younger than itself; older snapshots go to the store.
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

  /** Whether it has a value of a key, of whatever version. */
  holds(key: Key): boolean {
    return this.#records.has(key);
  }

  /**
   * Keeps what was read of the store in a snapshot of `version`, since it wasn't known. What may have been changed
   * since isn't kept.
   */
  keep(key: Key, value: Stored, bytes: number, version: number): void {
    const cost = costOf(key, bytes);
    if (version !== this.#version || this.#isTooLarge(cost)) return;
    this.#records.set(key, { key, value, since: version, cost, used: false });
    this.#taken += cost;
    this.#makeRoom();
  }

  /** Goes on to a newer version; `replace` then tells every key that this changed. */
  advance(version: number): void {
    this.#version = version;
  }

  /**
   * A key's value, or absence, as of the version just advanced to. What hasn't been read isn't kept when it is written,
   * either: most of it is loaded rather than looked at, would push out what is, and costs the garbage collector more
   * than decoding it once.
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

  /** Forgets all of them, as of the version just advanced to. */
  clear(): void {
    this.#records.clear();
    this.#taken = 0;
  }

  /** One that would push out much else isn't kept. */
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
