/**
 * Fields for the edges of a record. A table `wrote TYPE RELATION FROM author TO book` gives `author` the field `wrote`, the edges that lead
 * out of an author, and `book` the field `wrote_incoming`, those that lead to a book. From an edge, `in` and `out` lead to its ends.
 */
import { GraphQLList, GraphQLNonNull } from 'graphql';
import type { TableEntry } from '../../catalog/database-catalog.js';
import type { EdgeDirection } from '../execution/select.js';
import { fromSource } from './field-source.js';
import type { Members } from './filter/filter.js';
import type { Filters } from './filter/filters.js';
import { listArguments } from './list-arguments.js';
import type { Names } from './names.js';
import type { FieldConfig, FieldConfigs } from './object-fields.js';
import type { EdgeField, TableType } from './table-type.js';

const DIRECTIONS: readonly {
  readonly direction: EdgeDirection;
  /** Which end the record must be. */
  readonly end: 'from' | 'to';
  readonly suffix: string;
}[] = [
  { direction: 'out', end: 'from', suffix: '' },
  { direction: 'in', end: 'to', suffix: '_incoming' },
];

/** The fields for edges of a table, by their names in GraphQL; `names` are those of its own fields, which come first. */
export function edgeFieldsOf(
  table: string,
  entries: readonly TableEntry[],
  types: ReadonlyMap<string, TableType>,
  names: Names,
): ReadonlyMap<string, EdgeField> {
  const fields = new Map<string, EdgeField>();
  for (const { definition } of entries) {
    const { name, tableKind, graphqlAlias = name } = definition;
    const type = types.get(name);
    if (tableKind.kind !== 'relation' || type === undefined) continue;
    for (const { direction, end, suffix } of DIRECTIONS) {
      if (tableKind[end]?.includes(table)) fields.set(names.claim(`${graphqlAlias}${suffix}`), { type, direction });
    }
  }
  return fields;
}

export function edgeConfigs(fields: ReadonlyMap<string, EdgeField>): FieldConfigs {
  const configs: FieldConfigs = {};
  for (const [name, field] of fields) configs[name] = edgeConfig(field);
  return configs;
}

/** The members of a filter for these fields. */
export function edgeMembers(fields: ReadonlyMap<string, EdgeField>, filters: Filters): Members {
  return new Map(
    Array.from(fields, ([name, { type, direction }]) => [
      name,
      filters.ofEdges({ table: type.table, direction, filter: type.filter }, name),
    ]),
  );
}

function edgeConfig({ type, direction }: EdgeField): FieldConfig {
  const { table, object } = type;
  return {
    type: new GraphQLList(new GraphQLNonNull(object)),
    description:
      direction === 'out' ? `The edges of ${table} that lead out of it.` : `The edges of ${table} that lead to it.`,
    args: listArguments(type),
    extensions: fromSource({ kind: 'edges', type, direction }),
  };
}
