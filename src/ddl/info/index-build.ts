/** The state of an index build in INFO FOR INDEX. */
import type { IndexState } from '../../catalog/definitions/definition.js';
import { stateOf } from '../../catalog/definitions/index-states.js';
import type { IndexInCatalog } from '../../catalog/indexes/lifecycle.js';
import { type BuildProgress, buildProgress, idsOf } from '../../catalog/indexes/work.js';
import { INDEX_KINDS } from '../../records/index/kinds.js';
import type { Transaction } from '../../storage/contract.js';
import { type ObjectValue, objectFrom } from '../../value/value.js';

/**
 * By the state of the index. `pending` and `updated` are always 0: writers maintain an index under
 * construction themselves.
 */
const BUILDING: { readonly [State in IndexState | 'ready']: (progress: BuildProgress) => ObjectValue } = {
  ready: ({ initial }) => objectFrom({ initial, pending: 0, status: 'ready', updated: 0 }),
  building: ({ initial, position }) =>
    objectFrom(position === undefined ? { status: 'started' } : { initial, pending: 0, status: 'indexing' }),
  failed: ({ error }) => objectFrom({ error, status: 'error' }),
  replaced: (progress) => BUILDING.ready(progress),
  withdrawn: (progress) => BUILDING.ready(progress),
};

/** What INFO FOR INDEX shows of the build: status, and while it lasts the counts of records and changes. */
export async function indexBuild(
  transaction: Transaction,
  { catalog, table, index }: IndexInCatalog,
): Promise<ObjectValue> {
  if (INDEX_KINDS[index.indexKind.kind] === 'unsupported') {
    return objectFrom({ error: 'not supported yet', status: 'error' });
  }
  return BUILDING[stateOf(index)](await buildProgress(transaction, idsOf(catalog, table, index)));
}
