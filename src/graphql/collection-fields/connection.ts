/**
 * `personConnection(first, after, last, before, order, filter, where, version)`, `author.wroteConnection(…)`: records
 * in pages, by Relay's Cursor Connections Specification (https://relay.dev/graphql/connections.htm).
 */
import { createHash } from 'node:crypto';
import { failure, TesseraError } from '../../errors/error.js';
import type { Expression, Param } from '../../language/ast.js';
import { decodeCbor } from '../../value/codecs/cbor-decode.js';
import { encodeCbor } from '../../value/codecs/cbor-encode.js';
import { isArray, isObject, type ObjectValue, objectFrom, Range, RecordId, type Value } from '../../value/value.js';
import { SCALARS } from '../base/scalars.js';
import type { CompileCollectionQuery } from '../execution/collection-query.js';
import type { Conditions } from '../execution/conditions.js';
import type { GivenArguments } from '../execution/field-arguments.js';
import type { FieldUse } from '../execution/field-use.js';
import { columnsFound, SCORE, valueOfColumn } from '../execution/found-columns.js';
import { behind, fromThereOn, type KeysetKey, keysetOf, reversed } from '../execution/keyset.js';
import { type Clauses, columns, join, type SelectParts } from '../execution/select.js';
import { COUNT } from '../schema/aggregate-parts.js';
import { type ConnectionType, PAGE_INFO } from '../schema/connection-type.js';
import {
  boundRows,
  filterArguments,
  filtersOf,
  isGiven,
  type Listed,
  marksArguments,
  readCountArgument,
  readMarks,
} from '../schema/list-arguments.js';
import { orderBy, orderedColumns } from '../schema/table-order.js';
import type { TableType } from '../schema/table-type.js';
import { type CollectionField, type CollectionOwner, lengthOf } from './collection-field.js';

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

// The reads for a page of a connection.

/** So that the condition of a page stays small. */
const MOST_KEYS = 32;

/** The selection of a query on a connection. */
interface AskedPage {
  /** The columns that the nodes need. */
  readonly columns: readonly string[];
  /** Number of fields of each record. */
  readonly weight: number;
  /**
   * The fields of the connection, those of its edges as `edges.cursor`, those of its `pageInfo` as
   * `pageInfo.endCursor`.
   */
  readonly fields: ReadonlySet<string>;
}

/**
 * What a part is read for: the page, whether there is anything before a cursor, or from one on, and how much there is
 * in all.
 */
type PartPurpose = 'rows' | 'earlier' | 'later' | 'count';

interface BoundPage {
  readonly parts: readonly SelectParts[];
  /** The purposes of the parts, in their order. */
  readonly purposes: readonly PartPurpose[];
  readonly size: PageSize;
  readonly cursors: Cursors;
  /** The name of the param that limits the rows. */
  readonly limit: string | undefined;
}

/** @throws TesseraError `graphql_argument`, `graphql_cursor`, `graphql_limit` */
function bindPage(
  given: GivenArguments,
  conditions: Conditions,
  { table, filter }: Listed,
  { fields, columns: wanted }: AskedPage,
): BoundPage {
  const { params } = conditions;
  const keys = keysOf(given);
  const cursors = new Cursors(table, keys);
  const after = positionOf('after', given, cursors, conditions);
  const before = positionOf('before', given, cursors, conditions);
  const size = { first: readCountArgument('first', given), last: readCountArgument('last', given) };
  const filters = filtersOf(given, filter, conditions);
  const version = isGiven(given['version']) ? { version: params.bind(given['version'] as Value) } : {};
  const where = (...positions: readonly Expression[]): Clauses => {
    const all = [...filters, ...positions];
    return { ...(all.length > 0 && { where: join('&&', all) }), ...version };
  };
  const columnValue = (column: string): Expression => valueOfColumn(column, conditions);
  const parts = new Map<PartPurpose, SelectParts>();
  let limit: string | undefined;
  if (['edges', 'nodes', 'pageInfo'].some((name) => fields.has(name))) {
    const isBackward = size.first === undefined && size.last !== undefined;
    const bound = params.bind(undefined);
    limit = bound.name;
    parts.set('rows', {
      projections: columnsFound(
        [...wanted, ...keys.map(({ column }) => column).filter((column) => column === SCORE || hasCursors(fields))],
        conditions,
        readMarks(given),
      ),
      clauses: {
        ...where(
          ...(after ? [behind(keys, after, columnValue)] : []),
          ...(before ? [behind(reversed(keys), before, columnValue)] : []),
        ),
        order: orderBy(
          (isBackward ? reversed(keys) : keys).map(({ column, descending }) => ({ path: [column], descending })),
        ),
        limit: bound,
      },
    });
  }
  // The record that a cursor belongs to isn't on the page, but on the one beside it.
  if (fields.has('pageInfo.hasPreviousPage') && size.last === undefined && after !== undefined) {
    parts.set('earlier', {
      projections: columns([]),
      clauses: { ...where(fromThereOn(reversed(keys), after, columnValue)), ...ONE },
    });
  }
  if (fields.has('pageInfo.hasNextPage') && size.first === undefined && before !== undefined) {
    parts.set('later', {
      projections: columns([]),
      clauses: { ...where(fromThereOn(keys, before, columnValue)), ...ONE },
    });
  }
  if (fields.has('totalCount')) {
    parts.set('count', {
      projections: { kind: 'fields', items: [{ kind: 'expression', expression: COUNT }] },
      clauses: { ...where(), group: { kind: 'all' } },
    });
  }
  return { parts: [...parts.values()], purposes: [...parts.keys()], size, cursors, limit };
}

const ONE = { limit: { kind: 'literal', value: 1 } } as const;

/** The position in the order that an argument names, key by key. */
function positionOf(
  argument: 'after' | 'before',
  given: GivenArguments,
  cursors: Cursors,
  conditions: Conditions,
): readonly Param[] | undefined {
  const text = given[argument];
  if (!isGiven(text)) return undefined;
  return cursors.read(String(text), argument).map((value) => {
    conditions.count();
    return conditions.params.bind(value);
  });
}

function hasCursors(fields: ReadonlySet<string>): boolean {
  return ['edges.cursor', 'pageInfo.startCursor', 'pageInfo.endCursor'].some((name) => fields.has(name));
}

function keysOf(given: GivenArguments): readonly KeysetKey[] {
  const keys = keysetOf(orderedColumns(given['order']));
  if (keys.length > MOST_KEYS) {
    throw failure('graphql_argument', { reason: `A connection is ordered by ${MOST_KEYS - 1} fields at most` });
  }
  return keys;
}

// Cursors of connections: positions in an order, as text. A cursor holds the visible values of the order's fields, with
// their kinds, and a hash of the order:
//
//     base64url( hash of 6 bytes · CBOR of [value₁, …, valueₙ, id] )
//
// It isn't signed, since a forged cursor reveals nothing that a filter wouldn't.

const MARK_BYTES = 6;
/** Of a cursor as text. */
const LONGEST = 16_384;
/** Maximum nesting of the values in it. */
const DEEPEST = 64;
const BASE64URL = /^[A-Za-z0-9_-]+$/;

/** The cursors of one order of one table. */
class Cursors {
  readonly #table: string;
  readonly #keys: readonly KeysetKey[];
  readonly #mark: Buffer;

  constructor(table: string, keys: readonly KeysetKey[]) {
    this.#table = table;
    this.#keys = keys;
    const order = JSON.stringify([table, ...keys.map(({ column, descending }) => [column, descending])]);
    this.#mark = createHash('sha256').update(order).digest().subarray(0, MARK_BYTES);
  }

  /** The position of a row with the columns of the order. @throws TesseraError `graphql_cursor` */
  write(row: ObjectValue): string {
    const values = encodeCbor(this.#keys.map(({ column }) => row[column]));
    const text = Buffer.concat([this.#mark, values]).toString('base64url');
    if (text.length > LONGEST)
      throw failure('graphql_cursor', { reason: 'A value that records are ordered by is too long' });
    return text;
  }

  /**
   * The values of the keys. `argument` is where the cursor was given, for errors.
   * @throws TesseraError `graphql_cursor`
   */
  read(text: string, argument: string): readonly Value[] {
    const broken = () => failure('graphql_cursor', { reason: `What is given as ${argument} is no cursor` });
    if (text.length > LONGEST || !BASE64URL.test(text)) throw broken();
    const bytes = Buffer.from(text, 'base64url');
    if (bytes.length <= MARK_BYTES) throw broken();
    if (!bytes.subarray(0, MARK_BYTES).equals(this.#mark)) {
      throw failure('graphql_cursor', {
        reason: `The cursor given as ${argument} belongs to another connection or order`,
      });
    }
    const values = decoded(bytes.subarray(MARK_BYTES));
    if (!isArray(values) || values.length !== this.#keys.length || !this.#isId(values.at(-1))) throw broken();
    return values;
  }

  #isId(value: Value): boolean {
    return value instanceof RecordId && value.table === this.#table && !(value.key instanceof Range);
  }
}

/** NONE for what isn't CBOR. */
function decoded(bytes: Uint8Array): Value {
  try {
    return decodeCbor(bytes, { maxDepth: DEEPEST });
  } catch (thrown) {
    if (thrown instanceof TesseraError) return undefined;
    throw thrown;
  }
}

/**
 * Which of the rows that were read are on a page, and whether there are more (Relay, §4.4 Pagination algorithm, §5.1
 * PageInfo).
 */

interface PageSize {
  readonly first: number | undefined;
  readonly last: number | undefined;
}

interface Page<Row> {
  readonly rows: readonly Row[];
  /** `undefined` if the rows don't determine it. */
  readonly hasMoreBefore: boolean | undefined;
  readonly hasMoreAfter: boolean | undefined;
}

/**
 * How many rows decide about the page; one more has to be read to know whether there are more. All where nothing limits
 * them.
 */
function sizeOf({ first, last }: PageSize): number | undefined {
  return first === undefined && last === undefined ? undefined : Math.max(first ?? 0, last ?? 0);
}

/** `read` are the first rows of the order, or where only `last` is given those of the opposite order. */
function pageOf<Row>(read: readonly Row[], { first, last }: PageSize): Page<Row> {
  const inOrder = first === undefined && last !== undefined ? read.toReversed() : read;
  const fromStart = first === undefined ? inOrder : inOrder.slice(0, first);
  return {
    rows: last === undefined ? fromStart : fromStart.slice(Math.max(0, fromStart.length - last)),
    hasMoreBefore: last === undefined ? undefined : read.length > last,
    hasMoreAfter: first === undefined ? undefined : read.length > first,
  };
}
