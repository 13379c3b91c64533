/** Distances of given records by their stored vectors, in batches that yield to others. */
import { andThen, type PromiseOrValue, untilTrue } from '../../base/promise-or-value.js';
import { encodedVectorKey } from '../../index/vectors.js';
import type { Execution } from '../../runtime/execution.js';
import { distanceOf } from '../../vectors/distances.js';
import { compareDistances } from '../../vectors/nearest.js';
import { vectorReader } from '../../vectors/vector-type.js';
import type { FoundVector, VectorSearch } from './vector-search.js';

/** Components that are measured between two checkpoints: some hundred microseconds. */
export const COMPONENTS_AT_ONCE = 2 ** 18;
/** Vectors that are read together. */
const BATCH = 256;

/** Measures the vectors of records, by their encoded keys; those without one are left out. */
export function measureKeys(
  { context: { transaction }, interrupt }: Execution,
  { index, point, type, options }: VectorSearch,
  keys: readonly string[],
): PromiseOrValue<FoundVector[]> {
  const distance = distanceOf(options.metric);
  const size = Math.max(1, Math.min(BATCH, Math.floor(COMPONENTS_AT_ONCE / point.length)));
  const read = vectorReader(type, point.length);
  const found: FoundVector[] = [];
  let at = 0;
  const done = untilTrue(() => {
    if (at >= keys.length) return true;
    const some = keys.slice(at, at + size);
    at += size;
    return andThen(transaction.getMany(some.map((key) => encodedVectorKey(index, key))), (stored) => {
      some.forEach((key, each) => {
        const bytes = stored[each];
        if (bytes instanceof Uint8Array) found.push({ key, distance: distance(read(bytes), point) });
      });
      return andThen(interrupt.checkpoint(), () => false);
    });
  });
  return andThen(done, () => found);
}

/** Nearest first; at the same distance in the order of keys. */
export function compareFound(a: FoundVector, b: FoundVector): number {
  return compareDistances(a.distance, b.distance) || (a.key < b.key ? -1 : 1);
}
