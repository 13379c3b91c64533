/** Values of a store on disk as bytes, verified as they are read. */
import { failure, TesseraError } from '../errors/error.js';
import { decodeRecord } from '../value/codecs/record-encode.js';
import { decodeSealed, sealState } from '../value/codecs/sealed-record.js';
import type { Key, Stored } from './contract.js';

export class StoredValues {
  /** Whether values may have no checksum, since the store was written by a version that had none. */
  mayBeUnsealed: boolean;
  readonly #describeKey: (key: Key) => string;

  readonly #damagedAsNull: boolean;

  constructor(mayBeUnsealed: boolean, describeKey: (key: Key) => string, damagedAsNull = false) {
    this.mayBeUnsealed = mayBeUnsealed;
    this.#describeKey = describeKey;
    this.#damagedAsNull = damagedAsNull;
  }

  /** @throws TesseraError `storage_corrupt` */
  decode(key: Key, bytes: Uint8Array): Stored {
    const state = sealState(key, bytes);
    if (state === 'right') return decodeSealed(bytes) as Stored;
    if (state === 'wrong' || !this.mayBeUnsealed) return this.#damaged(key);
    try {
      return decodeRecord(bytes) as Stored;
    } catch (error) {
      return this.#damaged(key, error);
    }
  }

  #damaged(key: Key, cause?: unknown): Stored {
    if (this.#damagedAsNull) return null;
    throw this.#corrupt(key, cause);
  }

  /** An error of the library while it reads, which isn't ours, means that pages are damaged. */
  unreadable(key: Key, error: unknown): TesseraError {
    return error instanceof TesseraError ? error : this.#corrupt(key, error);
  }

  #corrupt(key: Key, cause?: unknown): TesseraError {
    const what = `${this.#describeKey(key)} is not as it was written`;
    return failure('storage_corrupt', { what }, cause === undefined ? {} : { cause });
  }
}
