/**
 * The maintenance of each kind of index. With `plan/access/index-match.ts`, which describes what they find, this
 * defines a kind: neither table type-checks while one is missing.
 */
import type { IndexKind } from '../../language/ast.js';
import type { IndexKeeping } from './contract.js';
import { fullText } from './full-text.js';
import { hnsw } from './hnsw.js';
import { ordered } from './ordered.js';

/** `nothing`: the storage itself answers. `unsupported`: the definition is kept, and never used. */
export const INDEX_KINDS: { readonly [Kind in IndexKind['kind']]: IndexKeeping | 'nothing' | 'unsupported' } = {
  plain: ordered(),
  unique: ordered('unique'),
  count: 'nothing',
  fulltext: fullText,
  hnsw,
};
