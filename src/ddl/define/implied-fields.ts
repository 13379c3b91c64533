/**
 * Fields that come with other definitions: `in` and `out` with a relation, `tags.*` with `tags TYPE array<string>`.
 *
 * An implied field may get clauses afterwards; then only its type follows the definition that implies
 * it. A field without clauses is removed when it is no longer implied, so that a table that stops being a relation
 * doesn't require `in` and `out`.
 */
import { forEachInOrder } from '../../base/promise-or-value.js';
import { fieldName, putField } from '../../catalog/ddl/define.js';
import { removeMember } from '../../catalog/ddl/remove.js';
import type { FieldDefinition } from '../../catalog/definitions/definition.js';
import type { SchemaChange } from '../../catalog/definitions/schema-version.js';
import type { Part, TableKind } from '../../language/ast.js';
import { writtenMembers } from '../../language/definitions/define.js';
import { typeText } from '../../value/text/type-text.js';
import type { Type } from '../../value/type.js';
import type { TableInCatalog } from './definition.js';

/** The fields of the two ends of a relation; none for other tables. */
export function endsOf(table: string, kind: TableKind): FieldDefinition[] {
  if (kind.kind !== 'relation') return [];
  const end = (name: string, tables: readonly string[] = []) =>
    bareField(table, [{ kind: 'field', name }], { kind: 'record', tables });
  return [end('in', kind.from), end('out', kind.to)];
}

/** The fields of the elements in a field's type, nested element types included. */
export function elementFieldsOf(field: FieldDefinition): FieldDefinition[] {
  const implied: FieldDefinition[] = [];
  let parts = field.path.parts;
  for (let type = field.type && elementType(field.type); type !== undefined; type = elementType(type)) {
    parts = [...parts, { kind: 'all' }];
    implied.push(bareField(field.table, parts, type));
  }
  return implied;
}

/** Updates the implied fields of a table from those of `before` to those of `after`. */
export async function settleImplied(
  change: SchemaChange,
  { catalog, table }: TableInCatalog,
  before: readonly FieldDefinition[],
  after: readonly FieldDefinition[],
): Promise<void> {
  const existing = new Map(table.fields.map((field) => [fieldName(field), field]));
  const wanted = new Set(after.map(fieldName));
  const put = forEachInOrder(after, async (implied) => {
    const own = existing.get(fieldName(implied));
    const field = own === undefined ? implied : withType(own, implied);
    await putField(change, catalog, table.definition, field);
    return false;
  });
  const gone = before.filter((implied) => {
    const own = existing.get(fieldName(implied));
    return own !== undefined && !wanted.has(fieldName(implied)) && isBare(own) && sameType(own, implied);
  });
  await put;
  return forEachInOrder(gone, async (implied) => {
    await removeMember(change, catalog, table.definition, 'field', fieldName(implied));
    return false;
  });
}

function bareField(table: string, parts: readonly Part[], type: Type): FieldDefinition {
  return {
    kind: 'define-field',
    path: { kind: 'idiom', parts },
    table,
    type,
    flexible: false,
    readonly: false,
    credential: false,
  };
}

function withType(field: FieldDefinition, { type }: FieldDefinition): FieldDefinition {
  return type === undefined ? field : { ...field, type };
}

/** Whether a field has no clause but its type. */
function isBare(field: FieldDefinition): boolean {
  return writtenMembers(field).every((member) => member === 'type');
}

function sameType(a: FieldDefinition, b: FieldDefinition): boolean {
  return a.type !== undefined && b.type !== undefined && typeText(a.type) === typeText(b.type);
}

/** The element type of a type; `undefined` if it has none. */
function elementType(type: Type): Type | undefined {
  if (type.kind === 'array' || type.kind === 'set') return type.item?.kind === 'any' ? undefined : type.item;
  if (type.kind !== 'union') return undefined;
  const elements = new Map<string, Type>();
  for (const member of type.of) {
    const element = elementType(member);
    for (const each of element?.kind === 'union' ? element.of : element === undefined ? [] : [element]) {
      elements.set(typeText(each), each);
    }
  }
  const of = [...elements.values()];
  return of.length > 1 ? { kind: 'union', of } : of[0];
}
