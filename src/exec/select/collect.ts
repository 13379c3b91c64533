/** The first stages of a SELECT: the rows of the targets that meet the condition, separated, grouped and put in order. */
import { andThen, forEachInOrder, type PromiseOrValue, untilTrue } from '../../base/promise-or-value.js';
import type { Select } from '../../language/ast.js';
import type { Direction, OrderHint } from '../../plan/access-path.js';
import { mayWrite } from '../../plan/effects.js';
import type { Value } from '../../value/value.js';
import type { Compiler, Frame } from '../execution.js';
import type { Meter } from '../explain/meter.js';
import { compileSources, type Target } from '../targets.js';
import { countRows } from '../write/change.js';
import { compileFilter } from './filter.js';
import { compileSink } from './sink.js';
import type { RowSource } from './source.js';
import { compileSplit, type SplitRows } from './split.js';

/** The rows that START and LIMIT are to be cut out of; no more than those need, if it is known early which they are. */
export type Collect = (frame: Frame, skip: number, most: number | undefined) => PromiseOrValue<Value[]>;

/** In order, a few rows more are read at once than are wanted: for the one that ends the walk, and for those that a condition turns down. */
const MARGIN = 16;

export function compileCollect(
  select: Select,
  source: RowSource,
  hint: OrderHint | undefined,
  compiler: Compiler,
): (meter: Meter) => Collect {
  const targets = compileSources(select.from, compiler);
  const where = select.where && compileFilter(select.where, compiler);
  const split = select.split && compileSplit(select.split, compiler);
  const sinks = compileSink(select, hint, compiler);
  const writes = mayWrite(select);

  return (meter) => {
    const keep = where && meter.each('filter', where, lengthOf);
    const nextParts = meter.each('split', (parts: SplitRows) => parts.next(), lengthOf);
    const begin = sinks(meter);

    return (frame, skip, most) => {
      const first = most === undefined ? undefined : skip + most;
      const enough = select.group || select.order ? undefined : first;
      if (enough === 0) return [];
      const sink = begin(frame, first, enough);
      // How many rows become of one that is split isn't known before.
      let left = split ? undefined : enough;
      const { interrupt } = frame.execution;
      const addParts = (parts: SplitRows, direction: Direction | undefined): PromiseOrValue<boolean> => {
        let isOver = false;
        const each = untilTrue(() =>
          andThen(nextParts(parts), (rows) => {
            if (rows.length === 0) return true;
            return andThen(sink.add(rows, direction), (stop) => {
              isOver = stop;
              return stop || andThen(interrupt.checkpoint(), () => false);
            });
          }),
        );
        return andThen(each, () => isOver);
      };
      const consider = (batch: readonly Value[], direction: Direction | undefined): PromiseOrValue<boolean> =>
        andThen(keep === undefined ? batch.slice(0, left) : keep(frame, batch, left), (kept) => {
          if (left !== undefined) left -= kept.length;
          return split === undefined ? sink.add(kept, direction) : addParts(split(frame, kept), direction);
        });
      const visit = (batch: readonly Value[], direction?: Direction): PromiseOrValue<boolean> => {
        // Row by row where one may change what is found of the next, and where each may be the last.
        if (!writes && direction === undefined) return consider(batch, direction);
        let isOver = false;
        const each = forEachInOrder(batch, (row) =>
          andThen(consider([row], direction), (stop) => {
            isOver = stop;
            return stop;
          }),
        );
        return andThen(each, () => isOver);
      };
      const wanted = {
        rows: where === undefined && split === undefined ? enough : undefined,
        inOrder: first && first + MARGIN,
      };
      const walk = meter.each(
        'source',
        (found: readonly Target[]) =>
          source.walk(frame, found, 'select', wanted, meter.each('source', visit, countRows)),
        nothingYet,
      );
      return andThen(targets(frame), (found) => andThen(walk(found), () => sink.finish()));
    };
  };
}

function lengthOf({ length }: readonly unknown[]): number {
  return length;
}

/** What a stage takes in, it hands on later. */
const nothingYet = (): number => 0;
