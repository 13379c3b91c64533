/** Statements that create random records of a schema: links lead to some of them, or nowhere. */
import fc from 'fast-check';
import type { RecordTypes } from '../../src/inference/record-types.js';
import type { Type } from '../../src/value/type.js';
import { newObject, objectFrom, RecordId, type Value } from '../../src/value/value.js';
import { ofKind } from '../support/arbitraries.js';

const KEYS = ['ann', 'bob', 'one', 'two'];

/** A value of a type; what is left out is NONE. */
function someOf(type: Type): fc.Arbitrary<Value> {
  switch (type.kind) {
    case 'any':
      return fc.oneof(ofKind.int, ofKind.string, ofKind.object);
    case 'union':
      return fc.oneof(...type.of.map(someOf));
    case 'literal':
      return fc.constant(type.value);
    case 'int':
      return fc.integer({ min: -100, max: 100 });
    case 'array':
      return fc.array(someOf(type.item ?? { kind: 'any' }), { maxLength: 3 });
    case 'record':
      return fc.constantFrom(...KEYS).map((key) => new RecordId(type.tables[0] ?? 'person', key));
    case 'object':
      return fc
        .tuple(...(type.fields ?? []).map(([name, field]) => someOf(field).map((value) => [name, value] as const)))
        .map(objectFrom);
    default:
      return (ofKind as Partial<Record<Type['kind'], fc.Arbitrary<Value>>>)[type.kind] ?? fc.constant(newObject());
  }
}

/** Records to be created: with an id, and what the table takes. */
export function generatedRows(records: RecordTypes, tables: readonly string[]): fc.Arbitrary<Value[]> {
  return fc
    .tuple(
      ...tables.map((table) =>
        fc
          .array(someOf(records.input(table, 'create')), { maxLength: 3 })
          .map((rows) =>
            rows.map((row, at): Value => ({ ...(row as object), id: new RecordId(table, KEYS[at] as string) })),
          ),
      ),
    )
    .map((lists) => lists.flat());
}
