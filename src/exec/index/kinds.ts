/**
 * What the kinds of indexes keep of records. With `plan/access/index-kinds.ts`, which says what they find, this makes
 * up a kind: neither table type-checks while one is missing.
 */
import type { IndexKind } from '../../language/ast.js';
import type { IndexKeeping } from './contract.js';
import { fullText } from './full-text.js';
import { hnsw } from './hnsw.js';
import { ordered } from './ordered.js';

/** `nothing`: the storage knows what is asked. `unsupported`: a definition is kept, and serves for nothing. */
export const INDEX_KINDS: { readonly [Kind in IndexKind['kind']]: IndexKeeping | 'nothing' | 'unsupported' } = {
  plain: ordered(),
  unique: ordered('unique'),
  count: 'nothing',
  fulltext: fullText,
  hnsw,
};
