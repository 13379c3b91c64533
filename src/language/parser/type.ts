/** Types: `option<string>`, `array<int, 3>`, `record<a | b>`, `'x' | 5`, `{ a: int }`. */
import { compareStrings } from '../../value/strings.js';
import { typeText } from '../../value/text/type-text.js';
import { GEOMETRY_TYPES, type GeometryType, PLAIN_TYPES, type PlainType, type Type } from '../../value/type.js';
import type { Value } from '../../value/value.js';
import { objectKey } from './expression/collection.js';
import { literal, numberLiteral, signedNumber } from './expression/literal.js';
import type { Parser } from './parser.js';

const PLAIN: ReadonlyMap<string, Type> = new Map(
  PLAIN_TYPES.filter((kind) => kind !== 'any').map((kind: PlainType) => [kind.toUpperCase(), { kind }]),
);
const SHAPES: ReadonlyMap<string, GeometryType> = new Map(
  (Object.keys(GEOMETRY_TYPES) as GeometryType[]).map((name) => [name.toUpperCase(), name]),
);

/** Types that take arguments, by their name. */
const GENERIC: ReadonlyMap<string, (parser: Parser) => Type> = new Map<string, (parser: Parser) => Type>([
  ['ARRAY', (parser) => sequence(parser, 'array')],
  ['SET', (parser) => sequence(parser, 'set')],
  ['RECORD', (parser) => ({ kind: 'record', tables: names(parser) })],
  ['TABLE', (parser) => ({ kind: 'table', tables: names(parser) })],
  ['FILE', (parser) => ({ kind: 'file', buckets: names(parser) })],
  [
    'GEOMETRY',
    (parser) => ({
      kind: 'geometry',
      shapes: bracketed(parser, () => alternatives(parser, () => shape(parser))) ?? [],
    }),
  ],
  ['OBJECT', () => ({ kind: 'object' })],
]);

/** A type, perhaps a union. `any` stands alone, and `option<…>` only at the beginning. */
export function type(parser: Parser): Type {
  if (parser.acceptWord('ANY')) return { kind: 'any' };
  const first = parser.isWord('OPTION') ? option(parser) : single(parser);
  return parser.isPunct('|') ? union(parser, first) : first;
}

/** `option<…>`, which contains neither `any` nor another option. */
function option(parser: Parser): Type {
  const outer = parser.enter();
  parser.advance();
  const inner = required(parser, () => union(parser, single(parser)));
  parser.leave(outer);
  return unionOf([{ kind: 'none' }, inner]);
}

/** The members that follow the first one. */
function union(parser: Parser, first: Type): Type {
  const of = [first];
  while (parser.acceptPunct('|')) of.push(single(parser));
  return unionOf(of);
}

/** The type of a cast, whose `<` is the current token. */
export function castType(parser: Parser): Type {
  return required(parser, () => type(parser));
}

/** The type of a closure's parameter, where a union needs `<…>` around it since `|` ends the parameters. */
export function closureType(parser: Parser): Type {
  if (parser.isPunct('<')) return castType(parser);
  if (parser.acceptWord('ANY')) return { kind: 'any' };
  return parser.isWord('OPTION') ? option(parser) : single(parser);
}

/** A union without unions in it and without repetitions. */
function unionOf(members: readonly Type[]): Type {
  const of = new Map<string, Type>();
  for (const member of members) {
    for (const single of member.kind === 'union' ? member.of : [member]) {
      const text = typeText(single);
      if (!of.has(text)) of.set(text, single);
    }
  }
  const [first, ...others] = of.values();
  return first !== undefined && others.length === 0 ? first : { kind: 'union', of: [...of.values()] };
}

function single(parser: Parser): Type {
  const outer = parser.enter();
  const result = parser.kind === 'word' ? named(parser) : literalType(parser);
  parser.leave(outer);
  return result;
}

function named(parser: Parser): Type {
  const name = parser.word;
  const plain = PLAIN.get(name);
  if (plain !== undefined) {
    parser.advance();
    return plain;
  }
  const generic = GENERIC.get(name);
  if (generic !== undefined) {
    parser.advance();
    return generic(parser);
  }
  const geometry = SHAPES.get(name);
  if (geometry !== undefined) {
    parser.advance();
    return { kind: 'geometry', shapes: [geometry] };
  }
  if (parser.acceptWord('TRUE')) return { kind: 'literal', value: true };
  if (parser.acceptWord('FALSE')) return { kind: 'literal', value: false };
  return parser.unexpected('a kind name', [...PLAIN.keys(), ...GENERIC.keys(), ...SHAPES.keys()]);
}

function literalType(parser: Parser): Type {
  switch (parser.kind) {
    case 'string':
    case 'duration':
      return { kind: 'literal', value: literal(parser).value };
    case 'number':
      return { kind: 'literal', value: numberLiteral(parser).value };
    case 'punct':
      return punctuated(parser);
    default:
      return parser.unexpected('a kind name');
  }
}

function punctuated(parser: Parser): Type {
  const openedAt = parser.start;
  if (parser.acceptPunct('[')) return { kind: 'tuple', items: parser.listUntil(']', openedAt, () => type(parser)) };
  if (parser.acceptPunct('{')) return { kind: 'object', fields: fields(parser, openedAt) };
  if (parser.isPunct('-') || parser.isPunct('+')) {
    const sign = parser.text as '-' | '+';
    parser.advance();
    if (parser.kind !== 'number') parser.unexpected('a number');
    const value: Value = signedNumber(parser, sign).value;
    return { kind: 'literal', value };
  }
  return parser.unexpected('a kind name');
}

/** In the order of their names; of those that are named twice the last stays. */
function fields(parser: Parser, openedAt: number): (readonly [string, Type])[] {
  const named = new Map(parser.listUntil('}', openedAt, () => field(parser)));
  return [...named].sort(([a], [b]) => compareStrings(a, b));
}

function field(parser: Parser): readonly [string, Type] {
  const name = objectKey(parser);
  parser.expectPunct(':');
  return [name, type(parser)];
}

function sequence(parser: Parser, kind: 'array' | 'set'): Type {
  const args = bracketed(parser, () => {
    const item = type(parser);
    return { item, length: parser.acceptPunct(',') ? parser.natural() : undefined };
  });
  if (args === undefined || (args.item.kind === 'any' && args.length === undefined)) return { kind };
  return { kind, item: args.item, ...(args.length !== undefined && { length: args.length }) };
}

/** Of tables or buckets; none for all of them. */
function names(parser: Parser): readonly string[] {
  return bracketed(parser, () => alternatives(parser, () => parser.name())) ?? [];
}

function shape(parser: Parser): GeometryType {
  const name = SHAPES.get(parser.word);
  if (name === undefined) return parser.unexpected('a geometry kind name');
  parser.advance();
  return name;
}

function alternatives<T>(parser: Parser, item: () => T): T[] {
  const items = [item()];
  while (parser.acceptPunct('|')) items.push(item());
  return items;
}

/** What stands in `<…>`, if that follows. */
function bracketed<T>(parser: Parser, content: () => T): T | undefined {
  return parser.isPunct('<') ? required(parser, content) : undefined;
}

function required<T>(parser: Parser, content: () => T): T {
  const openedAt = parser.start;
  parser.expectPunct('<');
  const result = content();
  parser.expectClose('>', openedAt);
  return result;
}
