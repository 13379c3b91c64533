/** What UPDATE, UPSERT and DELETE share: finding the records they are about. */
import { andThen, forEachInOrder, type PromiseOrValue } from '../base/promise-or-value.js';
import { failure } from '../errors/error.js';
import { toText } from '../value/text/text.js';
import { isTruthy } from '../value/truthiness.js';
import { isObject, type ObjectValue, RecordId } from '../value/value.js';
import type { Compiler, Frame, Purpose } from './execution.js';
import { RowSource, type SourceHints } from './select-source.js';
import type { Target } from './targets.js';

/** A record to be changed: its id, and what the principal may see of it. */
export interface Found {
  readonly id: RecordId;
  readonly seen: ObjectValue;
}

/** Finds the records of targets that meet a condition. All are found before the first is changed, so that none is met twice. */
export type Finder = (frame: Frame, targets: readonly Target[]) => PromiseOrValue<Found[]>;

export function compileFinder(
  statement: 'UPDATE' | 'UPSERT' | 'DELETE',
  { where, with: hints }: SourceHints,
  compiler: Compiler,
): Finder {
  const purpose: Purpose = statement === 'DELETE' ? 'delete' : 'update';
  const source = new RowSource(compiler, { where, with: hints });
  const condition = where && compiler.expression(where);
  return (frame, targets) => {
    for (const target of targets) {
      if (target.kind === 'value') throw failure('invalid_target', { statement, value: toText(target.value) });
    }
    const found: Found[] = [];
    const walked = source.walk(frame, targets, purpose, undefined, (batch) =>
      andThen(
        forEachInOrder(batch, (row) => {
          const id = isObject(row) ? row['id'] : undefined;
          if (!isObject(row) || !(id instanceof RecordId)) return undefined;
          return andThen(condition === undefined ? true : condition(frame.within(row)), (verdict) => {
            if (condition === undefined || isTruthy(verdict)) found.push({ id, seen: row });
            return undefined;
          });
        }),
        () => undefined,
      ),
    );
    return andThen(walked, () => found);
  };
}
