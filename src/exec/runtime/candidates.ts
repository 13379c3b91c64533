/**
 * Records that an index finds in an order of its own, and what it says of each: how well it matches, how near it is.
 */
import { Derived } from '../../base/derived.js';
import { andThen, lastly, type PromiseOrValue, untilTrue } from '../../base/promise-or-value.js';
import type { IndexNote } from '../../functions/contract.js';
import { isObject, type ObjectValue, objectFrom, RecordId, type RecordKey, type Value } from '../../value/value.js';

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

/** Rows of nothing but ids, with their notes; `undefined` where any of them has to be looked at. */
export function rowsOfIds(table: string, batch: readonly Candidate[]): readonly ObjectValue[] | undefined {
  if (batch.some(({ note }) => note.isUncertain === true)) return undefined;
  return batch.map(({ key, note }) => withNote(objectFrom([['id', new RecordId(table, key)]]), note));
}

/** What an index has said of a row, if one has found it. */
export function noteOf(row: Value): IndexNote | undefined {
  return isObject(row) ? notes.get(row) : undefined;
}
