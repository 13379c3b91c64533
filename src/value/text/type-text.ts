/** Types as text. */
import type { Type } from '../type.js';
import { kindOf, type Value } from '../value.js';
import { escapeName, escapeObjectKey } from './quote.js';
import { toText } from './text.js';

/** As INFO prints it: `none | int`, `array<string, 3>`, `record<a | b>`, `{ a: int }`. */
export function typeText(type: Type): string {
  return print(type, INFO_STYLE);
}

/** As error texts print it: `none | int`, `array<string, 3>`, `record<a|b>`. */
export function typeTextInErrors(type: Type): string {
  return print(type, ERROR_STYLE);
}

interface Style {
  readonly bar: string;
}
const INFO_STYLE: Style = { bar: ' | ' };
const ERROR_STYLE: Style = { bar: '|' };

type Printers = { readonly [K in Type['kind']]?: (type: Extract<Type, { kind: K }>, style: Style) => string };

const PRINTERS: Printers = {
  array: collection,
  set: collection,
  object: ({ fields }) => (fields === undefined ? 'object' : objectType(fields)),
  tuple: ({ items }) => `[${items.map(typeText).join(', ')}]`,
  record: ({ tables }, { bar }) => withArguments('record', tables.map(escapeName), bar),
  geometry: ({ shapes }, { bar }) => withArguments('geometry', shapes, bar),
  literal: ({ value }) => literalText(value),
  union: ({ of }, style) => of.map((type) => print(type, style)).join(' | '),
};

function print(type: Type, style: Style): string {
  const printer = PRINTERS[type.kind] as ((type: Type, style: Style) => string) | undefined;
  return printer === undefined ? type.kind : printer(type, style);
}

/** The reference engine has a space before numbers that aren't ints. */
function literalText(value: Value): string {
  const kind = kindOf(value);
  return kind === 'float' || kind === 'decimal' ? ` ${toText(value)}` : toText(value);
}

function collection({ kind, item, length }: Extract<Type, { kind: 'array' | 'set' }>, style: Style): string {
  if (length !== undefined) return `${kind}<${print(item ?? { kind: 'any' }, style)}, ${length}>`;
  return item === undefined || item.kind === 'any' ? kind : `${kind}<${print(item, style)}>`;
}

function objectType(fields: readonly (readonly [name: string, type: Type])[]): string {
  if (fields.length === 0) return '{  }';
  return `{ ${fields.map(([name, type]) => `${escapeObjectKey(name)}: ${typeText(type)}`).join(', ')} }`;
}

function withArguments(name: string, list: readonly string[], bar: string): string {
  return list.length === 0 ? name : `${name}<${list.join(bar)}>`;
}
