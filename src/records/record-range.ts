/** A range of record ids as a range of keys. */
import type { TableEntry } from '../catalog/definitions/database-catalog.js';
import type { KeyRange } from '../storage/contract.js';
import { encodeKey } from '../value/codecs/key-codec.js';
import { Range, type RecordId, type Value } from '../value/value.js';

/** The keys of the records of a table: of those in a range of ids (`t:1..5`), or of all. */
export function recordRange({ keys }: TableEntry, id: RecordId | undefined): KeyRange {
  const whole = keys.records;
  if (id === undefined || !(id.key instanceof Range)) return whole;
  const { start, end } = id.key;
  const at = (value: Value) => keys.record(encodeKey(value));
  return {
    from: start === undefined ? whole.from : start.inclusive ? at(start.value) : `${at(start.value)}\0`,
    to: end === undefined ? whole.to : end.inclusive ? `${at(end.value)}\0` : at(end.value),
  };
}
