/**
 * What a transaction has noted in a full-text index. When it is committed, it makes a segment of many new records,
 * instead of the notes, which a fold would have to read again.
 */

import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import { TimeSlice } from '../../env/time-slice.js';
import type { Execution } from '../../runtime/execution.js';
import type { GatheredSource } from '../../search/segments/gathered-source.js';
import { gatherNotes, type OwnNote, segmentOfNotes } from '../../search/segments/unlisted-segments.js';
import { TransactionLocal } from '../../storage/contract.js';
import type { KeptIndex } from './contract.js';

/**
 * So many new records of a transaction make a segment. Up to there they are noted alone, and read out of their notes
 * then; the terms of those that follow are gathered as well.
 */
const MANY = 128;
/** A segment is made before the commit of notes that take so many bytes. */
const MOST_BYTES = 4 * 2 ** 20;
/** Of a note, beside its terms. */
const OVERHEAD = 256;

/** What a transaction has noted in an index of new records, since it has made a segment of such. */
export class OwnNotes {
  notes: OwnNote[] = [];
  /** The terms of all of them, once there are many; they take no more memory than the notes. */
  gathered: GatheredSource | undefined;
  isAwaited = false;
  bytes = 0;

  clear(): void {
    this.notes = [];
    this.gathered = undefined;
    this.bytes = 0;
  }
}

/** By the prefix of the index. */
const OWN_NOTES = new TransactionLocal<Map<string, OwnNotes>>();

/** `undefined` where a transaction makes no segments. */
export function ownNotesOf(index: KeptIndex, { context: { transaction } }: Execution): OwnNotes | undefined {
  // What is noted while an index is built is void once the builder has come to the record.
  if (index.isBuilding) return undefined;
  const indexes = transaction.local(OWN_NOTES, () => new Map());
  let own = indexes.get(index.prefix);
  if (own === undefined) {
    own = new OwnNotes();
    indexes.set(index.prefix, own);
  }
  return own;
}

/** To be called once a writer has noted a new record. */
export function addNote(
  index: KeptIndex,
  execution: Execution,
  own: OwnNotes,
  note: OwnNote,
  bytes: number,
): PromiseOrValue<void> {
  const { transaction } = execution.context;
  own.notes.push(note);
  own.bytes += bytes + note.key.length + OVERHEAD;
  if (own.bytes >= MOST_BYTES) return makeSegment(index, execution, own);
  if (own.notes.length !== MANY) return;
  if (!own.isAwaited) transaction.beforeCommit(() => makeSegment(index, execution, own));
  own.isAwaited = true;
  return beginGathering(execution, own);
}

function beginGathering(execution: Execution, own: OwnNotes): PromiseOrValue<void> {
  return andThen(gatherNotes(own.notes, execution.interrupt), (gathered) => {
    own.gathered = gathered;
  });
}

function makeSegment(
  { prefix }: KeptIndex,
  { context: { transaction }, services: { environment } }: Execution,
  own: OwnNotes,
): PromiseOrValue<void> {
  const { notes, gathered } = own;
  own.clear();
  const id = String.fromCharCode(...environment.random.bytes(16));
  // The statement may have ended long ago, with its time.
  const work = new TimeSlice(environment);
  return segmentOfNotes(transaction, prefix, { notes, gathered, least: MANY, id }, work);
}
