/**
 * Records that an index finds in its own order, each with a note: its score, its distance.
 */
import { Derived } from '../base/derived.js';
import { andThen, lastly, type PromiseOrValue, untilTrue } from '../base/promise-or-value.js';
import type { IndexNote } from '../functions/calls/contract.js';
import { isObject, type ObjectValue, objectFrom, RecordId, type RecordKey, type Value } from '../value/value.js';

export interface Candidate {
  readonly key: RecordKey;
  readonly note: IndexNote;
}

/** Candidates batch by batch, each once. The caller closes them. */
export interface Candidates {
  /** `undefined` is the end. */
  next(): PromiseOrValue<readonly Candidate[] | undefined>;
  close(): void;
}

/** Hands each batch to `visit`; `true` ends it early. */
export function forEachCandidates(
  candidates: Candidates,
  visit: (batch: readonly Candidate[]) => PromiseOrValue<boolean>,
): PromiseOrValue<void> {
  const step = () => andThen(candidates.next(), (batch) => (batch === undefined ? true : visit(batch)));
  return lastly(
    () => untilTrue(step),
    () => candidates.close(),
  );
}

const notes = new Derived<ObjectValue, IndexNote>();

/** A row that carries a note. It is a copy, since a stored record is shared by all who read it. */
export function withNote(row: ObjectValue, note: IndexNote): ObjectValue {
  const noted = objectFrom(row);
  notes.set(noted, note);
  return noted;
}

/** Rows of ids alone, with their notes; `undefined` if any record has to be read. */
export function rowsOfIds(table: string, batch: readonly Candidate[]): readonly ObjectValue[] | undefined {
  if (batch.some(({ note }) => note.isUncertain === true)) return undefined;
  return batch.map(({ key, note }) => withNote(objectFrom([['id', new RecordId(table, key)]]), note));
}

/** The note of an index about a row, if an index has found it. */
export function noteOf(row: Value): IndexNote | undefined {
  return isObject(row) ? notes.get(row) : undefined;
}
