/** Types of the language as TypeScript has them: what the official client gives for their values. */
import { type ByKind, byKind } from '../../value/by-kind.js';
import { GEOMETRY_TYPES, type GeometryType, type PlainType, type Type } from '../../value/type.js';
import type { Shape, Value } from '../../value/value.js';
import type { FieldNode } from './field-tree.js';
import { documentation, propertyName, quoted } from './identifiers.js';

const PLAIN: Readonly<Record<PlainType, string>> = {
  any: 'unknown',
  none: 'undefined',
  null: 'null',
  bool: 'boolean',
  bytes: 'ArrayBuffer',
  datetime: 'DateTime',
  decimal: 'Decimal',
  duration: 'Duration',
  file: 'FileRef',
  float: 'number',
  function: 'unknown',
  int: 'number',
  number: 'number | Decimal',
  range: 'Range<unknown, unknown>',
  regex: 'unknown',
  string: 'string',
  uuid: 'Uuid',
};

const GEOMETRIES: Readonly<Record<GeometryType, string>> = {
  point: 'GeometryPoint',
  line: 'GeometryLine',
  polygon: 'GeometryPolygon',
  multipoint: 'GeometryMultiPoint',
  multiline: 'GeometryMultiLine',
  multipolygon: 'GeometryMultiPolygon',
  collection: 'GeometryCollection',
};

const SHAPES = Object.fromEntries(
  Object.entries(GEOMETRY_TYPES).map(([name, shape]) => [shape, GEOMETRIES[name as GeometryType]]),
) as Record<Shape['type'], string>;

type Texts = {
  readonly [K in Type['kind']]: (type: Extract<Type, { kind: K }>, node: FieldNode | undefined) => string;
};

const TEXTS: Texts = {
  ...(Object.fromEntries(Object.entries(PLAIN).map(([kind, text]) => [kind, () => text])) as Record<
    PlainType,
    () => string
  >),
  array: ({ item }, node) => `Array<${itemText(item, node)}>`,
  set: ({ item }, node) => `Set<${itemText(item, node)}>`,
  object: ({ fields }, node) => objectText(fields, node),
  tuple: ({ items }) => `[${items.map((item) => typeText(item)).join(', ')}]`,
  record: ({ tables }) => (tables.length === 0 ? 'RecordId' : recordText(tables)),
  table: ({ tables }) => (tables.length === 0 ? 'Table' : `Table<${tables.map(quoted).join(' | ')}>`),
  geometry: ({ shapes }) => (shapes.length === 0 ? 'Geometry' : shapes.map((shape) => GEOMETRIES[shape]).join(' | ')),
  literal: ({ value }) => literalText(value),
  union: ({ of }, node) => unionText(of, node),
};

/** A type, with what the definitions of fields within it say. */
export function typeText(type: Type, node?: FieldNode): string {
  return (TEXTS[type.kind] as (type: Type, node: FieldNode | undefined) => string)(type, node);
}

export function recordText(tables: readonly string[], key?: string): string {
  const names = tables.map(quoted).join(' | ');
  return key === undefined ? `RecordId<${names}>` : `RecordId<${names}, ${key}>`;
}

/** A field, whose type may be known from the fields within it alone. */
export function fieldText(node: FieldNode): string {
  if (node.type !== undefined) return typeText(node.type, node);
  if (node.fields.size > 0) return objectText(undefined, node);
  return node.element === undefined ? 'unknown' : `Array<${fieldText(node.element)}>`;
}

/** Whether there may be nothing in a place of that type. */
export function isOptional(type: Type | undefined): boolean {
  if (type === undefined) return true;
  if (type.kind === 'union') return type.of.some(isOptional);
  return type.kind === 'none' || type.kind === 'any';
}

function unionText(types: readonly Type[], node: FieldNode | undefined): string {
  const texts = new Set(types.map((type) => typeText(type, node)));
  if (texts.has('unknown')) return 'unknown';
  if (texts.delete('undefined')) texts.add('undefined');
  return [...texts].join(' | ');
}

/** Fields below `list.*` say more of the items than `array<object>` does. */
function itemText(item: Type | undefined, node: FieldNode | undefined): string {
  const element = node?.element;
  if (element === undefined) return item === undefined ? 'unknown' : typeText(item);
  return fieldText({ ...element, type: element.type ?? item });
}

function objectText(fields: Extract<Type, { kind: 'object' }>['fields'], node: FieldNode | undefined): string {
  if (fields !== undefined) {
    return members(
      fields.map(([name, type]) => ({
        name,
        text: typeText(type, node?.fields.get(name)),
        optional: isOptional(type),
      })),
    );
  }
  if (node === undefined || node.fields.size === 0)
    return `Record<string, ${node?.element === undefined ? 'unknown' : fieldText(node.element)}>`;
  return members(nodeMembers(node), node.isOpen);
}

export interface Member {
  readonly name: string;
  readonly text: string;
  readonly optional: boolean;
  readonly comment?: string | undefined;
}

export function nodeMembers({ fields }: FieldNode): Member[] {
  return [...fields].map(([name, node]) => ({
    name,
    text: fieldText(node),
    optional: node.type === undefined ? !hasRequired(node) : isOptional(node.type),
    comment: node.comment,
  }));
}

/** An object that isn't defined itself is there as soon as something within it must be. */
function hasRequired({ fields }: FieldNode): boolean {
  for (const node of fields.values())
    if (node.type === undefined ? hasRequired(node) : !isOptional(node.type)) return true;
  return false;
}

/** An object with these properties, each on a line of its own; with any others, too, if it is open. */
export function members(list: readonly Member[], isOpen = false): string {
  const lines = list.map(({ name, text, optional, comment }) => {
    const type = optional && text !== 'unknown' && !/(^|\| )undefined$/.test(text) ? `${text} | undefined` : text;
    return `${documentation(comment, '  ')}  ${propertyName(name)}${optional ? '?' : ''}: ${indented(type)};\n`;
  });
  if (isOpen) lines.push('  [field: string]: unknown;\n');
  return lines.length === 0 ? '{}' : `{\n${lines.join('')}}`;
}

function indented(text: string): string {
  return text.replaceAll('\n', '\n  ');
}

function literalText(value: Value): string {
  return byKind(LITERALS, value);
}

const named = (type: string) => () => type;

/** A value as the type that holds nothing else where TypeScript has one, otherwise as its class. */
const LITERALS: ByKind<string> = {
  none: named('undefined'),
  null: named('null'),
  bool: String,
  int: (value) => (typeof value === 'bigint' ? `${value}n` : String(value)),
  float: (value) => numberText(typeof value === 'number' ? value : value.number),
  decimal: named('Decimal'),
  string: quoted,
  duration: named('Duration'),
  datetime: named('DateTime'),
  uuid: named('Uuid'),
  array: (items) => `[${items.map(literalText).join(', ')}]`,
  set: named('Set<unknown>'),
  object: (object) =>
    members(Object.keys(object).map((name) => ({ name, text: literalText(object[name]), optional: false }))),
  geometry: ({ shape }) => SHAPES[shape.type],
  bytes: named('ArrayBuffer'),
  table: named('Table'),
  record: ({ table }) => recordText([table]),
  file: named('FileRef'),
  regex: named('unknown'),
  range: named('Range<unknown, unknown>'),
  function: named('unknown'),
};

/** NaN and the infinities are no types of their own. */
function numberText(number: number): string {
  return Number.isFinite(number) ? String(number) : 'number';
}

/** What values like this one are: `{ a: number }` for `{ a: 1 }`. */
export function typeOfValue(value: Value): string {
  return byKind(WIDENED, value);
}

const WIDENED: ByKind<string> = {
  ...LITERALS,
  bool: named('boolean'),
  int: (value) => typeof value,
  float: named('number'),
  string: named('string'),
  array: (items) => `Array<${[...new Set(items.map(typeOfValue))].join(' | ') || 'unknown'}>`,
  object: (object) =>
    members(Object.keys(object).map((name) => ({ name, text: typeOfValue(object[name]), optional: false }))),
};
