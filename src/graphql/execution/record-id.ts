/** The record named by an argument of type ID. */
import { parseRecordId } from '../../language/parse.js';
import { Range, RecordId } from '../../value/value.js';

/** A full record id: `person:simon`. `undefined` for any other text. */
export function readRecordId(text: string): RecordId | undefined {
  const id = parseRecordId(text);
  return id === undefined || id.key instanceof Range ? undefined : id;
}

/**
 * The records of a table that a text may mean: a full id, or the key alone. A key such as `1` or `[1, 2]` may be meant
 * as it would be written in a query or as text, so both are candidates.
 */
export function candidateRecordIds(table: string, text: string): readonly RecordId[] {
  const full = readRecordId(text);
  if (full?.table === table) return [full];
  const byText = new RecordId(table, text);
  // Any plain name will do for the table: only the key is read.
  const written = readRecordId(`t:${text}`);
  return written === undefined || written.key === text ? [byText] : [new RecordId(table, written.key), byText];
}
