/**
 * The matching of each kind of index. With `records/index/kinds.ts`, which has their maintenance, this defines a kind:
 * neither table type-checks while one is missing. Showing and running an index access is defined with all nodes
 * (`plan/describe.ts`, `query/operators/sources/accesses.ts`).
 */
import type { IndexKind } from '../../language/ast.js';
import { fullText } from './full-text.js';
import type { IndexMatching } from './index-matching.js';
import { ordered } from './ordered.js';

/** COUNT finds none: how many records there are, the keys of the table tell. */
const NOTHING: IndexMatching = { match: () => undefined, inOrder: () => undefined };

export const INDEX_MATCHING: { readonly [Kind in IndexKind['kind']]: IndexMatching } = {
  plain: ordered,
  unique: ordered,
  count: NOTHING,
  fulltext: fullText,
  hnsw: NOTHING,
};
