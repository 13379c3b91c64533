import { andThen } from '../../base/promise-or-value.js';
import type { FirstRows } from '../../plan/nodes.js';
import type { Value } from '../../value/value.js';
import { compileCharge } from './charge.js';
import type { OperatorContext, Stream } from './operator.js';
import { oneByOne } from './read-table.js';

/**
 * Takes so many rows as they come, and hands them on when it has them all: what is done with one doesn't change which
 * others are found.
 */
export function compileFirstRows({ most, input: below }: FirstRows, context: OperatorContext): Stream {
  const input = context.stream(below);
  const charger = compileCharge(below);
  return (frame, { targets }, visit) => {
    if (most === 0) return undefined;
    const charge = charger(frame);
    const rows: Value[] = [];
    const taken = input(frame, { targets }, (batch) => {
      const some = batch.slice(0, most - rows.length);
      for (const row of some) rows.push(row);
      charge(some);
      return rows.length === most;
    });
    return andThen(taken, () => (context.reading.writes ? oneByOne(visit)(rows) : visit(rows)));
  };
}
