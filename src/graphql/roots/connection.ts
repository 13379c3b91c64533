/**
 * `personConnection(first, after, last, before, order, filter, where, version)`: the records of a table in pages, by Relay's Cursor
 * Connections Specification (https://relay.dev/graphql/connections.htm).
 */
import { failure } from '../../errors/error.js';
import type { Expression, Param, Select } from '../../language/ast.js';
import { isArray, isObject, type ObjectValue, objectFrom, type Value } from '../../value/value.js';
import type { Call } from '../execution/call.js';
import { Cursors } from '../execution/cursor.js';
import type { GivenArguments } from '../execution/field-arguments.js';
import { behind, fromThereOn, type KeysetKey, keysetOf, reversed } from '../execution/keyset.js';
import type { RootField, RootPlan, StatementWork } from '../execution/root-plan.js';
import { type BoundStatements, type Clauses, type Conditions, columns, join, select } from '../execution/select.js';
import { type ConnectionType, PAGE_INFO } from '../schema/connection-type.js';
import { fromRoot } from '../schema/field-source.js';
import {
  boundRows,
  filterArguments,
  filtersOf,
  isGiven,
  readCount,
  VERSION_ARGUMENT,
} from '../schema/list-arguments.js';
import { SCALARS } from '../schema/scalars.js';
import { orderBy, orderedColumns } from '../schema/table-order.js';
import type { TableType } from '../schema/table-type.js';
import { countedRows, countOf } from './count.js';
import { type PageSize, pageOf, sizeOf } from './page.js';
import { lengthOf, type RootConfig, statementWork } from './root-config.js';

/** So that the condition of a page stays small. */
const MOST_KEYS = 32;

export function connectionField(type: TableType, connection: ConnectionType): RootConfig {
  return {
    type: connection.connection,
    description: 'A page of records.',
    args: {
      first: { type: SCALARS.Int, description: 'So many records at most, from the beginning.' },
      after: { type: SCALARS.String, description: 'Only what comes behind the record with this cursor.' },
      last: { type: SCALARS.Int, description: 'So many records at most, from the end.' },
      before: { type: SCALARS.String, description: 'Only what comes before the record with this cursor.' },
      order: { type: type.order, description: 'The id decides between records that are equal in it.' },
      ...filterArguments(type.filter),
      ...VERSION_ARGUMENT,
    },
    extensions: fromRoot((field) => new Connection(field, type, connection)),
  };
}

/** What a query asks of a connection. */
interface Asked {
  readonly columns: readonly string[];
  /** How many fields each record gives. */
  readonly weight: number;
  /** The fields of the connection, those of its edges as `edges.cursor`, those of its `pageInfo` as `pageInfo.endCursor`. */
  readonly fields: ReadonlySet<string>;
}

/** The statements of one page, and what is needed to make a connection of their results. */
interface BoundPage extends BoundStatements {
  readonly parts: readonly Part[];
  readonly size: PageSize;
  readonly cursors: Cursors;
  /** The name of the param that limits the rows. */
  readonly limit: string | undefined;
}

/** What the statements are for, in their order. */
type Part = 'rows' | 'earlier' | 'later' | 'count';

class Connection implements RootPlan {
  readonly completion;
  readonly #field: RootField;
  readonly #type: TableType;
  readonly #asked: Asked;

  constructor(field: RootField, type: TableType, connection: ConnectionType) {
    this.completion = field.completion();
    this.#field = field;
    this.#type = type;
    this.#asked = askedOf(field, type, connection);
  }

  begin(call: Call): StatementWork {
    const { weight } = this.#asked;
    const page = this.#field.arguments.boundAll(call, (given, conditions) => this.#bind(given, conditions));
    const { statements, parts, values, size, limit } = page;
    const { most, spend } = boundRows(sizeOf(size), weight, call, 1);
    return statementWork(
      statements,
      limit === undefined ? values : objectFrom({ ...values, [limit]: most }),
      (limit === undefined ? 0 : most * weight) + statements.length,
      (results) => {
        spend(lengthOf(results[parts.indexOf('rows')]));
        return this.#connection(page, results);
      },
    );
  }

  #bind(given: GivenArguments, conditions: Conditions): BoundPage {
    const { fields, columns: wanted } = this.#asked;
    const { table, filter } = this.#type;
    const { params } = conditions;
    const keys = keysOf(given);
    const cursors = new Cursors(table, keys);
    const place = (argument: 'after' | 'before'): readonly Param[] | undefined => {
      const text = given[argument];
      if (!isGiven(text)) return undefined;
      return cursors.read(String(text), argument).map((value) => {
        conditions.count();
        return params.bind(value);
      });
    };
    const after = place('after');
    const before = place('before');
    const size: PageSize = { first: readCount('first', given), last: readCount('last', given) };
    const filters = filtersOf(given, filter, conditions);
    const version = isGiven(given['version']) ? { version: params.bind(given['version'] as Value) } : {};
    const from = { kind: 'table', name: table } as const;
    const limit = params.bind(undefined);
    const where = (...places: readonly Expression[]): Clauses => {
      const all = [...filters, ...places];
      return { ...(all.length > 0 && { where: join('&&', all) }), ...version };
    };
    const parts: [Part, Select][] = [];
    const hasRows = ['edges', 'nodes', 'pageInfo'].some((name) => fields.has(name));
    if (hasRows) {
      const isBackward = size.first === undefined && size.last !== undefined;
      const order = isBackward ? reversed(keys) : keys;
      parts.push([
        'rows',
        select(columns(needsCursors(fields) ? [...wanted, ...keys.map(({ column }) => column)] : wanted), from, {
          ...where(...(after ? [behind(keys, after)] : []), ...(before ? [behind(reversed(keys), before)] : [])),
          order: orderBy(order.map(({ column, descending }) => ({ path: [column], descending }))),
          limit,
        }),
      ]);
    }
    const one = { limit: { kind: 'literal', value: 1 } } as const;
    // The record that a cursor belongs to isn't on the page, but on the one beside it.
    if (fields.has('pageInfo.hasPreviousPage') && size.last === undefined && after !== undefined) {
      parts.push(['earlier', select(columns([]), from, { ...where(fromThereOn(reversed(keys), after)), ...one })]);
    }
    if (fields.has('pageInfo.hasNextPage') && size.first === undefined && before !== undefined) {
      parts.push(['later', select(columns([]), from, { ...where(fromThereOn(keys, before)), ...one })]);
    }
    if (fields.has('totalCount')) parts.push(['count', countOf(from, where())]);
    return {
      statements: parts.map(([, statement]) => statement),
      parts: parts.map(([part]) => part),
      values: params.values,
      size,
      cursors,
      limit: hasRows ? limit.name : undefined,
    };
  }

  #connection({ parts, size, cursors }: BoundPage, results: readonly Value[]): ObjectValue {
    const { fields } = this.#asked;
    const of = (part: Part): Value => results[parts.indexOf(part)];
    const { rows, hasMoreBefore, hasMoreAfter } = pageOf(rowsIn(of('rows')), size);
    const cursorOf = (row: ObjectValue | undefined): Value => row && cursors.write(row);
    const withCursors = fields.has('edges.cursor');
    return objectFrom({
      edges: rows.map((row) => objectFrom({ cursor: withCursors ? cursors.write(row) : undefined, node: row })),
      nodes: rows,
      pageInfo: objectFrom({
        hasPreviousPage: hasMoreBefore ?? lengthOf(of('earlier')) > 0,
        hasNextPage: hasMoreAfter ?? lengthOf(of('later')) > 0,
        startCursor: fields.has('pageInfo.startCursor') ? cursorOf(rows[0]) : undefined,
        endCursor: fields.has('pageInfo.endCursor') ? cursorOf(rows.at(-1)) : undefined,
      }),
      totalCount: countedRows(of('count')),
    });
  }
}

function askedOf(field: RootField, { object }: TableType, { connection, edge }: ConnectionType): Asked {
  const names = new Set<string>();
  const fields = new Set<string>();
  let weight = 0;
  const addNode = (nodes: RootField['nodes']): void => {
    const plan = field.record(object, nodes);
    for (const name of plan.columns) names.add(name);
    weight += plan.weight;
  };
  for (const nodes of field.fieldsBelow(connection, field.nodes).values()) {
    const name = nodes[0].name.value;
    if (name === '__typename') continue;
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
  return { columns: [...names], weight: Math.max(weight, 1), fields };
}

const CURSORS = ['edges.cursor', 'pageInfo.startCursor', 'pageInfo.endCursor'];

function needsCursors(fields: ReadonlySet<string>): boolean {
  return CURSORS.some((name) => fields.has(name));
}

/** @throws TesseraError `graphql_argument` */
function keysOf(given: GivenArguments): readonly KeysetKey[] {
  const keys = keysetOf(orderedColumns(given['order']));
  if (keys.length > MOST_KEYS) {
    throw failure('graphql_argument', { reason: `A connection is ordered by ${MOST_KEYS - 1} fields at most` });
  }
  return keys;
}

function rowsIn(rows: Value): readonly ObjectValue[] {
  return isArray(rows) ? rows.filter(isObject) : [];
}
