/** References in a path: `<~comment`, `<~(comment FIELD author)`, `<~?`. */
import { andThen, mapInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import { failure } from '../../errors/error.js';
import type { GraphStep } from '../../language/ast.js';
import { readOfField } from '../../plan/fields-read.js';
import { referredBy } from '../../records/references.js';
import type { Compiler, Frame } from '../../runtime/frame.js';
import type { Referrer } from '../../runtime/links.js';
import { rangeContains } from '../../value/membership.js';
import { equals } from '../../value/order.js';
import { Range, type RecordId, type Value } from '../../value/value.js';
import { compileRecordKey } from './record-id.js';
import { fetchRecord } from './step.js';

/**
 * Finds the records that refer to one, as far as the principal can see that they do.
 * @throws TesseraError `reference_range`, when it runs
 */
export function compileReferrers(
  { subjects }: GraphStep,
  compiler: Compiler,
): (id: RecordId, frame: Frame) => PromiseOrValue<readonly RecordId[]> {
  const groups = subjects.length === 0 ? [[]] : subjects.map((subject) => [subject]);
  const ranges = subjects.map(({ range }) => range && compileRecordKey(range, compiler));
  const isUnbound = subjects.some(({ range, field }) => range !== undefined && field === undefined);
  return (id, frame) => {
    if (isUnbound) throw failure('reference_range');
    const found = mapInOrder(groups, (group, at) =>
      andThen(ranges[at]?.(frame), (range: Value) =>
        andThen(frame.execution.services.reader.referrers(frame.execution, id, group), (referrers) =>
          visible(
            range instanceof Range ? referrers.filter((each) => rangeContains(range, each.id.key as Value)) : referrers,
            id,
            frame,
          ),
        ),
      ),
    );
    return andThen(found, (lists) => lists.flat());
  };
}

/** A record that can't be seen, or whose field can't, doesn't refer. */
function visible(referrers: readonly Referrer[], to: RecordId, frame: Frame): PromiseOrValue<RecordId[]> {
  const ids = referrers.map(({ id }) => id);
  if (!frame.execution.checks.view) return ids;
  const verdicts = mapInOrder(referrers, ({ id, field }) =>
    andThen(fetchRecord(id, frame, readOfField(field)), (record) =>
      referredBy(record?.[field]).some((each) => equals(each, to)),
    ),
  );
  return andThen(verdicts, (seen) => ids.filter((_, at) => seen[at]));
}
