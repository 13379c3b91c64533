/**
 * The types of tables and of everything below them: nested objects, enums, links. Types that are equal are made once.
 */
import { GraphQLEnumType, GraphQLInterfaceType, GraphQLNonNull, GraphQLObjectType, GraphQLUnionType } from 'graphql';
import { lazy } from '../../base/lazy.js';
import type { TableEntry } from '../../catalog/definitions/database-catalog.js';
import type { FieldDefinition } from '../../catalog/definitions/definition.js';
import { failure } from '../../errors/error.js';
import type { Permission } from '../../language/ast.js';
import { printIdiom } from '../../language/print.js';
import { escapeRecordPart } from '../../value/text/quote.js';
import { toDisplay } from '../../value/text/text.js';
import { RecordId, type Value } from '../../value/value.js';
import { namedInError } from '../base/errors.js';
import { SCALARS } from '../base/scalars.js';
import { fromSource, ofRecords, type RecordType } from '../execution/field-source.js';
import { SCORE } from '../execution/found-columns.js';
import { candidateRecordIds, readRecordId } from '../execution/record-id.js';
import { type AggregateType, aggregateType } from '../schema/aggregate-type.js';
import { type ConnectionType, connectionType } from '../schema/connection-type.js';
import { type FieldTreeNode, fieldTree } from '../schema/field-tree.js';
import { fileType, readFileId } from '../schema/file-type.js';
import { Filters } from '../schema/filter/filters.js';
import { columnsWith, foundFields, foundNames, highlightType } from '../schema/found-fields.js';
import { GEOMETRY_NAMES } from '../schema/geometry.js';
import { legalName, Names } from '../schema/names.js';
import { distanceField, nearestArgument } from '../schema/nearest-argument.js';
import {
  fieldConfigs,
  filterMembers,
  type ObjectField,
  type ObjectFields,
  objectFields,
} from '../schema/object-fields.js';
import type { OutputShape, ShapeKit } from '../schema/output-shape.js';
import { orderType } from '../schema/table-order.js';
import type { EdgeField, TableType } from '../schema/table-type.js';
import { edgeConfigs, edgeFieldsOf, edgeMembers } from './edge-fields.js';

/** Names of enums are made of their values; longer ones would be of no use. */
const LONGEST_JOINED_NAME = 60;

const NODE = 'Node';

interface TableFields {
  readonly fields: ObjectFields;
  readonly edges: ReadonlyMap<string, EdgeField>;
}

/** The audience of a schema. */
export interface SchemaView {
  /** Whether fields without PERMISSIONS are hidden from record users. */
  readonly guardedByDefault: boolean;
  /** Whether the schema is for users subject to PERMISSIONS, and leaves out what these never show. */
  readonly hidesDenied: boolean;
}

/** Names that no table's type gets. */
const RESERVED: readonly string[] = [
  'Query',
  'Mutation',
  'Subscription',
  'record',
  '_record',
  'Tokens',
  'PageInfo',
  '_highlight',
  '_marks',
  ...Object.keys(SCALARS),
  ...GEOMETRY_NAMES,
];

export class TableTypes implements ShapeKit {
  readonly filters: Filters;
  /** The interface of every record. */
  readonly record: GraphQLInterfaceType;
  /**
   * The interface of Relay's Global Object Identification (https://relay.dev/graphql/objectidentification.htm). Absent
   * if a table's type has its name.
   */
  readonly node: GraphQLInterfaceType | undefined;
  /** A record of a table that the schema doesn't show. */
  readonly hidden: GraphQLObjectType;
  readonly tables: ReadonlyMap<string, TableType>;
  readonly #names: Names;
  /** Definitions that the schema can't represent. */
  readonly warnings: string[] = [];
  readonly #view: SchemaView;
  readonly #enums = new Map<string, OutputShape>();
  #highlightType: GraphQLObjectType | undefined;
  readonly #unions = new Map<string, GraphQLUnionType>();
  readonly #file: () => GraphQLObjectType;

  /** `buckets` are the names of those that exist. */
  constructor(entries: readonly TableEntry[], buckets: ReadonlySet<string>, view: SchemaView) {
    this.#view = view;
    this.#file = lazy(() => fileType(this.#names.claim('File'), buckets));
    this.#names = new Names(RESERVED);
    this.filters = new Filters(this.#names);
    const id = {
      id: {
        type: new GraphQLNonNull(SCALARS.ID),
        extensions: fromSource({ kind: 'column', column: 'id', read: idText }),
      },
    };
    const ofAny = ofRecords((record) => this.#typeOf(record));
    this.record = new GraphQLInterfaceType({
      name: 'record',
      description: 'A record of any table.',
      fields: id,
      extensions: ofAny,
    });
    this.hidden = new GraphQLObjectType({
      name: '_record',
      description: 'A record of a table that GraphQL does not show here.',
      interfaces: [this.record],
      fields: id,
      extensions: ofAny,
    });
    const names = this.#names.claimAll(
      entries.map(({ definition }) => definition.name),
      new Map(
        entries.flatMap(({ definition: { name, graphqlAlias } }) =>
          graphqlAlias === undefined ? [] : [[name, graphqlAlias] as const],
        ),
      ),
    );
    if (entries.length > 0 && this.#names.isFree(NODE)) {
      this.node = new GraphQLInterfaceType({
        name: this.#names.claim(NODE),
        description: 'A record that can be read again by its id: what `record` is, under the name that Relay knows.',
        fields: id,
        extensions: ofAny,
      });
    }
    this.tables = new Map(
      entries.map((entry) => {
        const { name } = entry.definition;
        return [name, this.#table(entry, names.get(name) as string, entries)];
      }),
    );
  }

  #table(entry: TableEntry, typeName: string, entries: readonly TableEntry[]): TableType {
    const { name, comment, graphqlAlias, graphqlDeprecated } = entry.definition;
    if ((graphqlAlias ?? name) !== typeName) this.warn(`the table ${name} is called ${typeName}`);
    const searched = columnsWith('fulltext', entry);
    const measured = columnsWith('hnsw', entry);
    const isSearched = searched.size > 0;
    let known: TableFields | undefined;
    const fieldsOf = () => {
      known ??= this.#tableFields(entry, typeName, entries);
      return known;
    };
    const nearest = lazy(() => nearestArgument(typeName, this.#names, type.fields(), measured));
    let connection: ConnectionType | undefined;
    let aggregate: AggregateType | undefined;
    const type: TableType = {
      table: name,
      alias: graphqlAlias,
      deprecated: graphqlDeprecated,
      entry,
      fields: () => fieldsOf().fields,
      edges: () => fieldsOf().edges,
      nearest,
      connection: () => {
        connection ??= connectionType(type.object, this.#names);
        return connection;
      },
      aggregate: () => {
        aggregate ??= aggregateType(typeName, type.fields(), this.#names);
        return aggregate;
      },
      object: new GraphQLObjectType({
        name: typeName,
        ...(comment !== undefined && { description: comment }),
        interfaces: this.node === undefined ? [this.record] : [this.record, this.node],
        extensions: ofRecords((record) => this.#typeOf(record)),
        fields: () => {
          const { fields, edges } = fieldsOf();
          return {
            ...fieldConfigs(fields),
            ...(isSearched && foundFields(this.#highlight())),
            ...(nearest()['nearest'] && distanceField()),
            ...edgeConfigs(edges),
          };
        },
      }),
      filter: this.filters.ofTable(typeName, () => {
        const { fields, edges } = fieldsOf();
        return new Map([...filterMembers(fields, this.filters, searched), ...edgeMembers(edges, this.filters)]);
      }),
      order: orderType(typeName, this.#names, () => orderable(fieldsOf().fields, isSearched)),
      isSearched,
    };
    return type;
  }

  #tableFields(entry: TableEntry, typeName: string, entries: readonly TableEntry[]): TableFields {
    const own = new Names(['id', ...foundNames(entry)]);
    const tree = fieldTree(entry, ({ path }) => this.warn(`the field ${printIdiom(path)} of ${typeName} is left out`));
    const nodes = new Map(tree.fields);
    nodes.delete('id');
    const fields = new Map<string, ObjectField>([['id', this.#idField(entry.definition.name, typeName)]]);
    for (const [name, field] of objectFields(nodes, [typeName], own, this)) fields.set(name, field);
    return { fields, edges: edgeFieldsOf(entry.definition.name, entries, this.tables, own) };
  }

  #idField(table: string, typeName: string): ObjectField {
    const filterable = {
      kind: 'value',
      operators: 'plain',
      ...idComparison(`id_${typeName}`, (text) => candidateRecordIds(table, text)),
    } as const;
    return {
      column: 'id',
      shape: {
        type: SCALARS.ID,
        read: idReader(table),
        orderable: true,
        filterable,
        writable: { kind: 'link', tables: [table] },
      },
      nullable: false,
      description: undefined,
      deprecated: undefined,
      isHidden: false,
      definition: undefined,
      type: undefined,
    };
  }

  /** The type of a field's texts with the words that match marked; one for the schema. */
  #highlight(): GraphQLObjectType {
    this.#highlightType ??= highlightType();
    return this.#highlightType;
  }

  /** Claims a name for another type of the schema: the given one if it is free. */
  claim(name: string): string {
    return this.#names.claim(name);
  }

  // ─── Shapes ───

  isGuarded(definition: FieldDefinition | undefined): boolean {
    return this.#ruleOf(definition) !== 'full';
  }

  isHidden(definition: FieldDefinition | undefined): boolean {
    return this.#view.hidesDenied && this.#ruleOf(definition) === 'none';
  }

  warn(what: string): void {
    this.warnings.push(what);
  }

  /** The select permission of a field. */
  #ruleOf(definition: FieldDefinition | undefined): Permission['kind'] {
    if (definition === undefined) return 'full';
    return definition.permissions?.select.kind ?? (this.#view.guardedByDefault ? 'none' : 'full');
  }

  object(names: readonly string[], nodes: ReadonlyMap<string, FieldTreeNode>): OutputShape {
    const name = this.#names.claim(names.map(legalName).join('_'));
    let known: ObjectFields | undefined;
    const fields = () => {
      known ??= objectFields(nodes, names, new Names(), this);
      return known;
    };
    return {
      type: new GraphQLObjectType({ name, fields: () => fieldConfigs(fields()) }),
      writable: { kind: 'object', names, fields },
      orderable: false,
      filterable: {
        kind: 'object',
        label: name,
        filter: this.filters.ofObject(name, () => filterMembers(fields(), this.filters)),
      },
    };
  }

  enumeration(values: readonly string[], names: readonly string[]): OutputShape {
    const key = JSON.stringify(values);
    let shape = this.#enums.get(key);
    if (shape === undefined) {
      const joined = values.join('_or_');
      const name = this.#names.claim(joined.length > LONGEST_JOINED_NAME ? names.join('_') : joined);
      const members = new Names(['true', 'false', 'null']).claimAll(values);
      const type = new GraphQLEnumType({
        name,
        values: Object.fromEntries(Array.from(members, ([value, member]) => [member, { value }])),
      });
      shape = {
        type,
        writable: { kind: 'leaf', type },
        orderable: true,
        filterable: { kind: 'value', label: name, operators: 'plain', input: type },
      };
      this.#enums.set(key, shape);
    }
    return shape;
  }

  file(): OutputShape {
    return {
      type: this.#file(),
      mayVanish: true,
      writable: { kind: 'file' },
      orderable: false,
      filterable: {
        kind: 'value',
        operators: 'plain',
        label: 'file',
        input: SCALARS.ID,
        values: (given) => [readFileId(String(given))],
      },
    };
  }

  link(tables: readonly string[]): OutputShape {
    const targets = tables.map((table) => this.tables.get(table));
    const known = targets.filter((target) => target !== undefined);
    const admits = tables.length === 0 ? undefined : new Set(tables);
    const [only] = known;
    // A table that isn't shown has no type: then all that is known is that it is a record.
    const isKnown = only !== undefined && known.length === targets.length;
    return {
      type: !isKnown ? this.record : known.length === 1 ? only.object : this.#union(known),
      read: (value) =>
        value instanceof RecordId && (admits === undefined || admits.has(value.table)) ? value : undefined,
      mayVanish: true,
      writable: { kind: 'link', tables },
      orderable: true,
      filterable: {
        kind: 'link',
        ...(isKnown && known.length === 1
          ? {
              ...idComparison(`id_${only.object.name}`, (text) => candidateRecordIds(only.table, text)),
              records: () => only.filter,
            }
          : idComparison('id', recordNamed)),
      },
    };
  }

  #union(members: readonly TableType[]): GraphQLUnionType {
    const types = members.map(({ object }) => object);
    const wanted = types.map(({ name }) => name).join('_or_');
    let union = this.#unions.get(wanted);
    if (union === undefined) {
      union = new GraphQLUnionType({
        name: this.#names.claim(wanted),
        types,
        extensions: ofRecords((record) => this.#typeOf(record)),
      });
      this.#unions.set(wanted, union);
    }
    return union;
  }

  #typeOf({ table }: RecordId): RecordType {
    const type = this.tables.get(table);
    return type ?? { object: this.hidden };
  }
}

/** The text of a record's id. */
export function idText(value: Value): string | undefined {
  return value instanceof RecordId ? toDisplay(value) : undefined;
}

/** The same for the records of one table, most of which have plain numbers for keys. */
function idReader(table: string): (value: Value) => string | undefined {
  const prefix = `${escapeRecordPart(table)}:`;
  return (value) =>
    value instanceof RecordId && value.table === table && typeof value.key === 'number'
      ? prefix + value.key
      : idText(value);
}

function idComparison(label: string, read: (text: string) => readonly RecordId[]) {
  return { label, input: SCALARS.ID, values: (given: unknown) => read(String(given)) };
}

/** @throws TesseraError `graphql_argument` */
function recordNamed(text: string): readonly RecordId[] {
  const id = readRecordId(text);
  if (id === undefined) throw failure('graphql_argument', { reason: `"${namedInError(text)}" is not a record id` });
  return [id];
}

function* orderable(fields: ObjectFields, isSearched: boolean): Iterable<readonly [name: string, column: string]> {
  if (isSearched) yield ['_score', SCORE];
  for (const [name, { column, shape, isHidden }] of fields) if (shape.orderable && !isHidden) yield [name, column];
}
