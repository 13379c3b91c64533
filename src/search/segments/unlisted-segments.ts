/**
 * Segments that writers make of the many records of one transaction, instead of a note for each. They aren't in the
 * manifest, which two writers would conflict over, until a fold lists them there; they are searched as those are.
 */
import { andThen, forEachInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import { eachItem } from '../../base/work/loops.js';
import type { Work } from '../../base/work/work.js';
import { prefixRange } from '../../catalog/keys/key-bytes.js';
import type { Key, Stored, Transaction } from '../../storage/contract.js';
import { forEachBatch } from '../../storage/cursor.js';
import { isArray } from '../../value/value.js';
import { GatheredSource } from './gathered-source.js';
import { pendingPrefix, SegmentKeys, unlistedPrefix } from './layout.js';
import type { SegmentEntry } from './manifest.js';
import { writeSegment } from './merge.js';
import { NO_TERMS, readChange } from './pending.js';

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

/** A note that a transaction has made of a new record, by the encoded key of that. */
export interface OwnNote {
  readonly key: string;
  readonly stored: Stored;
  /** What has gathered its terms, if anything. */
  source: GatheredSource | undefined;
}

export interface SegmentOfNotes {
  readonly notes: readonly OwnNote[];
  /** What was gathered of these while they were made, or of others that were taken back. */
  readonly gathered: GatheredSource | undefined;
  /** So many documents make a segment. */
  readonly least: number;
  /** 16 random characters below 256. */
  readonly id: string;
}

/** Has a segment in place of notes that this transaction has made, without those that it has taken back since. */
export function segmentOfNotes(
  transaction: Transaction,
  index: string,
  { notes, gathered, least, id }: SegmentOfNotes,
  work: Work,
): PromiseOrValue<void> {
  const prefix = pendingPrefix(index);
  return andThen(validOf(transaction, prefix, notes, work), (valid) => {
    if (valid.length < least) return;
    // Each note that a source has gathered is one document of it.
    const isWhole = gathered?.documents.length === valid.length && valid.every(({ source }) => source === gathered);
    return andThen(isWhole ? gathered : gatherNotes(valid, work), (source) =>
      andThen(source.reorder(work), () =>
        andThen(source.sort(work), () => {
          const { documents } = source;
          const put = (key: Key, value: Stored) => transaction.put(key, value);
          const written = writeSegment([source], new SegmentKeys(index, id), put, work);
          return andThen(written, ({ bytes }) => {
            const terms = documents.reduce((sum, { length }) => sum + length, 0);
            transaction.put(unlistedPrefix(index) + id, [documents.length, terms, bytes]);
            return eachItem(documents, work, ({ key }) => transaction.delete(prefix + key));
          });
        }),
      ),
    );
  });
}

/** The notes that are there still. What was written last of a record counts: this may have been noted before, too. */
function validOf(
  transaction: Transaction,
  prefix: Key,
  notes: readonly OwnNote[],
  work: Work,
): PromiseOrValue<OwnNote[]> {
  const valid: OwnNote[] = [];
  const checked = eachItem(notes, work, (note) => {
    const place = prefix + note.key;
    // What the transaction has written is known at once.
    if (transaction.hasWritten(place) && transaction.get(place) === note.stored) valid.push(note);
  });
  return andThen(checked, () => valid);
}

/** The terms of the records that were noted. */
export function gatherNotes(notes: readonly OwnNote[], work: Work): PromiseOrValue<GatheredSource> {
  const source = new GatheredSource();
  let read = 0;
  const added = forEachInOrder(notes, (note) =>
    andThen(source.add(note.key, readChange(note.stored).after ?? NO_TERMS, work), () => {
      note.source = source;
      return andThen(++read % GATHERED === 0 ? work.checkpoint() : undefined, () => undefined);
    }),
  );
  return andThen(added, () => source);
}

/** Notes between two checkpoints. */
const GATHERED = 64;
