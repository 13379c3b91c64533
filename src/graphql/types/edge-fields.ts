/**
 * Fields for the edges of a record. A table `wrote TYPE RELATION FROM author TO book` gives `author` the field `wrote`,
 * the edges that lead out of an author, and `book` the field `wrote_incoming`, those that lead to a book. From an edge,
 * `in` and `out` lead to its ends. With them come `wroteConnection` and `wrote_aggregate`: the same edges in pages, and
 * figures of them.
 */
import type { TableEntry } from '../../catalog/definitions/database-catalog.js';
import { aggregateOf } from '../collection-fields/aggregate.js';
import type { CollectionField } from '../collection-fields/collection-field.js';
import { connectionOf } from '../collection-fields/connection.js';
import { listOf } from '../collection-fields/list.js';
import { fromSource } from '../execution/field-source.js';
import type { EdgeDirection } from '../execution/select.js';
import type { FilterMembers } from '../schema/filter/filter.js';
import type { Filters } from '../schema/filter/filters.js';
import type { Names } from '../schema/names.js';
import type { FieldConfigs } from '../schema/object-fields.js';
import type { EdgeField, TableType } from '../schema/table-type.js';

const DIRECTIONS: readonly {
  readonly direction: EdgeDirection;
  /** Which end the record must be. */
  readonly end: 'from' | 'to';
  readonly suffix: string;
}[] = [
  { direction: 'out', end: 'from', suffix: '' },
  { direction: 'in', end: 'to', suffix: '_incoming' },
];

/**
 * The fields for edges of a table, by their names in GraphQL; `names` are those of its own fields, which come first.
 */
export function edgeFieldsOf(
  table: string,
  entries: readonly TableEntry[],
  types: ReadonlyMap<string, TableType>,
  names: Names,
): ReadonlyMap<string, EdgeField> {
  const lists = new Map<string, Pick<EdgeField, 'type' | 'direction'>>();
  for (const { definition } of entries) {
    const { name, tableKind, graphqlAlias = name } = definition;
    const type = types.get(name);
    if (tableKind.kind !== 'relation' || type === undefined) continue;
    for (const { direction, end, suffix } of DIRECTIONS) {
      if (tableKind[end]?.includes(table)) lists.set(names.claim(`${graphqlAlias}${suffix}`), { type, direction });
    }
  }
  return new Map(
    Array.from(lists, ([name, list]) => [
      name,
      { ...list, connection: names.claim(`${name}Connection`), aggregate: names.claim(`${name}_aggregate`) },
    ]),
  );
}

export function edgeConfigs(fields: ReadonlyMap<string, EdgeField>): FieldConfigs {
  const configs: FieldConfigs = {};
  for (const [name, { type, direction, connection, aggregate }] of fields) {
    const where = direction === 'out' ? 'lead out of it' : 'lead to it';
    const add = (field: string, { compile, ...config }: CollectionField, description: string): void => {
      const extensions = fromSource({ kind: 'edges', table: type.table, direction, compile });
      configs[field] = { ...config, description: `${description} ${type.object.name} that ${where}.`, extensions };
    };
    add(name, listOf(type, 'edges'), 'The edges of');
    add(connection, connectionOf(type, 'edges'), 'A page of the edges of');
    add(aggregate, aggregateOf(type), 'Figures of the edges of');
  }
  return configs;
}

/** The members of a filter for these fields. */
export function edgeMembers(fields: ReadonlyMap<string, EdgeField>, filters: Filters): FilterMembers {
  return new Map(
    Array.from(fields, ([name, { type, direction }]) => [
      name,
      filters.ofEdges({ table: type.table, direction, filter: type.filter }, name),
    ]),
  );
}
