/**
 * `personConnection(first, after, last, before, order, filter, where, version)`, `author.wroteConnection(…)`: records
 * in pages, by Relay's Cursor Connections Specification (https://relay.dev/graphql/connections.htm).
 */
import { isArray, isObject, type ObjectValue, objectFrom, type Value } from '../../value/value.js';
import type { CompileCollectionQuery } from '../execution/collection-query.js';
import type { FieldUse } from '../execution/field-use.js';
import { SCALARS } from '../execution/scalars.js';
import { type ConnectionType, PAGE_INFO } from '../schema/connection-type.js';
import { boundRows, filterArguments, marksArguments } from '../schema/list-arguments.js';
import type { TableType } from '../schema/table-type.js';
import { type CollectionField, type CollectionOwner, lengthOf } from './collection-field.js';
import { type AskedPage, type BoundPage, bindPage, type PartPurpose } from './connection-parts.js';
import { pageOf, sizeOf } from './page.js';

/** The field `TABLE_connection` (Relay Cursor Connections). */
export function connectionOf(table: TableType, of: CollectionOwner): CollectionField {
  return {
    type: table.connection().connection,
    args: {
      first: { type: SCALARS.Int, description: 'So many records at most, from the beginning.' },
      after: { type: SCALARS.String, description: 'Only what comes behind the record with this cursor.' },
      last: { type: SCALARS.Int, description: 'So many records at most, from the end.' },
      before: { type: SCALARS.String, description: 'Only what comes before the record with this cursor.' },
      order: { type: table.order, description: 'The id decides between records that are equal in it.' },
      ...filterArguments(table.filter),
      ...marksArguments(table),
    },
    compile: compileConnection(table, of === 'table'),
  };
}

function compileConnection(table: TableType, isOfTable: boolean): CompileCollectionQuery {
  return (field) => {
    const asked = askedOf(field, table, table.connection());
    return {
      completion: field.completion(),
      several: asked.fields.size > 1,
      bind: (call, build) => {
        const bound = field.arguments.boundAll(call, (given, all) => {
          const conditions = isOfTable ? all : all.nested;
          const page = bindPage(given, conditions, table, asked);
          return { ...page, statements: build(page.parts), values: conditions.params.values };
        });
        const { statements, values, size, limit, purposes } = bound;
        const { most, spend } = boundRows(sizeOf(size), asked.weight, call, 1);
        return {
          statements,
          values: limit === undefined ? values : objectFrom({ ...values, [limit]: most }),
          most: (limit === undefined ? 0 : most * asked.weight) + purposes.length,
          result: (found) => {
            spend(lengthOf(found[purposes.indexOf('rows')]));
            return connectionFrom(bound, asked, found);
          },
        };
      },
    };
  };
}

function connectionFrom(
  { purposes, size, cursors }: BoundPage,
  { fields }: AskedPage,
  found: readonly Value[],
): ObjectValue {
  const of = (purpose: PartPurpose): Value => found[purposes.indexOf(purpose)];
  const { rows, hasMoreBefore, hasMoreAfter } = pageOf(rowsIn(of('rows')), size);
  const cursor = (wanted: string, row: ObjectValue | undefined): Value =>
    row !== undefined && fields.has(wanted) ? cursors.write(row) : undefined;
  return objectFrom({
    edges: rows.map((row) => objectFrom({ cursor: cursor('edges.cursor', row), node: row })),
    nodes: rows,
    pageInfo: objectFrom({
      hasPreviousPage: hasMoreBefore ?? lengthOf(of('earlier')) > 0,
      hasNextPage: hasMoreAfter ?? lengthOf(of('later')) > 0,
      startCursor: cursor('pageInfo.startCursor', rows[0]),
      endCursor: cursor('pageInfo.endCursor', rows.at(-1)),
    }),
    totalCount: rowsIn(of('count'))[0]?.['count'] ?? 0,
  });
}

function askedOf(field: FieldUse, { object }: TableType, { connection, edge }: ConnectionType): AskedPage {
  const columns = new Set<string>();
  const fields = new Set<string>();
  let weight = 0;
  const addNode = (nodes: FieldUse['nodes']): void => {
    const plan = field.record(object, nodes);
    for (const name of plan.columns) columns.add(name);
    weight += plan.weight;
  };
  for (const nodes of field.fieldsBelow(connection, field.nodes).values()) {
    const name = nodes[0].name.value;
    fields.add(name);
    if (name === 'nodes') addNode(nodes);
    if (name === 'pageInfo') {
      for (const [node] of field.fieldsBelow(PAGE_INFO, nodes).values()) fields.add(`pageInfo.${node.name.value}`);
    }
    if (name === 'edges') {
      for (const below of field.fieldsBelow(edge, nodes).values()) {
        fields.add(`edges.${below[0].name.value}`);
        if (below[0].name.value === 'node') addNode(below);
        else weight += 1;
      }
    }
  }
  return { columns: [...columns], weight: Math.max(weight, 1), fields };
}

function rowsIn(rows: Value): readonly ObjectValue[] {
  return isArray(rows) ? rows.filter(isObject) : [];
}
