/** The GraphQL form of a type of the database (`docs/guides/graphql.md` has the table for users). */
import { GraphQLList, GraphQLNonNull, type GraphQLNullableType, type GraphQLOutputType } from 'graphql';
import type { FieldDefinition } from '../../catalog/definitions/definition.js';
import type { Type } from '../../value/type.js';
import { isArray, isNumber, SetValue, type Value } from '../../value/value.js';
import { SCALARS } from '../base/scalars.js';
import { type FieldTreeNode, present } from './field-tree.js';
import type { Filterable, Filters } from './filter/filters.js';
import type { OperatorKind } from './filter/operators.js';
import { geometryObject, geometryType } from './geometry.js';
import type { Writable } from './writable.js';

/** The output for a stored value: a value of the type, or NONE. */
export type Read = (value: Value) => Value;

export interface OutputShape {
  readonly type: GraphQLOutputType & GraphQLNullableType;
  /** Absent if the stored value is the output. */
  readonly read?: Read;
  /** It may come out as null though a value is stored: a link to a record, or a file, that can't be read. */
  readonly mayVanish?: true;
  readonly orderable: boolean;
  /** Its filter. */
  readonly filterable?: Filterable;
  /** Its input. */
  readonly writable: Writable;
}

/** The place of a shape: the names that lead to it, and its definition. */
export interface FieldPosition {
  readonly names: readonly string[];
  readonly node: FieldTreeNode | undefined;
}

/** The parts of the schema that shapes need. */
export interface ShapeKit {
  readonly filters: Filters;
  /** Whether some may not read the field. */
  isGuarded(definition: FieldDefinition | undefined): boolean;
  /** Whether no user of the schema can ever read the field. */
  isHidden(definition: FieldDefinition | undefined): boolean;
  /** Notes a definition that the schema can't represent. */
  warn(what: string): void;
  /** A link to a record of one of the tables; of any when none is named. */
  link(tables: readonly string[]): OutputShape;
  /** A file, of whatever bucket. */
  file(): OutputShape;
  object(names: readonly string[], fields: ReadonlyMap<string, FieldTreeNode>): OutputShape;
  enumeration(values: readonly string[], names: readonly string[]): OutputShape;
}

/** The shape of a type, and whether it is nullable. */
export function outputShapeOf(
  type: Type | undefined,
  position: FieldPosition,
  kit: ShapeKit,
): { readonly shape: OutputShape; readonly nullable: boolean } {
  const { type: bare, nullable } = present(type);
  const build = SHAPES[bare.kind] as (type: Type, position: FieldPosition, kit: ShapeKit) => OutputShape;
  const shape = build(bare, position, kit);
  const isGuarded = kit.isGuarded(position.node?.definition);
  return { shape, nullable: nullable || isGuarded || shape.mayVanish === true };
}

type Build<T extends Type = Type> = (type: T, position: FieldPosition, kit: ShapeKit) => OutputShape;
type Builders = { readonly [K in Type['kind']]: Build<Extract<Type, { kind: K }>> };

function leaf(name: keyof typeof SCALARS, operators?: OperatorKind): OutputShape {
  const type = SCALARS[name];
  return {
    type,
    writable: { kind: 'leaf', type },
    orderable: operators !== undefined,
    ...(operators !== undefined && {
      filterable: { kind: 'value', label: name.toLowerCase(), operators, input: type },
    }),
  };
}

/** Comparable without a useful order. */
function unordered(name: keyof typeof SCALARS, operators: OperatorKind): OutputShape {
  return { ...leaf(name, operators), orderable: false };
}

const ANY = leaf('any', 'ordered');
/** Types without a literal in GraphQL: they are shown, but can't be compared. */
const OPAQUE = leaf('any');
const GEOMETRY = unordered('geometry', 'geometry');
const OBJECT = unordered('object', 'plain');
const NUMBER = leaf('number', 'ordered');
const BOOLEAN = leaf('Boolean', 'plain');
const INT = leaf('Int', 'ordered');

const always =
  (shape: OutputShape): Build =>
  () =>
    shape;

const SHAPES: Builders = {
  any: (_, { names, node }, kit) => {
    if (node !== undefined && node.fields.size > 0) return objectOf(node.fields, names, kit);
    return node?.element === undefined ? ANY : list({}, { names, node }, kit);
  },
  none: always(ANY),
  null: always(ANY),
  bool: always(BOOLEAN),
  bytes: always(leaf('bytes', 'plain')),
  datetime: always(leaf('datetime', 'ordered')),
  decimal: always(leaf('decimal', 'ordered')),
  duration: always(leaf('duration', 'ordered')),
  file: (_, __, kit) => kit.file(),
  float: always(leaf('Float', 'ordered')),
  function: always(OPAQUE),
  int: always(INT),
  number: always(NUMBER),
  range: always(OPAQUE),
  regex: always(OPAQUE),
  string: always(leaf('String', 'text')),
  table: always(OPAQUE),
  uuid: always(leaf('uuid', 'ordered')),
  array: list,
  set: list,
  object: ({ fields = [] }, { names, node }, kit) => {
    const nodes = new Map(node?.fields);
    for (const [name, type] of fields) if (!nodes.has(name)) nodes.set(name, literalNode(type));
    return objectOf(nodes, names, kit);
  },
  tuple: always(OPAQUE),
  record: ({ tables }, _, kit) => kit.link(tables),
  geometry: ({ shapes }) => ({ ...GEOMETRY, type: geometryType(shapes), read: geometryObject }),
  literal: (type, position, kit) => united([type], position, kit),
  union: ({ of }, position, kit) => united(of, position, kit),
};

/** An object type has at least one field. */
function objectOf(nodes: ReadonlyMap<string, FieldTreeNode>, names: readonly string[], kit: ShapeKit): OutputShape {
  const isEmpty = [...nodes.values()].every(({ definition }) => kit.isHidden(definition));
  return isEmpty ? OBJECT : kit.object(names, nodes);
}

/** A field of an object type that is written out: `{ a: int }`. */
function literalNode(type: Type): FieldTreeNode {
  return { definition: undefined, type, fields: new Map(), element: undefined };
}

function list(
  { item, kind }: { readonly item?: Type; readonly kind?: 'array' | 'set' },
  { names, node }: FieldPosition,
  kit: ShapeKit,
): OutputShape {
  const element = node?.element;
  const type = element?.type ?? item;
  const { shape, nullable } = outputShapeOf(type, { names, node: element }, kit);
  const { read, filterable } = shape;
  return {
    type: new GraphQLList(nullable ? shape.type : new GraphQLNonNull(shape.type)),
    ...(read && {
      read: (value) => {
        const items = value instanceof SetValue ? value.items : value;
        return isArray(items) ? items.map(read) : undefined;
      },
    }),
    orderable: false,
    writable: { kind: 'list', isSet: kind === 'set', element: shape.writable, type },
    ...(filterable && {
      filterable: { kind: 'list', label: `array_${filterable.label}`, element: filterable },
    }),
  };
}

/** Alternatives that GraphQL has one type for; else any value. */
function united(of: readonly Type[], position: FieldPosition, kit: ShapeKit): OutputShape {
  const values = of.map((type) => (type.kind === 'literal' ? type.value : undefined));
  if (values.every((value) => typeof value === 'string')) return kit.enumeration(values, position.names);
  if (of.every((type, at) => type.kind === 'bool' || typeof values[at] === 'boolean')) return BOOLEAN;
  if (of.every((type, at) => type.kind === 'int' || Number.isInteger(values[at]))) return INT;
  if (of.every(({ kind }, at) => NUMERIC.has(kind) || isNumber(values[at]))) return NUMBER;
  const tables = of.map((type) => (type.kind === 'record' ? type.tables : undefined));
  if (tables.every((each) => each !== undefined)) {
    return kit.link(tables.some((each) => each.length === 0) ? [] : [...new Set(tables.flat())]);
  }
  if (of.every(({ kind }) => kind === 'file')) return kit.file();
  if (of.every(({ kind }) => kind === 'object')) return OBJECT;
  return of.every(({ kind }) => SCALAR_KINDS.has(kind)) ? ANY : OPAQUE;
}

const NUMERIC: ReadonlySet<Type['kind']> = new Set(['int', 'float', 'decimal', 'number']);
/** Types with which literals of GraphQL can be compared without a conversion. */
const SCALAR_KINDS: ReadonlySet<Type['kind']> = new Set([...NUMERIC, 'bool', 'string', 'literal', 'any']);
