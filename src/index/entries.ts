/**
 * The entries of plain and unique indexes.
 *
 *     plain:      prefix · order(value₁) · … · order(valueₙ) · key(record)  →  record key
 *     unique:     prefix · order(value₁) · … · order(valueₙ)                →  record key
 *     overflow:   prefix · ff · key(record)                                 →  record key
 *
 * `order` is the part of the key codec in which 1, 1f and 1dec are the same bytes, so that an index finds what `=`
 * finds. A unique index doesn't constrain records in which one of the values is missing or NULL; those have entries
 * like a plain index's.
 *
 * An array is listed as a whole and by each of its elements; it is the elements that a unique index claims. At the end
 * of a path with `…` it is one value like any other. A value that depends on more than the record (`to.tenant`, where
 * `to` is a link) can't be maintained: such a record has an overflow entry, which every scan reads, too.
 */
import type { IndexDefinition } from '../catalog/definitions/definition.js';
import { prefixRange } from '../catalog/keys/key-bytes.js';
import type { Key, KeyRange } from '../storage/contract.js';
import { encodeKey, encodeOrder } from '../value/codecs/key-codec.js';
import { KEY_TAGS } from '../value/codecs/key-tags.js';
import { MAX_INDEX_ENTRIES } from '../value/limits.js';
import { isArray, type ObjectValue, type RecordKey, Regex, type Value } from '../value/value.js';
import { tooLarge } from '../value/walk.js';
import { UNINDEXABLE, valueAt } from './value-at.js';

/** One entry: its key, and whether it claims its values for one record alone. */
export interface IndexEntry {
  readonly key: Key;
  readonly unique: boolean;
  /** The indexed values, for the text of a violation. */
  readonly values: readonly Value[];
}

/** Above the tags of all kinds of values. */
const OVERFLOW_TAG = '\xff';

/** The prefix of the overflow entries: records with unindexable values. */
export function overflowPrefix(index: string): string {
  return index + OVERFLOW_TAG;
}

/** The range of entries whose next column is an array: one for each record that has one there, and more behind it. */
export function arrayEntries(beginning: string): KeyRange {
  return prefixRange(beginning + String.fromCharCode(KEY_TAGS.array));
}

/** The entries that a record has in an index, whose keys begin with `prefix`. @throws TesseraError `value_too_large` */
export function indexEntries(
  prefix: string,
  index: Pick<IndexDefinition, 'fields' | 'indexKind'>,
  record: ObjectValue,
  key: RecordKey,
): IndexEntry[] {
  const isUnique = index.indexKind.kind === 'unique';
  let rows: readonly Row[] = [{ order: prefix, values: [], claims: isUnique }];
  for (const field of index.fields) {
    const value = valueAt(record, field.parts);
    if (value === UNINDEXABLE || mayMatch(value))
      return [{ key: overflowPrefix(prefix) + encodeKey(key), unique: false, values: [] }];
    const isWhole = field.parts.at(-1)?.kind === 'flatten';
    // What leads nowhere at its very beginning leads to NONE, which a path through elements hides.
    const constrains = isConstraining(value) && isConstraining(valueAt(record, field.parts.slice(0, 1)) as Value);
    rows = isWhole ? rows.map((row) => extended(row, value, constrains)) : extend(rows, value);
  }
  return rows.map(({ order, values, claims }) => ({
    key: claims ? order : order + encodeKey(key),
    unique: claims,
    values,
  }));
}

/** A regex equals what it matches, so that it has no place of its own. */
function mayMatch(value: Value): boolean {
  return value instanceof Regex || (isArray(value) && value.some((element) => element instanceof Regex));
}

/** The beginning of an entry. */
interface Row {
  readonly order: string;
  readonly values: readonly Value[];
  readonly claims: boolean;
}

function extend(rows: readonly Row[], value: Value): readonly Row[] {
  const whole = rows.map((row) => extended(row, value, isConstraining(value) && !isArray(value)));
  if (!isArray(value)) return whole;
  if (rows.length * value.length > MAX_INDEX_ENTRIES) throw tooLarge(MAX_INDEX_ENTRIES);
  const elements = rows.flatMap((row) => value.map((element) => extended(row, element, isConstraining(element))));
  return [...whole, ...elements];
}

function isConstraining(value: Value): boolean {
  return value !== undefined && value !== null;
}

function extended({ order, values, claims }: Row, value: Value, constrains: boolean): Row {
  return { order: order + encodeOrder(value), values: [...values, value], claims: claims && constrains };
}
