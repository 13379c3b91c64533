/**
 * `chunk(nearest: {field: vector, to: [0.1, 0.2], k: 10, ef: 100})`: the records whose vectors lie nearest, by the HNSW
 * index of a field, and how far they are.
 */
import {
  GraphQLEnumType,
  type GraphQLFieldConfigArgumentMap,
  GraphQLInputObjectType,
  GraphQLList,
  GraphQLNonNull,
} from 'graphql';
import type { Binary } from '../../language/ast.js';
import type { Value } from '../../value/value.js';
import { SCALARS } from '../base/scalars.js';
import type { Conditions } from '../execution/conditions.js';
import { fromSource } from '../execution/field-source.js';
import { DISTANCE } from '../execution/found-columns.js';
import { fieldIdiom } from '../execution/select.js';
import { readCountArgument } from './list-arguments.js';
import { Names } from './names.js';
import type { FieldConfigs, ObjectFields } from './object-fields.js';

/** The default of `ef`. */
const DEFAULT_EF = 100;
/** The weight of a search in the limit of conditions, as values of a list: that of a `regex`. */
const WEIGHT = 100;

interface Given {
  /** A column of the table. */
  readonly field: string;
  readonly to: readonly Value[];
  readonly k: number;
  readonly ef?: number | null;
}

/** The argument of a table's list; none if no field is shown whose column has an index. */
export function nearestArgument(
  table: string,
  names: Names,
  fields: ObjectFields,
  indexed: ReadonlySet<string>,
): GraphQLFieldConfigArgumentMap {
  const shown = [...fields].filter(([, { column, isHidden }]) => indexed.has(column) && !isHidden);
  if (shown.length === 0) return {};
  const own = new Names(['true', 'false', 'null']);
  const field = new GraphQLEnumType({
    name: names.claim(`_vector_${table}`),
    values: Object.fromEntries(shown.map(([name, { column }]) => [own.claim(name), { value: column }])),
  });
  const ef = `How many vectors are looked at to begin with; default: ${DEFAULT_EF}, and never fewer than \`k\`.`;
  const type = new GraphQLInputObjectType({
    name: names.claim(`_nearest_${table}`),
    fields: {
      field: { type: new GraphQLNonNull(field) },
      to: {
        type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(SCALARS.Float))),
        description: 'A vector of the dimension of the index.',
      },
      k: { type: new GraphQLNonNull(SCALARS.Int), description: 'How many records at most.' },
      ef: { type: SCALARS.Int, description: ef },
    },
  });
  return { nearest: { type, description: 'The records whose vectors lie nearest, in this order.' } };
}

/** The field of records that says how far they are. */
export function distanceField(): FieldConfigs {
  return {
    _distance: {
      type: SCALARS.Float,
      description: 'How far the record is from the vector that `nearest` of its list asks for.',
      extensions: fromSource({ kind: 'column', column: DISTANCE }),
    },
  };
}

/**
 * The condition that an argument means.
 * @throws TesseraError `graphql_argument`
 */
export function nearestConditionOfArgument(given: unknown, conditions: Conditions): Binary {
  const { field, to, ...counts } = given as Given;
  const k = readCountArgument('k', counts) ?? 0;
  const ef = Math.max(k, readCountArgument('ef', counts) ?? DEFAULT_EF);
  conditions.count(WEIGHT);
  conditions.noteNearest(k);
  return {
    kind: 'binary',
    operator: { kind: 'nearest', k, ef },
    left: fieldIdiom([field]),
    right: conditions.params.bind(to as Value),
  };
}
