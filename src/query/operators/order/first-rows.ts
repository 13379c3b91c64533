/** The operator that takes the first rows of an index, before anything is done to them. */
import { andThen } from '../../../base/promise-or-value.js';
import { sortItems } from '../../../base/work/sort.js';
import type { FirstRows } from '../../../plan/nodes.js';
import { noteOf } from '../../../runtime/candidates.js';
import { toNumber } from '../../../value/number.js';
import { compare } from '../../../value/order.js';
import { isNumber, isObject, type Value } from '../../../value/value.js';
import { compareDistances } from '../../../vectors/nearest.js';
import type { OperatorContext, Stream } from '../operator.js';
import { CollectedRows, compileCharge } from '../rows/collected-rows.js';
import { oneByOne } from '../sources/read-table.js';

/**
 * Collects the first rows that an index finds, and passes them on together, nearest first, so that the effects of
 * one don't change which others are found.
 */
export function compileFirstRows({ most, input: below }: FirstRows, context: OperatorContext): Stream {
  const input = context.stream(below);
  const charger = compileCharge(below);
  return (frame, { targets }, visit) => {
    if (most === 0) return undefined;
    const collected = new CollectedRows(charger(frame));
    const { rows } = collected;
    const taken = input(frame, { targets }, (batch) => {
      collected.add(batch.slice(0, most - rows.length));
      return rows.length === most;
    });
    return andThen(taken, () =>
      andThen(sortItems(rows, frame.execution.interrupt, compareNearness), (sorted) =>
        context.reading.writes ? oneByOne(visit)(sorted) : visit(sorted),
      ),
    );
  };
}

/** Rows that an index finds later may be nearer; at the same distance the index's order is that of the ids. */
function compareNearness(a: Value, b: Value): number {
  return compareDistances(distanceOf(a), distanceOf(b)) || compareIds(a, b);
}

function distanceOf(row: Value): number {
  const distance = noteOf(row)?.distance;
  return isNumber(distance) ? toNumber(distance) : Number.NaN;
}

function compareIds(a: Value, b: Value): number {
  return isObject(a) && isObject(b) ? compare(a['id'], b['id']) : 0;
}
