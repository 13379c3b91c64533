/** The types of the records of tables, and of what is given to write them. */
import type { Type } from '../value/type.js';
import { type FieldTypeNode, fieldTypeTree, newNode } from './field-tree.js';
import type { Definitions, TableSchema, TypePurpose } from './schema.js';
import {
  ANY,
  alternativesOf,
  arrayOf,
  hasNone,
  type Members,
  mapType,
  NONE,
  type ObjectType,
  objectType,
  optionOf,
  plainType,
  recordOf,
  unionOf,
} from './types.js';

/** What gives a COMPUTED field or a view the type that no definition names. */
export interface RecordTypeSources {
  computed(node: FieldTypeNode, row: ObjectType): Type;
  view(table: TableSchema): Type;
}

/** The types of a schema, each made once, so that it can be known by identity. */
export class RecordTypes {
  readonly #tables: Readonly<Record<TypePurpose, ReadonlyMap<string, TableSchema>>>;
  readonly #records = new Map<TableSchema, ObjectType>();
  readonly #inputs = new Map<string, ObjectType>();
  /** Objects in records of tables: only fields that are defined stand in these. */
  readonly #owners = new WeakMap<Type, string>();

  constructor(
    { read, create, update }: Definitions,
    private readonly sources: RecordTypeSources,
  ) {
    const named = (tables: readonly TableSchema[]) => new Map(tables.map((table) => [table.name, table]));
    this.#tables = { read: named(read.tables), create: named(create.tables), update: named(update.tables) };
  }

  /** Whether there is a table, for one purpose at least. */
  has(name: string): boolean {
    return Object.values(this.#tables).some((tables) => tables.has(name));
  }

  /** The table whose records have such an object in them, or are such. */
  ownerOf(type: Type): string | undefined {
    return this.#owners.get(type);
  }

  /** A record of one of the tables, of any if none is named. */
  recordOf(tables: readonly string[], purpose: TypePurpose = 'read'): Type {
    return tables.length === 0 ? objectType([], true) : unionOf(tables.map((name) => this.record(name, purpose)));
  }

  /** A record of a table, as far as it serves a purpose; with any fields if there is none of that name. */
  record(name: string, purpose: TypePurpose = 'read'): ObjectType {
    const table = this.#tables[purpose].get(name);
    if (table === undefined) return objectType([['id', recordOf(name)]], true);
    const known = this.#records.get(table);
    if (known !== undefined) return known;
    // While it is made: what is computed may name the record itself.
    this.#records.set(table, objectType([['id', recordOf(name)]], true));
    const record = table.definition.view === undefined ? this.#stored(table) : this.#ofView(table);
    this.#records.set(table, record);
    return record;
  }

  /** What a new record may have, or what changes of one may. */
  input(name: string, purpose: 'create' | 'update'): ObjectType {
    const key = `${purpose} ${name}`;
    let input = this.#inputs.get(key);
    if (input === undefined) {
      const table = this.#tables[purpose].get(name);
      input = table === undefined ? objectType([], true) : this.#input(table, purpose);
      this.#inputs.set(key, input);
    }
    return input;
  }

  #ofView(table: TableSchema): ObjectType {
    const row = this.sources.view(table);
    const fields = row.kind === 'object' ? (row.fields ?? []) : [];
    const isOpen = row.kind !== 'object' || row.fields === undefined || row.open === true;
    return objectType([['id', recordOf(table.name)], ...fields.filter(([name]) => name !== 'id')], isOpen);
  }

  #stored(table: TableSchema): ObjectType {
    const { definition, fields, name } = table;
    const tree = fieldTypeTree(fields, !definition.schemafull);
    const [ends, rest] = fixedFields(table, tree);
    const isComputed = (node: FieldTypeNode) => node.computed !== undefined && node.type === undefined;
    const stored: Members = [
      ['id', recordOf(name)],
      ...ends,
      ...[...rest]
        .filter(([, node]) => !isComputed(node))
        .map(([key, node]) => [key, this.#member(node, name)] as const),
    ];
    const others = [...rest].filter(([, node]) => isComputed(node));
    // Of computed fields that name each other the later ones are known to the earlier ones as anything.
    const row = objectType([...stored, ...others.map(([key]) => [key, ANY] as const)], !definition.schemafull);
    const computed = others.map(([key, node]) => [key, this.sources.computed(node, row)] as const);
    return this.#owned(objectType([...stored, ...computed], !definition.schemafull), name);
  }

  #owned(type: ObjectType, table: string): ObjectType {
    this.#owners.set(type, table);
    return type;
  }

  #member(node: FieldTypeNode, table: string): Type {
    const type = this.#field(node, table);
    return node.type === undefined && !isRequired(node) ? optionOf(type) : type;
  }

  #field(node: FieldTypeNode, table: string): Type {
    const { type, fields, element } = node;
    if (type !== undefined) return this.#refined(type, node, table);
    if (fields.size > 0) return this.#object(node, table);
    return element === undefined ? ANY : arrayOf(this.#field(element, table));
  }

  /** A type, with what the definitions of fields within it say. */
  #refined(type: Type, node: FieldTypeNode, table: string): Type {
    return mapType(type, (each) => {
      if (each.kind === 'object' && each.fields === undefined) return this.#object(node, table);
      if ((each.kind !== 'array' && each.kind !== 'set') || node.element === undefined) return each;
      const { element } = node;
      return { ...each, item: this.#field({ ...element, type: element.type ?? each.item }, table) };
    });
  }

  #object(node: FieldTypeNode, table: string): Type {
    if (node.fields.size === 0) return plainType('object');
    const fields = [...node.fields].map(([name, inner]) => [name, this.#member(inner, table)] as const);
    return this.#owned(objectType(fields, node.isOpen), table);
  }

  #input(table: TableSchema, purpose: 'create' | 'update'): ObjectType {
    const { definition, fields, name } = table;
    const tree = fieldTypeTree(fields, !definition.schemafull);
    const [ends, rest] = fixedFields(table, tree);
    const given = [...rest].filter(
      ([, node]) => node.computed === undefined && !(purpose === 'update' && node.isReadonly),
    );
    const members = given.map(([key, node]) => {
      const type = this.#member(node, name);
      return [key, purpose === 'update' || node.hasDefault ? optionOf(type) : type] as const;
    });
    const fixed: Members = purpose === 'update' ? [] : [['id', optionOf(recordOf(name))], ...ends];
    return this.#owned(objectType([...fixed, ...members], !definition.schemafull), name);
  }
}

/** The ends of an edge, and the other fields but the id. */
function fixedFields(
  { definition }: TableSchema,
  tree: FieldTypeNode,
): readonly [ends: Members, rest: ReadonlyMap<string, FieldTypeNode>] {
  const rest = new Map(tree.fields);
  rest.delete('id');
  const { tableKind } = definition;
  if (tableKind.kind !== 'relation') return [[], rest];
  const ends = { in: tableKind.from ?? [], out: tableKind.to ?? [] };
  const members = Object.entries(ends).map(([end, tables]) => {
    const type = (tree.fields.get(end) ?? newNode(false)).type ?? recordOf(...tables);
    rest.delete(end);
    return [end, type] as const;
  });
  return [members, rest];
}

/** Whether there is always something in the field: by its type, or that of a field in it. */
function isRequired({ type, fields }: FieldTypeNode): boolean {
  if (type !== undefined) return !hasNone(type);
  return [...fields.values()].some(isRequired);
}

/** What is known of a link: its record, unless that is missing or hidden. */
export function linkedRecord(type: Extract<Type, { kind: 'record' }>, records: RecordTypes): Type {
  return unionOf([NONE, ...alternativesOf(records.recordOf(type.tables))]);
}
