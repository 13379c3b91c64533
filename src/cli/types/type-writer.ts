/** Types and values of the language as the types of a dialect of TypeScript. */
import type { FieldTypeNode } from '../../inference/field-tree.js';
import type { TypePurpose } from '../../inference/schema.js';
import { type ByKind, byKind } from '../../value/by-kind.js';
import { GEOMETRY_TYPES, type GeometryType, PLAIN_TYPES, type PlainType, type Type } from '../../value/type.js';
import type { Shape, Value } from '../../value/value.js';
import type { ClientDialect } from './dialect.js';
import { documentation, propertyName, stringLiteral } from './identifiers.js';

type Texts = {
  readonly [K in Type['kind']]: (type: Extract<Type, { kind: K }>, node: FieldTypeNode | undefined) => string;
};

/** A property of an object. */
export interface Member {
  readonly name: string;
  readonly text: string;
  readonly optional: boolean;
  readonly comment?: string | undefined;
}

/** Writes types and values as the types of a dialect. */
export class TypeWriter {
  readonly #texts: Texts;
  readonly #literals: ByKind<string>;
  readonly #widened: ByKind<string>;

  readonly #purpose: TypePurpose;
  /** For elements of lists: these are replaced as a whole. */
  readonly #elements: TypeWriter;

  /** `names`: types that have a name, by which they are written. */
  constructor(
    dialect: ClientDialect,
    purpose: TypePurpose = 'read',
    readonly names: ReadonlyMap<Type, string> = new Map(),
  ) {
    this.#purpose = purpose;
    this.#elements = purpose === 'update' ? new TypeWriter(dialect, 'create', names) : this;
    this.#texts = this.#textsOf(dialect);
    this.#literals = this.#literalsOf(dialect);
    this.#widened = {
      ...this.#literals,
      bool: named('boolean'),
      int: (value) => typeof value,
      float: named(dialect.plain.float),
      string: named('string'),
      array: (items) => `Array<${[...new Set(items.map((item) => this.ofValue(item)))].join(' | ') || 'unknown'}>`,
      object: (object) =>
        members(Object.keys(object).map((name) => ({ name, text: this.ofValue(object[name]), optional: false }))),
    };
  }

  /** A type, with what the definitions of fields within it say. */
  of(type: Type, node?: FieldTypeNode): string {
    const name = this.names.get(type);
    if (name !== undefined) return name;
    return (this.#texts[type.kind] as (type: Type, node: FieldTypeNode | undefined) => string)(type, node);
  }

  /** The type of a literal value: `{ a: number }` for `{ a: 1 }`. */
  ofValue(value: Value): string {
    return byKind(this.#widened, value);
  }

  nodeMembers({ fields }: FieldTypeNode): Member[] {
    return [...fields]
      .filter(([, node]) => this.#isGiven(node))
      .map(([name, node]) => ({
        name,
        text: this.#field(node),
        optional: !this.#isRequired(node),
        comment: node.comment,
      }));
  }

  /** Whether a field may stand there. */
  #isGiven({ computed, isReadonly }: FieldTypeNode): boolean {
    return this.#purpose === 'read' || !(computed !== undefined || (isReadonly && this.#purpose === 'update'));
  }

  /** An undefined parent object is required if one of its members is. */
  #isRequired(node: FieldTypeNode): boolean {
    if (this.#purpose === 'update' || !this.#isGiven(node)) return false;
    if (this.#purpose === 'create' && node.hasDefault) return false;
    if (node.type !== undefined) return !isOptional(node.type);
    for (const inner of node.fields.values()) if (this.#isRequired(inner)) return true;
    return false;
  }

  #textsOf(dialect: ClientDialect): Texts {
    const plain = PLAIN_TYPES.map((kind) => [kind, () => dialect.plain[kind]] as const);
    return {
      ...(Object.fromEntries(plain) as Record<PlainType, () => string>),
      array: ({ item }, node) => `Array<${this.#item(item, node)}>`,
      set: ({ item }, node) => dialect.set(this.#item(item, node)),
      object: ({ fields, open }, node) => this.#object(fields, node, open),
      tuple: ({ items }) => `[${items.map((item) => this.of(item)).join(', ')}]`,
      record: ({ tables }) => dialect.record(tables),
      table: ({ tables }) => dialect.table(tables),
      file: () => dialect.file,
      geometry: ({ shapes }) =>
        shapes.length === 0 ? dialect.geometry : shapes.map((shape) => dialect.geometries[shape]).join(' | '),
      literal: ({ value }) => this.#literal(value),
      union: ({ of }, node) => this.#union(of, node),
    };
  }

  /** A value as the type that holds nothing else where TypeScript has one, otherwise as its class. */
  #literalsOf({ plain, geometries, set, table, record, file, wholeFloat }: ClientDialect): ByKind<string> {
    const shapes = Object.fromEntries(
      Object.entries(GEOMETRY_TYPES).map(([name, shape]) => [shape, geometries[name as GeometryType]]),
    ) as Record<Shape['type'], string>;
    return {
      none: named('undefined'),
      null: named('null'),
      bool: String,
      int: (value) => (typeof value === 'bigint' ? `${value}n` : String(value)),
      float: (value) => (typeof value === 'number' ? numberText(value) : wholeFloat(value.number)),
      decimal: named(plain.decimal),
      string: stringLiteral,
      duration: named(plain.duration),
      datetime: named(plain.datetime),
      uuid: named(plain.uuid),
      array: (items) => `[${items.map((item) => this.#literal(item)).join(', ')}]`,
      set: named(set('unknown')),
      object: (object) =>
        members(Object.keys(object).map((name) => ({ name, text: this.#literal(object[name]), optional: false }))),
      geometry: ({ shape }) => shapes[shape.type],
      bytes: named(plain.bytes),
      table: named(table([])),
      record: ({ table }) => record([table]),
      file: named(file),
      regex: named(plain.regex),
      range: named(plain.range),
      function: named(plain.function),
    };
  }

  #literal(value: Value): string {
    return byKind(this.#literals, value);
  }

  /** A field, whose type may be known from the fields within it alone. */
  #field(node: FieldTypeNode): string {
    if (node.type !== undefined) return this.of(node.type, node);
    if (node.fields.size > 0) return this.#object(undefined, node);
    return node.element === undefined ? 'unknown' : `Array<${this.#elements.#field(node.element)}>`;
  }

  #union(types: readonly Type[], node: FieldTypeNode | undefined): string {
    const texts = new Set(types.map((type) => this.of(type, node)));
    if (texts.has('unknown')) return 'unknown';
    if (texts.delete('undefined')) texts.add('undefined');
    return [...texts].join(' | ') || 'never';
  }

  /** Fields below `list.*` say more of the items than `array<object>` does. */
  #item(item: Type | undefined, node: FieldTypeNode | undefined): string {
    const element = node?.element;
    if (element === undefined) return item === undefined ? 'unknown' : this.of(item);
    return this.#elements.#field({ ...element, type: element.type ?? item });
  }

  #object(
    fields: Extract<Type, { kind: 'object' }>['fields'],
    node: FieldTypeNode | undefined,
    isOpen = false,
  ): string {
    if (fields !== undefined) {
      return members(
        fields.map(([name, type]) => ({
          name,
          text: this.of(type, node?.fields.get(name)),
          optional: isOptional(type),
        })),
        isOpen,
      );
    }
    if (node === undefined || node.fields.size === 0)
      return `Record<string, ${node?.element === undefined ? 'unknown' : this.#field(node.element)}>`;
    return members(this.nodeMembers(node), node.isOpen);
  }
}

/** Whether there may be nothing in a place of that type. */
export function isOptional(type: Type | undefined): boolean {
  if (type === undefined) return true;
  if (type.kind === 'union') return type.of.some(isOptional);
  return type.kind === 'none' || type.kind === 'any';
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

/** The declaration of an object type. */
export function declaration(
  name: string,
  comment: string | undefined,
  list: readonly Member[],
  isOpen = false,
): string {
  return `${documentation(comment)}export type ${name} = ${members(list, isOpen)};\n`;
}

function indented(text: string): string {
  return text.replaceAll('\n', '\n  ');
}

const named = (type: string) => () => type;

/** NaN and the infinities are no types of their own. */
function numberText(number: number): string {
  return Number.isFinite(number) ? String(number) : 'number';
}
