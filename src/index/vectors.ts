/** The vectors of HNSW indexes, and where they stand; `hnsw/layout.ts` has all their entries. */
import type { IndexDefinition } from '../catalog/definitions/definition.js';
import { prefixRange } from '../catalog/keys/key-bytes.js';
import { failure } from '../errors/error.js';
import type { IndexKind } from '../language/ast.js';
import type { Key, KeyRange } from '../storage/contract.js';
import { decodeKey, encodeKey } from '../value/codecs/key-codec.js';
import { toNumber } from '../value/number.js';
import { toText } from '../value/text/text.js';
import { isArray, isNumber, type ObjectValue, type RecordKey, type Value } from '../value/value.js';
import type { GraphOptions } from '../vectors/hnsw/graph.js';
import { parseMetric } from '../vectors/metric.js';
import { misfit, packVector, type VectorType } from '../vectors/vector-type.js';
import { UNINDEXABLE, valueAt } from './value-at.js';

export type HnswKind = Extract<IndexKind, { readonly kind: 'hnsw' }>;

const VECTORS = '\x01';

/** The key of the vector of a record; `prefix` is that of the index. */
export function vectorKey(prefix: string, record: RecordKey): Key {
  return prefix + VECTORS + encodeKey(record);
}

/** The key of a vector, by the encoded key of its record. */
export function encodedVectorKey(prefix: string, key: string): Key {
  return prefix + VECTORS + key;
}

/** The encoded key of the record whose vector lies under a key. */
export function encodedKeyOfVector(prefix: string, key: Key): string {
  return key.slice(prefix.length + VECTORS.length);
}

/** All vectors of an index. */
export function vectorRange(prefix: string): KeyRange {
  return prefixRange(prefix + VECTORS);
}

/** The record whose vector lies under a key. */
export function recordOfVector(prefix: string, key: Key): RecordKey {
  return decodeKey(key, prefix.length + VECTORS.length).value as RecordKey;
}

/**
 * The vector of a record, packed; `undefined` if it has none.
 * @throws TesseraError `vector_value`, `vector_dimension`, `vector_component`, `value_too_large`
 */
export function packedVector(
  { fields: [field], indexKind }: Pick<IndexDefinition, 'fields' | 'indexKind'>,
  record: ObjectValue,
): Uint8Array | undefined {
  const value = field && valueAt(record, field.parts);
  if (value === undefined || value === null) return undefined;
  // Behind a link: it may change without the record.
  if (value === UNINDEXABLE) throw failure('vector_value', { value: 'a path through a record link' });
  const { dimension, type } = indexKind as HnswKind;
  return packComponents(components(value, dimension), type);
}

/** The components as bytes of the index's type. @throws TesseraError `vector_component` */
export function packComponents(vector: Float64Array, type: VectorType): Uint8Array {
  const wrong = misfit(vector, type);
  if (wrong !== undefined) throw failure('vector_component', { component: String(wrong), type: type.toLowerCase() });
  return packVector(vector, type);
}

/**
 * The numbers of a value, nested arrays one after the other; a single number is a vector of length 1.
 * @throws TesseraError `vector_value`, `vector_dimension`
 */
export function components(value: Value, dimension: number): Float64Array {
  const vector = new Float64Array(dimension);
  const length = fill(vector, 0, value);
  if (length !== dimension) throw failure('vector_dimension', { found: length, expected: dimension });
  return vector;
}

/** Writes what there is room for; returns where it ends. */
function fill(vector: Float64Array, from: number, value: Value): number {
  if (isNumber(value)) {
    vector[from] = toNumber(value);
    return from + 1;
  }
  if (!isArray(value)) throw failure('vector_value', { value: typeof value === 'string' ? value : toText(value) });
  let at = from;
  for (const item of value) at = fill(vector, at, item);
  return at;
}

/** The type of number to which an index rounds the components of a vector. */
export function vectorTypeOf({ indexKind }: Pick<IndexDefinition, 'indexKind'>): VectorType {
  return (indexKind as HnswKind).type;
}

/** How the graph of an index is built. */
export function graphOptions({ indexKind }: Pick<IndexDefinition, 'indexKind'>): GraphOptions {
  const { dimension, distance, m, m0, lm, efc, extendCandidates, keepPrunedConnections } = indexKind as HnswKind;
  return {
    metric: parseMetric(distance),
    dimension,
    m,
    m0: m0 ?? 2 * m,
    levelFactor: lm ?? 1 / Math.log(m),
    // Fewer than it is linked with would be none to choose of.
    efConstruction: Math.max(efc, m),
    extendCandidates,
    keepPrunedConnections,
  };
}
