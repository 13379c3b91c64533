/**
 * What a transaction has noted in a full-text index. When it is committed, it makes a segment of many new records,
 * instead of the notes, which a fold would have to read again.
 */
import { Derived } from '../../base/derived.js';
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import { segmentOfNotes } from '../../search/unlisted-segments.js';
import type { Transaction } from '../../storage/contract.js';
import { pausingOf } from '../runtime/cooperative-yielding.js';
import type { Execution } from '../runtime/execution.js';
import { RequestInterrupt } from '../runtime/interrupt.js';
import type { KeptIndex } from './contract.js';

/** So many new records of a transaction make a segment. */
const MANY = 128;
/** A segment is made before the commit of notes that take so many bytes. */
const MOST_BYTES = 4 * 2 ** 20;
/** Of a note, beside its terms. */
const OVERHEAD = 256;

/** What a transaction has noted in an index since it has made a segment of it. */
interface OwnNotes {
  /** The encoded keys of records, some of them twice. */
  keys: string[];
  bytes: number;
  isAwaited: boolean;
}

/** By the prefix of the index. */
const ownNotes = new Derived<Transaction, Map<string, OwnNotes>>();

/** To be called once a writer has noted a change of a record, by its encoded key, in so many bytes. */
export function countDocument(
  index: KeptIndex,
  execution: Execution,
  key: string,
  bytes: number,
): PromiseOrValue<void> {
  const { transaction } = execution.context;
  // What is noted while an index is built is void once the builder has come to the record.
  if (index.isBuilding) return;
  const own = ownNotesOf(transaction, index);
  own.keys.push(key);
  own.bytes += bytes + key.length + OVERHEAD;
  if (own.bytes >= MOST_BYTES) return makeSegment(index, execution, own);
  if (own.keys.length < MANY || own.isAwaited) return;
  own.isAwaited = true;
  transaction.beforeCommit(() => makeSegment(index, execution, own));
}

function ownNotesOf(transaction: Transaction, { prefix }: KeptIndex): OwnNotes {
  let indexes = ownNotes.get(transaction);
  if (indexes === undefined) {
    indexes = new Map();
    ownNotes.set(transaction, indexes);
  }
  let own = indexes.get(prefix);
  if (own === undefined) {
    own = { keys: [], bytes: 0, isAwaited: false };
    indexes.set(prefix, own);
  }
  return own;
}

function makeSegment(
  { prefix }: KeptIndex,
  { context: { transaction }, services: { environment } }: Execution,
  own: OwnNotes,
): PromiseOrValue<void> {
  const { keys } = own;
  own.keys = [];
  own.bytes = 0;
  const id = String.fromCharCode(...environment.random.bytes(16));
  // The statement may have ended long ago, with its time.
  const { pause } = pausingOf({ interrupt: RequestInterrupt.begin(environment) });
  return segmentOfNotes(transaction, prefix, { keys, least: MANY, id }, pause);
}
