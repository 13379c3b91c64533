/** The record that a clause of an access method, or a claim, names. */
import { parseRecordId } from '../../language/parse.js';
import { isArray, isObject, Range, RecordId, type Value } from '../../value/value.js';

/**
 * Converts the result of a clause, or a claim, to a record id: a record id, its text, an object with an `id`, or the
 * first element of an array of these.
 */
export function recordFrom(value: Value): RecordId | undefined {
  let found = isArray(value) ? value[0] : value;
  if (isObject(found)) found = found['id'];
  if (typeof found === 'string') found = parseRecordId(found);
  // A range of records identifies no user.
  return found instanceof RecordId && !(found.key instanceof Range) ? found : undefined;
}
