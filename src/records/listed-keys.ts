/** An index lists a record once for each element of an array; it is read once. */
import type { Entry } from '../storage/contract.js';
import { encodeKey } from '../value/codecs/key-codec.js';
import type { RecordKey } from '../value/value.js';
import type { PreparedTable } from './table.js';

/** Deduplicates the records that an index lists. */
export class ListedKeys {
  readonly #seen = new Set<string | number>();

  constructor(private readonly table: PreparedTable) {}

  /** The keys of those records that weren't listed before. */
  keys(entries: readonly Entry[]): string[] {
    const keys: string[] = [];
    for (const [, listed] of entries) {
      const key = this.table.entry.keys.record(encodeKey(listed as RecordKey));
      // A record is listed by its array and by each element of it. Ints are looked up in half the time of texts.
      const known = typeof listed === 'number' ? listed : key;
      if (!this.#seen.has(known)) keys.push(key);
      this.#seen.add(known);
    }
    return keys;
  }
}
