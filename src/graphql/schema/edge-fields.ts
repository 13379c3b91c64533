/**
 * Fields for the edges of a record. A table `wrote TYPE RELATION FROM author TO book` gives `author` the field `wrote`, the edges that lead
 * out of an author, and `book` the field `wrote_incoming`, those that lead to a book. From an edge, `in` and `out` lead to its ends.
 */
import { GraphQLList, GraphQLNonNull } from 'graphql';
import type { TableEntry } from '../../catalog/database-catalog.js';
import type { EdgeDirection } from '../execution/select.js';
import { fromSource } from './field-source.js';
import { listArguments } from './list-arguments.js';
import type { Names } from './names.js';
import type { FieldConfig, FieldConfigs } from './object-fields.js';
import type { TableType } from './table-type.js';

const DIRECTIONS: readonly {
  readonly direction: EdgeDirection;
  /** Which end the record must be. */
  readonly end: 'from' | 'to';
  readonly suffix: string;
}[] = [
  { direction: 'out', end: 'from', suffix: '' },
  { direction: 'in', end: 'to', suffix: '_incoming' },
];

/** `names` are those of the table's own fields, which come first. */
export function edgeFields(
  table: string,
  entries: readonly TableEntry[],
  types: ReadonlyMap<string, TableType>,
  names: Names,
): FieldConfigs {
  const configs: FieldConfigs = {};
  for (const { definition } of entries) {
    const { name, tableKind } = definition;
    const type = types.get(name);
    if (tableKind.kind !== 'relation' || type === undefined) continue;
    for (const { direction, end, suffix } of DIRECTIONS) {
      if (tableKind[end]?.includes(table)) configs[names.claim(`${name}${suffix}`)] = edgeField(type, direction);
    }
  }
  return configs;
}

function edgeField(type: TableType, direction: EdgeDirection): FieldConfig {
  const { table, object } = type;
  return {
    type: new GraphQLList(new GraphQLNonNull(object)),
    description:
      direction === 'out' ? `The edges of ${table} that lead out of it.` : `The edges of ${table} that lead to it.`,
    args: listArguments(type),
    extensions: fromSource({ kind: 'edges', type, direction }),
  };
}
