/** The records that other indexes list, where these are few: what a search finds is looked for among them. */
import { andThen, mapInOrder, type PromiseOrValue } from '../../../base/promise-or-value.js';
import type { IndexScan } from '../../../plan/nodes.js';
import type { Execution } from '../../../runtime/execution.js';
import type { Compiler } from '../../../runtime/frame.js';
import type { KeyRange } from '../../../storage/contract.js';
import { forEachBatch } from '../../../storage/cursor.js';
import { encodeKey } from '../../../value/codecs/key-codec.js';
import type { RecordKey } from '../../../value/value.js';
import { compileIndexScans } from './index-ranges.js';
import { type Narrow, unlessFailing } from './narrow.js';

/** So many are few: to read them takes less time than to judge what a search finds, one by one. */
const FEW = 1_024;

/** Each once, by their encoded keys; `undefined` where they are too many, or can't be listed. */
export type FewListed = (...site: Parameters<Narrow>) => PromiseOrValue<readonly string[] | undefined>;

/** The records that scans of indexes list. */
export function compileFewListed(scans: readonly IndexScan[], compiler: Compiler): FewListed {
  const ranges = unlessFailing(compileIndexScans(scans, compiler));
  return (frame, catalog, entry) =>
    andThen(ranges(frame, catalog, entry), (narrowed) =>
      narrowed?.kind === 'index' ? fewListed(frame.execution, narrowed.ranges) : undefined,
    );
}

function fewListed(
  { context: { transaction } }: Execution,
  ranges: readonly KeyRange[],
): PromiseOrValue<readonly string[] | undefined> {
  const keys = new Set<string>();
  const read = mapInOrder(ranges, (range) => {
    if (keys.size > FEW) return undefined;
    return forEachBatch(transaction.scan(range, { limit: FEW + 1 }), (batch) => {
      for (const [, key] of batch) keys.add(encodeKey(key as RecordKey));
      return keys.size > FEW;
    });
  });
  return andThen(read, () => (keys.size > FEW ? undefined : [...keys]));
}
