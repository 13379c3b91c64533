/** Types as text. */
import type { Type } from '../type.js';
import { kindOf, type Value } from '../value.js';
import { escapeName, escapeObjectKey } from './quote.js';
import { toText } from './text.js';

/**
 * As INFO prints it: `none | int`, `array<string, 3>`, `record<a | b>`, `{ a: int }`.
 *
 *     typeText({ kind: 'array', item: { kind: 'string' }, length: 3 })   // 'array<string, 3>'
 */
export function typeText(type: Type): string {
  const printer = PRINTERS[type.kind] as ((type: Type) => string) | undefined;
  return printer === undefined ? type.kind : printer(type);
}

/**
 * As error texts print it, in which tables and buckets stand as they are named: ``record<a|b c>``, but ``array<record<a
 * | `b c`>>``.
 */
export function typeTextInErrors(type: Type): string {
  return isNamed(type) ? withArguments(type.kind, namesIn(type), '|') : typeText(type);
}

type Printers = { readonly [K in Type['kind']]?: (type: Extract<Type, { kind: K }>) => string };

const PRINTERS: Printers = {
  array: collection,
  set: collection,
  object: ({ fields, open }) => (fields === undefined ? 'object' : objectType(fields, open)),
  tuple: ({ items }) => `[${items.map(typeText).join(', ')}]`,
  record: named,
  table: named,
  file: named,
  geometry: ({ shapes }) => withArguments('geometry', shapes),
  literal: ({ value }) => literalText(value),
  union: ({ of }) => of.map(typeText).join(' | '),
};

/** A type whose arguments are names. */
type Named = Extract<Type, { kind: 'record' | 'table' | 'file' }>;

function namesIn(type: Named): readonly string[] {
  return type.kind === 'file' ? type.buckets : type.tables;
}

function isNamed(type: Type): type is Named {
  return type.kind === 'record' || type.kind === 'table' || type.kind === 'file';
}

function named(type: Named): string {
  return withArguments(type.kind, namesIn(type).map(escapeName));
}

/** The reference engine has a space before numbers that aren't ints. */
function literalText(value: Value): string {
  const kind = kindOf(value);
  return kind === 'float' || kind === 'decimal' ? ` ${toText(value)}` : toText(value);
}

function collection({ kind, item, length }: Extract<Type, { kind: 'array' | 'set' }>): string {
  if (length !== undefined) return `${kind}<${typeText(item ?? { kind: 'any' })}, ${length}>`;
  return item === undefined || item.kind === 'any' ? kind : `${kind}<${typeText(item)}>`;
}

function objectType(fields: readonly (readonly [name: string, type: Type])[], open?: true): string {
  const texts = fields.map(([name, type]) => `${escapeObjectKey(name)}: ${typeText(type)}`);
  if (open) texts.push('…');
  return texts.length === 0 ? '{  }' : `{ ${texts.join(', ')} }`;
}

function withArguments(name: string, list: readonly string[], bar = ' | '): string {
  return list.length === 0 ? name : `${name}<${list.join(bar)}>`;
}
