/** The definitions of a database as a module of TypeScript types. */
import type { DefineFunction } from '../../language/ast.js';
import { constantValue } from '../../language/constant-value.js';
import { type ByKind, byKind } from '../../value/by-kind.js';
import { GEOMETRY_TYPES, type GeometryType, PLAIN_TYPES, type PlainType, type Type } from '../../value/type.js';
import type { Shape, Value } from '../../value/value.js';
import type { ClientDialect } from './dialect.js';
import { type FieldTypeNode, fieldTypeTree, newNode } from './field-tree.js';
import { documentation, parameterNames, propertyName, stringLiteral, TypeNames } from './identifiers.js';
import type { Schema, TableSchema } from './schema.js';

/** The text of the module. */
export function writeTypes({ tables, functions, params }: Schema, dialect: ClientDialect): string {
  const writer = new TypeWriter(dialect);
  const names = new TypeNames();
  const named = tables.map((table) => ({ table, type: names.take(table.name) }));
  // After those of all tables, which keep their names.
  const written = named
    .filter(({ table }) => table.definition.view === undefined)
    .map(({ table, type }) => ({
      table,
      create: names.take(`Create${type}Input`),
      update: names.take(`Update${type}Input`),
    }));
  const creations = new TypeWriter(dialect, 'create');
  const updates = new TypeWriter(dialect, 'update');
  const sections = [
    ...named.map(({ table, type }) => tableText(table, type, dialect, writer)),
    ...written.flatMap(({ table, create, update }) => [
      createText(table, create, dialect, creations),
      updateText(table, update, updates),
    ]),
    declaration(
      'Tables',
      'The records of each table.',
      named.map(({ table, type }) => ({ name: table.name, text: type, optional: false })),
    ),
    declaration(
      'Inputs',
      'What new records of each table may have, and what changes of its records may.',
      written.map(({ table, create, update }) => ({
        name: table.name,
        text: `{ create: ${create}; update: ${update} }`,
        optional: false,
      })),
    ),
    declaration(
      'Functions',
      dialect.functions,
      functions.map((definition) => ({
        name: `fn::${definition.name}`,
        text: functionText(definition, writer),
        optional: false,
        comment: definition.comment,
      })),
    ),
    declaration(
      'Params',
      'What each param is.',
      params.map(({ name, value, comment }) => {
        const constant = constantValue(value);
        return {
          name,
          text: constant === undefined ? 'unknown' : writer.ofValue(constant.value),
          optional: false,
          comment,
        };
      }),
    ),
  ];
  const body = sections.join('\n');
  return `// Made by \`tessera types\`: changes are lost when it is made again.\n${importText(body, dialect)}\n${body}`;
}

const COMMENTS_AND_STRINGS = /\/\*.*?\*\/|'(?:[^'\\]|\\.)*'/gs;

/** Only what is used: compilers complain about more. */
function importText(body: string, { classes, module }: ClientDialect): string {
  const code = body.replace(COMMENTS_AND_STRINGS, '');
  const used = classes.filter((name) => new RegExp(`\\b${name}\\b(?!\\??:)`).test(code));
  return used.length === 0 ? '' : `import type { ${used.join(', ')} } from '${module}';\n`;
}

function declaration(name: string, comment: string | undefined, list: readonly Member[], isOpen = false): string {
  return `${documentation(comment)}export type ${name} = ${members(list, isOpen)};\n`;
}

function tableText(table: TableSchema, type: string, { record }: ClientDialect, writer: TypeWriter): string {
  const { definition, name, fields } = table;
  const { schemafull, view, comment } = definition;
  const isOpen = !schemafull || view !== undefined;
  const tree = fieldTypeTree(fields, isOpen);
  const id = tree.fields.get('id');
  tree.fields.delete('id');
  const fixed: Member[] = [
    {
      name: 'id',
      text: record([name], id?.type && isKey(id.type) ? writer.of(id.type) : undefined),
      optional: false,
      comment: id?.comment,
    },
    ...endsOf(table, tree, writer),
  ];
  return declaration(type, comment, [...fixed, ...writer.nodeMembers(tree)], isOpen);
}

/** Data of a new record: without what the server computes, and what has a default is optional. */
function createText(table: TableSchema, type: string, { record }: ClientDialect, writer: TypeWriter): string {
  const { definition, name, fields } = table;
  const isOpen = !definition.schemafull;
  const tree = fieldTypeTree(fields, isOpen);
  const id = tree.fields.get('id');
  tree.fields.delete('id');
  const key = id?.type && isKey(id.type) ? writer.of(id.type) : undefined;
  const ends = endsOf(table, tree, writer);
  const fixed: Member[] = [{ name: 'id', text: record([name], key), optional: true, comment: id?.comment }, ...ends];
  return declaration(type, `A new record of ${name}.`, [...fixed, ...writer.nodeMembers(tree)], isOpen);
}

/** Changes of a record: everything is optional, and nothing of it READONLY. */
function updateText({ definition, name, fields }: TableSchema, type: string, writer: TypeWriter): string {
  const isOpen = !definition.schemafull;
  const tree = fieldTypeTree(fields, isOpen);
  tree.fields.delete('id');
  if (definition.tableKind.kind === 'relation') for (const end of ENDS) tree.fields.delete(end);
  return declaration(type, `Changes of a record of ${name}.`, writer.nodeMembers(tree), isOpen);
}

const ENDS = ['in', 'out'] as const;

/** Of an edge the records that it connects. They are taken out of the tree. */
function endsOf({ definition }: TableSchema, tree: FieldTypeNode, writer: TypeWriter): Member[] {
  const { tableKind } = definition;
  if (tableKind.kind !== 'relation') return [];
  const tables = { in: tableKind.from, out: tableKind.to };
  return ENDS.map((end) => {
    const node = tree.fields.get(end) ?? newNode(false);
    node.type ??= { kind: 'record', tables: tables[end] ?? [] };
    tree.fields.delete(end);
    return { name: end, text: writer.of(node.type), optional: false, comment: node.comment };
  });
}

/** Types that the client takes for what stands behind the colon of a record id. */
const KEYS: ReadonlySet<Type['kind']> = new Set(['string', 'int', 'uuid', 'array', 'tuple', 'object']);

function isKey(type: Type): boolean {
  return type.kind === 'union' ? type.of.every(isKey) : KEYS.has(type.kind);
}

/** Parameters that may be left out are optional, as far as none that may not follows them. */
function functionText({ parameters, returns }: DefineFunction, writer: TypeWriter): string {
  const names = parameterNames(parameters.map(({ name }) => name));
  const lastNeeded = parameters.findLastIndex(({ type }) => !isOptional(type));
  const list = parameters.map(({ type }, at) => `${names[at]}${at > lastNeeded ? '?' : ''}: ${writer.of(type)}`);
  return `(${list.join(', ')}) => ${returns === undefined ? 'unknown' : writer.of(returns)}`;
}

// Types of the language as TypeScript has them.

type Texts = {
  readonly [K in Type['kind']]: (type: Extract<Type, { kind: K }>, node: FieldTypeNode | undefined) => string;
};

interface Member {
  readonly name: string;
  readonly text: string;
  readonly optional: boolean;
  readonly comment?: string | undefined;
}

/** What a type is for: records that are read, data of new records, or changes of records. */
type Purpose = 'read' | 'create' | 'update';

/** Writes types and values as the types of a dialect. */
class TypeWriter {
  readonly #texts: Texts;
  readonly #literals: ByKind<string>;
  readonly #widened: ByKind<string>;

  readonly #purpose: Purpose;
  /** For elements of lists: these are replaced as a whole. */
  readonly #elements: TypeWriter;

  constructor(dialect: ClientDialect, purpose: Purpose = 'read') {
    this.#purpose = purpose;
    this.#elements = purpose === 'update' ? new TypeWriter(dialect, 'create') : this;
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
  #isGiven({ isComputed, isReadonly }: FieldTypeNode): boolean {
    return this.#purpose === 'read' || !(isComputed || (isReadonly && this.#purpose === 'update'));
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
      object: ({ fields }, node) => this.#object(fields, node),
      tuple: ({ items }) => `[${items.map((item) => this.of(item)).join(', ')}]`,
      record: ({ tables }) => dialect.record(tables),
      table: ({ tables }) => dialect.table(tables),
      geometry: ({ shapes }) =>
        shapes.length === 0 ? dialect.geometry : shapes.map((shape) => dialect.geometries[shape]).join(' | '),
      literal: ({ value }) => this.#literal(value),
      union: ({ of }, node) => this.#union(of, node),
    };
  }

  /** A value as the type that holds nothing else where TypeScript has one, otherwise as its class. */
  #literalsOf({ plain, geometries, set, table, record, wholeFloat }: ClientDialect): ByKind<string> {
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
      file: named(plain.file),
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
    return [...texts].join(' | ');
  }

  /** Fields below `list.*` say more of the items than `array<object>` does. */
  #item(item: Type | undefined, node: FieldTypeNode | undefined): string {
    const element = node?.element;
    if (element === undefined) return item === undefined ? 'unknown' : this.of(item);
    return this.#elements.#field({ ...element, type: element.type ?? item });
  }

  #object(fields: Extract<Type, { kind: 'object' }>['fields'], node: FieldTypeNode | undefined): string {
    if (fields !== undefined) {
      return members(
        fields.map(([name, type]) => ({
          name,
          text: this.of(type, node?.fields.get(name)),
          optional: isOptional(type),
        })),
      );
    }
    if (node === undefined || node.fields.size === 0)
      return `Record<string, ${node?.element === undefined ? 'unknown' : this.#field(node.element)}>`;
    return members(this.nodeMembers(node), node.isOpen);
  }
}

/** Whether there may be nothing in a place of that type. */
function isOptional(type: Type | undefined): boolean {
  if (type === undefined) return true;
  if (type.kind === 'union') return type.of.some(isOptional);
  return type.kind === 'none' || type.kind === 'any';
}

/** An object with these properties, each on a line of its own; with any others, too, if it is open. */
function members(list: readonly Member[], isOpen = false): string {
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

const named = (type: string) => () => type;

/** NaN and the infinities are no types of their own. */
function numberText(number: number): string {
  return Number.isFinite(number) ? String(number) : 'number';
}
