import { failure } from '../../errors/error.js';
import type { IndexKind } from '../../language/ast.js';

/**
 * Vectors of no components have no distance; with fewer than two links a graph can't be walked, and 1 / ln M isn't a
 * number; without candidates there are no links.
 */
const LEAST = { DIMENSION: 1, M: 2, M0: 2, EFC: 1 } as const;

/** @throws TesseraError `hnsw_option` */
export function checkHnswOptions(index: string, kind: IndexKind): void {
  if (kind.kind !== 'hnsw') return;
  for (const [option, given] of [
    ['DIMENSION', kind.dimension],
    ['M', kind.m],
    ['M0', kind.m0 ?? LEAST.M0],
    ['EFC', kind.efc],
  ] as const) {
    const least = LEAST[option];
    if (given < least) throw failure('hnsw_option', { index, option, least });
  }
}
