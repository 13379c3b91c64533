/**
 * The entries of plain and unique indexes.
 *
 *     plain:   prefix · order(value₁) · … · order(valueₙ) · key(record)  →  record key
 *     unique:  prefix · order(value₁) · … · order(valueₙ)                →  record key
 *
 * `order` is the part of the key codec in which 1, 1f and 1dec are the same bytes, so that an index finds what `=` finds. A unique index
 * doesn't constrain records in which one of the values is missing or NULL; those have entries like a plain index's.
 * A path through an array (`tags.*`) gives an entry for each element.
 */
import type { IndexDefinition } from '../catalog/definition.js';
import { indexPrefix } from '../catalog/keys.js';
import type { Idiom } from '../language/ast.js';
import type { Key } from '../storage/contract.js';
import { encodeKey, encodeOrder } from '../value/key-codec.js';
import { isArray, isObject, type ObjectValue, RecordId, type RecordKey, type Value } from '../value/value.js';

/** One entry: its key, and whether it claims its values for one record alone. */
export interface IndexEntry {
  readonly key: Key;
  readonly unique: boolean;
  /** The indexed values, for the text of a violation. */
  readonly values: readonly Value[];
}

/** The entries that a record has in an index. */
export function indexEntries(
  databaseId: number,
  tableId: number,
  index: IndexDefinition,
  record: ObjectValue,
  key: RecordKey,
): IndexEntry[] {
  const prefix = indexPrefix(databaseId, tableId, index.id);
  return combinations(index.fields.map((field) => valuesAt(record, field))).map((values) => {
    const ordered = prefix + values.map(encodeOrder).join('');
    const unique = index.indexKind.kind === 'unique' && values.every((value) => value !== undefined && value !== null);
    return { key: unique ? ordered : ordered + encodeKey(key), unique, values };
  });
}

/** The values at a path: one, or those of all elements where the path goes through `.*`; NONE when nothing is there. */
function valuesAt(record: ObjectValue, path: Idiom): readonly Value[] {
  let values: readonly Value[] = [record];
  for (const part of path.parts) {
    const next: Value[] = [];
    for (const each of values) {
      // Below a link lie the parts of its key; the record behind it has changes of its own.
      const value = each instanceof RecordId ? (each.key as Value) : each;
      if (part.kind === 'field') next.push(isObject(value) ? value[part.name] : undefined);
      else if (part.kind === 'all') {
        if (isArray(each)) next.push(...each);
        else if (isObject(each)) next.push(...Object.values(each));
        else next.push(each);
      } else if (part.kind === 'index' && part.index.kind === 'literal' && typeof part.index.value === 'number') {
        next.push(isArray(value) ? value[part.index.value] : undefined);
      } else if (part.kind === 'last') next.push(isArray(value) ? value.at(-1) : undefined);
    }
    values = next;
  }
  return values;
}

function combinations(columns: readonly (readonly Value[])[]): Value[][] {
  let rows: Value[][] = [[]];
  for (const column of columns) rows = rows.flatMap((row) => column.map((value) => [...row, value]));
  return rows;
}
