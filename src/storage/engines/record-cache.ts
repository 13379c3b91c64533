import type { Key, Stored } from '../contract.js';

/** What a record takes for each byte of its encoding, and besides. Measured on 4 to 50 fields: from a third above to three times too much. */
const HEAP_A_BYTE = 4;
const HEAP_A_RECORD = 160;

interface CachedRecord {
  readonly value: Stored;
  /** The value has been this one since this version, or longer. */
  readonly since: number;
  /** Bytes of memory, estimated. */
  readonly cost: number;
}

/**
 * Decoded records, so that what is read again needn't be decoded again.
 *
 * It holds each key's newest value, as of `version`, and since when the value is known to be that. A snapshot may use what is not younger
 * than itself; older snapshots go to the store.
 *
 * Two generations stand in for a list of last uses: a hit in the old one moves the entry to the young one, and when the young one has taken
 * half of the room, the old one is dropped and the young one takes its place. A hit costs one look-up.
 */
export class RecordCache {
  readonly #room: number;
  #young = new Map<Key, CachedRecord>();
  #old = new Map<Key, CachedRecord>();
  #taken = 0;
  #version: number;

  constructor(bytes: number, version: number) {
    this.#room = bytes / 2;
    this.#version = version;
  }

  /** The value of a key as a snapshot of `version` shows it, if it is known. `version` is at most the cache's own. */
  get(key: Key, version: number): Stored | undefined {
    let record = this.#young.get(key);
    if (record === undefined) {
      record = this.#old.get(key);
      if (record === undefined) return undefined;
      this.#add(key, record);
    }
    return record.since <= version ? record.value : undefined;
  }

  /** Keeps what was read of the store in a snapshot of `version`. What may have been changed since isn't kept. */
  keep(key: Key, value: Stored, bytes: number, version: number): void {
    if (version === this.#version) this.#set(key, value, bytes);
  }

  /** Goes on to a newer version; `replace` then tells every key that this changed. */
  advance(version: number): void {
    this.#version = version;
  }

  /**
   * A key's value, or absence, as of the version just advanced to. What nobody has read isn't kept either when it is written: most of it is
   * loaded rather than looked at, would push out what is, and costs the garbage collector more than decoding it once.
   */
  replace(key: Key, value: Stored | undefined, bytes: number): void {
    if (!this.#young.has(key) && !this.#old.has(key)) return;
    if (value === undefined) this.#forget(key);
    else this.#set(key, value, bytes);
  }

  #set(key: Key, value: Stored, bytes: number): void {
    const cost = HEAP_A_RECORD + key.length + bytes * HEAP_A_BYTE;
    // One that would push out everything else isn't kept, and neither is what it replaces.
    if (cost > this.#room / 8) this.#forget(key);
    else this.#add(key, { value, since: this.#version, cost });
  }

  #forget(key: Key): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }

  #add(key: Key, record: CachedRecord): void {
    this.#taken += record.cost;
    if (this.#taken > this.#room) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#taken = record.cost;
    }
    this.#young.set(key, record);
  }
}
