/** The order of a list: `{asc: name}`, `{desc: age, then: {asc: name}}`. */
import { GraphQLEnumType, GraphQLInputObjectType } from 'graphql';
import { failure } from '../../errors/error.js';
import type { Order } from '../../language/ast.js';
import { fieldIdiom } from '../execution/select.js';
import { Names } from './names.js';

interface Given {
  readonly asc?: string | null;
  readonly desc?: string | null;
  readonly then?: Given | null;
}

/** `columns` are those that can be ordered by, with their names in GraphQL. */
export function orderType(
  table: string,
  names: Names,
  columns: () => Iterable<readonly [name: string, column: string]>,
): GraphQLInputObjectType {
  const orderable = names.claim(`_orderable_${table}`);
  const type: GraphQLInputObjectType = new GraphQLInputObjectType({
    name: names.claim(`_order_${table}`),
    fields: () => {
      const own = new Names(['true', 'false', 'null']);
      const values = Object.fromEntries(
        Array.from(columns(), ([name, column]) => [own.claim(name), { value: column }]),
      );
      const field = new GraphQLEnumType({ name: orderable, values });
      return { asc: { type: field }, desc: { type: field }, then: { type } };
    },
  });
  return type;
}

/** One key of an order. */
export interface OrderedColumn {
  readonly column: string;
  readonly descending: boolean;
}

/** The keys that an argument asks for. @throws TesseraError `graphql_argument` */
export function orderedColumns(given: unknown): readonly OrderedColumn[] {
  const keys: OrderedColumn[] = [];
  for (let at = given as Given | null | undefined; at !== undefined && at !== null; at = at.then) {
    const { asc, desc } = at;
    const column = asc ?? desc;
    if (column === undefined || column === null || (asc && desc)) {
      throw failure('graphql_argument', { reason: 'An order needs either asc or desc; further fields follow in then' });
    }
    keys.push({ column, descending: column === desc });
  }
  return keys;
}

/** The clause for paths, each of which leads to a key. */
export function orderBy(keys: readonly { readonly path: readonly string[]; readonly descending: boolean }[]): Order {
  return {
    kind: 'by',
    keys: keys.map(({ path, descending }) => ({ path: fieldIdiom(path), collate: false, numeric: false, descending })),
  };
}

/** @throws TesseraError `graphql_argument` */
export function readOrder(given: unknown): Order {
  return orderBy(orderedColumns(given).map(({ column, descending }) => ({ path: [column], descending })));
}
