/** The marker of an incomplete copy, in its target store. */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import { failure } from '../../errors/error.js';
import { isObject, objectFrom } from '../../value/value.js';
import type { Key, Stored, Transaction } from '../contract.js';

/** The key of the marker, in an area of its own (`catalog/keys/store-keys.ts`). */
export const COPY_MARKER: Key = 'C';

/** The progress of a copy. */
export interface CopyPosition {
  /** Names the source, without its password. */
  readonly source: string;
  /** The source's revision when the copy began. */
  readonly revision: string;
  /** The last key that was copied; empty before the first. */
  readonly last: Key;
}

/** The progress of a copy, as stored in the target. */
export function encodePosition({ source, revision, last }: CopyPosition): Stored {
  // A key is bytes, which a text can't hold.
  return objectFrom({ source, revision, last: Uint8Array.from(last, (byte) => byte.charCodeAt(0)) });
}

/** @throws TesseraError `storage_corrupt` */
export function decodePosition(stored: Stored): CopyPosition {
  if (isObject(stored)) {
    const { source, revision, last } = stored;
    if (typeof source === 'string' && typeof revision === 'string' && last instanceof Uint8Array) {
      return { source, revision, last: Buffer.from(last).toString('latin1') };
    }
  }
  throw failure('storage_corrupt', { what: 'the marker of a copy is not as it was written' });
}

/** @throws TesseraError `copy_incomplete` for a store that is the target of an incomplete copy */
export function assertNoCopy(transaction: Transaction): PromiseOrValue<void> {
  return andThen(transaction.get(COPY_MARKER), (marker) => {
    if (marker !== undefined) throw failure('copy_incomplete');
  });
}
