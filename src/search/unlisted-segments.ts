/**
 * Segments that writers make of the many records of one transaction, instead of a note for each. They aren't in the
 * manifest, which two writers would conflict over, until a fold lists them there; they are searched as those are.
 */
import { andThen, forEachInOrder, type PromiseOrValue } from '../base/promise-or-value.js';
import { sortInSteps } from '../base/sort-in-steps.js';
import { forEachInSteps } from '../base/steps.js';
import { prefixRange } from '../catalog/keys/key-bytes.js';
import type { Key, Stored, Transaction } from '../storage/contract.js';
import { forEachBatch } from '../storage/cursor.js';
import { byteOrder } from '../storage/transaction/read-set.js';
import { isArray } from '../value/value.js';
import type { Pause } from './analyzer.js';
import { GatheredSource } from './gathered-source.js';
import { pendingPrefix, SegmentKeys, unlistedPrefix } from './layout.js';
import type { SegmentEntry } from './manifest.js';
import { writeSegment } from './merge.js';
import { readChange } from './pending.js';

export interface UnlistedSegment extends SegmentEntry {
  readonly id: string;
  /** How many terms its documents have. */
  readonly terms: number;
}

/** `key` is what stands behind `unlistedPrefix`. */
export function readUnlisted(id: string, stored: Stored): UnlistedSegment {
  const [documents, terms, bytes] = (isArray(stored) ? stored : []).map(Number);
  return {
    id,
    documents: documents as number,
    changed: 0,
    bytes: bytes as number,
    terms: terms as number,
  };
}

/** Up to `most` of them. Others that are made meanwhile don't conflict. */
export function readSomeUnlisted(
  transaction: Transaction,
  index: string,
  most: number,
): PromiseOrValue<UnlistedSegment[]> {
  const prefix = unlistedPrefix(index);
  const found: UnlistedSegment[] = [];
  const cursor = transaction.scan(prefixRange(prefix), { limit: most, foundOnly: true });
  const read = forEachBatch(cursor, (batch) => {
    for (const [key, stored] of batch) found.push(readUnlisted(key.slice(prefix.length), stored));
    return false;
  });
  return andThen(read, () => found);
}

/**
 * Has a segment in place of the notes that this transaction has made of new records, if there are `least` of them.
 * @param keys the encoded keys of records that were noted; those whose notes were taken back are passed over
 * @param id 16 random characters below 256
 */
export function segmentOfNotes(
  transaction: Transaction,
  index: string,
  { keys, least, id }: { readonly keys: readonly string[]; readonly least: number; readonly id: string },
  pause: Pause,
): PromiseOrValue<void> {
  const prefix = pendingPrefix(index);
  const source = new GatheredSource();
  let read = 0;
  const gather = (key: string): PromiseOrValue<void> => {
    // What was taken back with a savepoint wasn't written.
    if (!transaction.hasWritten(prefix + key)) return;
    return andThen(transaction.get(prefix + key), (stored) => {
      const { before, after } = stored === undefined ? NO_CHANGE : readChange(stored);
      return before === undefined && after !== undefined ? source.add(key, after, pause) : undefined;
    });
  };
  const gathered = andThen(sortInSteps([...new Set(keys)], { pause }, byteOrder), (sorted) =>
    forEachInOrder(sorted, (key) =>
      andThen(gather(key), () => andThen(++read % GATHERED === 0 ? pause() : undefined, () => undefined)),
    ),
  );
  return andThen(gathered, () => {
    const { documents } = source;
    if (documents.length < least) return;
    return andThen(source.sort(pause), () => {
      const put = (key: Key, value: Stored) => transaction.put(key, value);
      const written = writeSegment([source], new SegmentKeys(index, id), put, pause);
      return andThen(written, ({ bytes }) => {
        const terms = documents.reduce((sum, { length }) => sum + length, 0);
        transaction.put(unlistedPrefix(index) + id, [documents.length, terms, bytes]);
        return forEachInSteps(documents, { pause }, ({ key }) => transaction.delete(prefix + key));
      });
    });
  });
}

/** Notes between two pauses. */
const GATHERED = 64;

const NO_CHANGE = { before: undefined, after: undefined };
