import { createHash } from 'node:crypto';
import type { Key } from '../contract.js';

/** The number of a store's entries, their size, and a checksum over all of them in the order of their keys. */
export class StoreDigest {
  readonly #hash = createHash('sha256');
  #entries = 0;
  #bytes = 0;

  /** `encoded` is the value as `encodeRecord` gives it, the same for all engines. */
  add(key: Key, encoded: Uint8Array): void {
    const lengths = Buffer.allocUnsafe(8);
    lengths.writeUInt32LE(key.length, 0);
    lengths.writeUInt32LE(encoded.length, 4);
    this.#hash.update(lengths).update(key, 'latin1').update(encoded);
    this.#entries++;
    this.#bytes += key.length + encoded.length;
  }

  result(): StoreSummary {
    return { entries: this.#entries, bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }
}

export interface StoreSummary {
  readonly entries: number;
  /** Of keys and encoded values. */
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
}
