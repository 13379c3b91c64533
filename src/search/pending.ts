/**
 * What has changed of a record since it was last folded into a segment: its terms by then, and now. It stands under a
 * key of the record's own, so that those who write different records never conflict.
 */
import type { Stored } from '../storage/contract.js';
import { ByteWriter } from '../value/byte-writer.js';
import { isArray, type Value } from '../value/value.js';
import { ByteCursor } from './byte-cursor.js';
import type { DocumentTerms } from './document-terms.js';

/** `undefined`: no such record. */
export interface PendingChange {
  readonly before: DocumentTerms | undefined;
  readonly after: DocumentTerms | undefined;
}

/** A change with the encoded key of its record. */
export type KeyedChange = PendingChange & { readonly key: string };

const writer = new ByteWriter();

function storeTerms(terms: DocumentTerms | undefined): Value {
  if (terms === undefined) return null;
  const { length, counts } = terms;
  writer.begin();
  let plain = true;
  for (const count of counts.values()) {
    writer.varint(count);
    if (count !== 1) plain = false;
  }
  return [length, counts.size, [...counts.keys()].join('\0'), plain ? null : writer.finish()];
}

function readTerms(stored: Value): DocumentTerms | undefined {
  if (!isArray(stored)) return undefined;
  const [length, size, joined, bytes] = stored;
  const counts = new Map<string, number>();
  const cursor = bytes instanceof Uint8Array ? new ByteCursor(bytes) : undefined;
  // No token has a zero character.
  if (size !== 0) for (const term of String(joined).split('\0')) counts.set(term, cursor?.varint() ?? 1);
  return { length: Number(length), counts };
}

/** A change of a document's terms as it is stored until it is folded: how many terms, and each with its count. */
export function storeChange({ before, after }: PendingChange): Stored {
  return [storeTerms(before), storeTerms(after)];
}

/** The change in a stored row (`storeChange`). The same stored object gives the same change. */
export function readChange(stored: Stored): PendingChange {
  const known = typeof stored === 'object' && stored !== null ? decoded.get(stored) : undefined;
  if (known !== undefined) return known;
  const [before, after] = isArray(stored) ? stored : [];
  const change = { before: readTerms(before), after: readTerms(after) };
  if (typeof stored === 'object' && stored !== null) decoded.set(stored, change);
  return change;
}

/** A change is read by each query until it is folded, and engines hand out the same value over and over. */
const decoded = new WeakMap<object, PendingChange>();
