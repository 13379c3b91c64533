/** A change of one key, as it is and as it is stored. */
import { sealRecord } from '../../../value/codecs/sealed-record.js';
import type { Key, Stored } from '../../contract.js';
import { DELETED, type OverlayValue } from '../../transaction/overlay.js';
import type { OrderedTree } from '../../tree/ordered-tree.js';
import type { EncodedChange } from '../file/packed-changes.js';

/** A key's new value, or absence, encoded and as it is. */
export interface KeyChange extends EncodedChange {
  readonly value: Stored | undefined;
}

/** A change with its stored bytes and their checksum. */
export function encodedChange(key: Key, value: OverlayValue): KeyChange {
  return value === DELETED
    ? { key, value: undefined, bytes: undefined }
    : { key, value, bytes: sealRecord(key, value) };
}

/** Puts changes over others, in their order. */
export function lay(changes: readonly KeyChange[], over: OrderedTree<OverlayValue>): void {
  for (const { key, value } of changes) over.put(key, value === undefined ? DELETED : value);
}
