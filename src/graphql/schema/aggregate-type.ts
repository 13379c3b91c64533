/**
 * The types of aggregates: `person_aggregate { count group {…} countOf {…} distinct {…} sum {…} avg {…} min {…} max {…}
 * }`. Each part has the fields of the table that it applies to.
 */
import { GraphQLEnumType, type GraphQLInputObjectType, GraphQLNonNull, GraphQLObjectType } from 'graphql';
import type { Expression } from '../../language/ast.js';
import { SCALARS } from '../base/scalars.js';
import { fromSource } from '../execution/field-source.js';
import { fieldIdiom } from '../execution/select.js';
import { COUNT, GROUP, PARTS } from './aggregate-parts.js';
import { Names } from './names.js';
import type { FieldConfigs, ObjectFields } from './object-fields.js';
import { orderType } from './table-order.js';

export interface AggregateType {
  readonly object: GraphQLObjectType;
  /** The types of its parts, by their names. */
  readonly parts: ReadonlyMap<string, GraphQLObjectType>;
  /** The selectable columns by name: `count`, `group.name`, `sum.age`. */
  readonly columns: ReadonlyMap<string, AggregateColumn>;
  /** Those columns that can be grouped by; absent where there are none. */
  readonly groupable: GraphQLEnumType | undefined;
  readonly order: GraphQLInputObjectType;
}

export interface AggregateColumn {
  /** Its path in a row. */
  readonly path: readonly string[];
  readonly expression: Expression;
}

/** The types for a table that is called `table` in GraphQL. */
export function aggregateType(table: string, tableFields: ObjectFields, names: Names): AggregateType {
  const name = names.claim(`${table}_aggregate`);
  const fields = [...tableFields].filter(([, { column }]) => column !== 'id');
  const columns = new Map<string, AggregateColumn>([['count', { path: ['count'], expression: COUNT }]]);
  const parts = new Map<string, GraphQLObjectType>();
  const objects = new Map<string, GraphQLObjectType>();
  const configs: FieldConfigs = {
    count: { type: new GraphQLNonNull(SCALARS.Int), description: 'How many records there are.', ...at('count') },
  };
  for (const [part, { description, type: label, of }] of Object.entries(PARTS)) {
    const members: FieldConfigs = {};
    for (const [field, { column, shape }] of fields) {
      const member = of(shape);
      if (member === undefined) continue;
      const { type, read, build } = member;
      members[field] = { type, extensions: fromSource({ kind: 'column', column, ...(read && { read }) }) };
      columns.set(`${part}.${field}`, { path: [part, column], expression: build(fieldIdiom([column])) });
    }
    if (Object.keys(members).length === 0) continue;
    const object =
      objects.get(label) ?? new GraphQLObjectType({ name: names.claim(`${name}_${label}`), fields: members });
    objects.set(label, object);
    parts.set(part, object);
    configs[part] = { type: new GraphQLNonNull(object), description, ...at(part) };
  }
  return {
    object: new GraphQLObjectType({ name, fields: configs }),
    parts,
    columns,
    groupable: groupableType(table, columns, names),
    order: orderType(name, names, () =>
      Array.from(columns.keys(), (column) => [column.replace(`${GROUP}.`, ''), column]),
    ),
  };
}

function at(column: string) {
  return { extensions: fromSource({ kind: 'column', column }) };
}

function groupableType(
  table: string,
  columns: ReadonlyMap<string, AggregateColumn>,
  names: Names,
): GraphQLEnumType | undefined {
  const prefix = `${GROUP}.`;
  const own = new Names(['true', 'false', 'null']);
  const values = [...columns.keys()]
    .filter((column) => column.startsWith(prefix))
    .map((column) => [own.claim(column.slice(prefix.length)), { value: column }] as const);
  if (values.length === 0) return undefined;
  return new GraphQLEnumType({ name: names.claim(`_groupable_${table}`), values: Object.fromEntries(values) });
}
