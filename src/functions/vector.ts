/** `vector::`: arithmetic of vectors, and distances between them. */
import { andThen, type PromiseOrValue } from '../base/promise-or-value.js';
import type { Work } from '../base/work/work.js';
import { failure } from '../errors/error.js';
import { add, divide, multiply, subtract } from '../value/arithmetic.js';
import { toNumber } from '../value/number.js';
import { float, type Value } from '../value/value.js';
import { bagOf, distinct } from './array/value-bag.js';
import { invalidArguments } from './calls/arguments.js';
import type { FunctionRow } from './calls/contract.js';
import { define } from './calls/define.js';
import { any, number, numbers, rest } from './calls/parameters.js';
import {
  angle,
  chebyshev,
  cosine,
  dotProduct,
  euclidean,
  hamming,
  magnitude,
  manhattan,
  minkowski,
  pearson,
  spearman,
  total,
  type Vector,
} from './vector/measures.js';

/** Components of both vectors together: more than the longest embeddings in use. */
const VECTORS = { largest: 2 ** 13 };

function checkDimensions(name: string, a: Vector, b: Vector): void {
  if (a.length !== b.length) throw invalidArguments(name, 'The two vectors must be of the same dimension.');
}

/** A number from two vectors of equal length. */
function measures(
  name: string,
  description: string,
  measure: (a: Vector, b: Vector) => Value,
  returns = 'float',
): FunctionRow {
  const path = `vector::${name}`;
  return define(
    path,
    [numbers('a'), numbers('b')],
    returns,
    description,
    (a, b) => {
      checkDimensions(path, a, b);
      return measure(a, b);
    },
    VECTORS,
  );
}

const inFloats = (measure: (a: Vector, b: Vector) => number) => (a: Vector, b: Vector) => float(measure(a, b));

/** Component by component. */
function componentwise(name: string, description: string, operator: (a: Value, b: Value) => Value): FunctionRow {
  return measures(
    name,
    description,
    (a, b) => a.map((component, index) => operator(component, b[index])),
    'array<number>',
  );
}

function dot(a: Vector, b: Vector): Value {
  return total(a.map((component, index) => multiply(component, b[index])));
}

function cross(a: Vector, b: Vector): Value {
  if (a.length !== 3 || b.length !== 3) {
    throw invalidArguments('vector::cross', 'Both vectors must have a dimension of 3.');
  }
  const component = (i: number, j: number) => subtract(multiply(a[i], b[j]), multiply(a[j], b[i]));
  return [component(1, 2), component(2, 0), component(0, 1)];
}

/** The part of `a` that lies in the direction of `b`. */
function project(a: Vector, b: Vector): Value {
  const share = float(dotProduct(a, b) / dotProduct(b, b));
  return b.map((component) => multiply(component, share));
}

function jaccard(a: Vector, b: Vector, work: Work): PromiseOrValue<number> {
  return andThen(bagOf(b, work), (other) =>
    andThen(distinct(a, work), (different) => {
      const shared = different.filter((component) => other.has(component)).length;
      return andThen(distinct(a.concat(b), work), (all) => shared / all.length);
    }),
  );
}

export const vectorFunctions: readonly FunctionRow[] = [
  componentwise('add', 'The sums of the components.', add),
  measures('angle', 'The angle between two vectors in radians.', inFloats(angle)),
  define(
    'vector::cross',
    [numbers('a'), numbers('b')],
    'array<number>',
    'The cross product of two vectors of three components.',
    cross,
    VECTORS,
  ),
  componentwise('divide', 'The quotients of the components.', divide),
  measures('distance::chebyshev', 'The greatest difference of two components.', inFloats(chebyshev)),
  measures('distance::euclidean', 'The distance as the crow flies.', inFloats(euclidean)),
  measures('distance::hamming', 'Counts the components that differ.', hamming, 'int'),
  define(
    'vector::distance::knn',
    [rest(any('reference'))],
    'float',
    'The distance that the KNN operator found for the record.',
    (_, context) => {
      const distance = context.indexNote?.distance;
      if (distance !== undefined) return distance;
      throw failure('misplaced_function', {
        name: 'vector::distance::knn',
        reason: 'no KNN operator found in WHERE condition',
      });
    },
    { deterministic: false },
  ),
  define(
    'vector::distance::mahalanobis',
    [numbers('a'), numbers('b')],
    'float',
    'Not available: it needs more than two vectors.',
    () => {
      throw failure('unimplemented_function', { name: 'vector::distance::mahalanobis' });
    },
  ),
  measures('distance::manhattan', 'The sum of the differences of the components.', manhattan, 'number'),
  define(
    'vector::distance::minkowski',
    [numbers('a'), numbers('b'), number('order')],
    'float',
    'The distance of an order: Manhattan’s is of order 1, Euclid’s of order 2.',
    (a, b, order) => {
      checkDimensions('vector::distance::minkowski', a, b);
      return float(minkowski(a, b, toNumber(order)));
    },
    VECTORS,
  ),
  measures('dot', 'The dot product.', dot, 'number'),
  define(
    'vector::magnitude',
    [numbers('vector')],
    'float',
    'The length of a vector.',
    (vector) => float(magnitude(vector)),
    VECTORS,
  ),
  componentwise('multiply', 'The products of the components.', multiply),
  define(
    'vector::normalize',
    [numbers('vector')],
    'array<number>',
    'The vector of length 1 in the same direction.',
    (vector) => {
      const length = float(magnitude(vector));
      return vector.map((component) => divide(component, length));
    },
    VECTORS,
  ),
  measures('project', 'The part of the first vector in the direction of the second.', project, 'array<number>'),
  define(
    'vector::scale',
    [numbers('vector'), number('factor')],
    'array<number>',
    'A vector times a number.',
    (vector, factor) => vector.map((component) => multiply(component, factor)),
    VECTORS,
  ),
  measures('similarity::cosine', 'The cosine of the angle between two vectors.', inFloats(cosine)),
  define(
    'vector::similarity::jaccard',
    [numbers('a'), numbers('b')],
    'float',
    'The share of different components that both vectors have.',
    (a, b, context) => andThen(jaccard(a, b, context), float),
    VECTORS,
  ),
  measures('similarity::pearson', 'How far two vectors rise and fall together.', inFloats(pearson)),
  measures('similarity::spearman', 'How far the ranks of the components agree.', inFloats(spearman)),
  componentwise('subtract', 'The differences of the components.', subtract),
];
