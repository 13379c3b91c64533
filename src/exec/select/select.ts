/**
 * SELECT. The stages, in this order: rows of the targets → WHERE → SPLIT → GROUP → ORDER → START, LIMIT → projection → OMIT → FETCH →
 * ONLY. Without SPLIT, GROUP and ORDER the stages run row by row and stop at the limit.
 */
import { andThen, forEachInOrder, isPromise, mapInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Select } from '../../language/ast.js';
import type { Direction } from '../../plan/access-path.js';
import { mayWrite } from '../../plan/effects.js';
import { isTruthy } from '../../value/truthiness.js';
import type { Value } from '../../value/value.js';
import type { Compiler, Evaluate, Frame } from '../execution.js';
import type { Meter } from '../explain/meter.js';
import type { Planned } from '../explain/planned.js';
import { compileSources, type Target } from '../targets.js';
import { compileTimeout } from '../timeout.js';
import { compileVersion } from '../version.js';
import { countRows } from '../write/change.js';
import { compileCount } from './count.js';
import { compileCountAll } from './count-all.js';
import { compileFetch } from './fetch.js';
import { compileGroup, type Grouping } from './group.js';
import { compileOmit } from './omit.js';
import { answerSelected } from './only.js';
import { compileOrder } from './order.js';
import { compileEnough, orderHint } from './order-by-path.js';
import { compileSelectPlan } from './plan.js';
import { compileProjections, isPlain } from './projection.js';
import { RowSource } from './source.js';
import { compileSplit } from './split.js';

export function planSelect(select: Select, compiler: Compiler): Planned {
  const targets = compileSources(select.from, compiler);
  const order = orderHint(select);
  const source = new RowSource(compiler, { where: select.where, with: select.with, order, writes: mayWrite(select) });
  const enoughInOrder = order && compileEnough(order, compiler);
  const where = select.where && compiler.expression(select.where);
  const split = select.split && compileSplit(select.split, compiler);
  const grouping = select.group && compileGroup(select.group, select.projections, compiler);
  const sorter = select.order && compileOrder(select.order, grouping ? undefined : select.projections, compiler);
  const project = grouping ? undefined : compileProjections(select.projections, compiler);
  // A list may name records that aren't there: rows without fields, of which nothing is shown where nothing but fields is asked for.
  const dropsMissing = isPlain(select.projections) && select.from.some(({ kind }) => kind !== 'table');
  const counted = select.limit !== undefined && isPlainScan(select) ? 'LIMIT/START' : undefined;
  const limit = compileCount(counted ?? 'LIMIT', select.limit, compiler);
  const start = compileCount(counted ?? 'START', select.start, compiler);
  const fetch = select.fetch && compileFetch(select.fetch, compiler);
  // A single value has no fields to leave out.
  const omit = select.projections.kind === 'fields' && select.omit ? compileOmit(select.omit, compiler) : undefined;
  const countAll = compileCountAll(select);

  const assembleCollect = (meter: Meter): Collect => {
    const judge = where && meter.each('filter', where, (verdict) => Number(isTruthy(verdict)));
    const separate = split && meter.each('split', split, lengthOf);
    const addTo = meter.each('group', addRow, nothingYet);
    const finish = meter.each('group', finishGroups, lengthOf);

    return (frame, skip, most) => {
      const rows: Value[] = [];
      const first = most === undefined ? undefined : skip + most;
      const enough = split || grouping || sorter ? undefined : first;
      if (enough === 0) return rows;
      const group = grouping?.begin(frame);
      const isEnough = first === undefined ? undefined : enoughInOrder?.(frame, first);
      let direction: Direction | undefined;
      const take = (row: Value): PromiseOrValue<boolean> => {
        if (group !== undefined) return andThen(addTo(group, row), () => false);
        rows.push(row);
        return direction === undefined || isEnough === undefined ? rows.length === enough : isEnough(row);
      };
      const admit = (row: Value): PromiseOrValue<boolean> => {
        if (separate === undefined) return take(row);
        return andThen(separate(frame, row), (parts) => andThen(forEachInOrder(parts, take), () => false));
      };
      const consider = (row: Value): PromiseOrValue<boolean> => {
        if (judge === undefined) return admit(row);
        const verdict = judge(frame.within(row));
        if (isPromise(verdict)) return verdict.then((found) => isTruthy(found) && admit(row));
        return isTruthy(verdict) && admit(row);
      };
      const takesAll = judge === undefined && separate === undefined && group === undefined && first === undefined;
      const visit = (batch: readonly Value[], ordered?: Direction): PromiseOrValue<boolean> => {
        direction = ordered;
        if (takesAll) {
          for (const row of batch) rows.push(row);
          return false;
        }
        let isOver = false;
        const note = (stop: boolean): boolean => {
          isOver = stop;
          return stop;
        };
        const done = forEachInOrder(batch, (row) => andThen(consider(row), note));
        return andThen(done, () => isOver);
      };
      const walk = meter.each(
        'source',
        (found: readonly Target[]) =>
          source.walk(
            frame,
            found,
            'select',
            { rows: where === undefined ? enough : undefined, inOrder: first && first + MARGIN },
            meter.each('source', visit, countRows),
          ),
        nothingYet,
      );
      return andThen(targets(frame), (found) =>
        andThen(walk(found), () => {
          if (group !== undefined) return finish(group);
          // Rows with equal keys stay in the order of the table.
          return direction === 'backward' ? rows.reverse() : rows;
        }),
      );
    };
  };

  const assemble = (meter: Meter): Evaluate => {
    const count = countAll && meter.each('count', countAll.run, () => 1);
    const collect = assembleCollect(meter);
    const sort = sorter && meter.each('sort', sorter, lengthOf);
    const cut = meter.each('limit', sliceOf, lengthOf);
    const projectAll =
      project &&
      meter.each(
        'project',
        (frame: Frame, rows: readonly Value[]) => mapInOrder(rows, (row) => project(frame.within(row))),
        lengthOf,
      );
    const leaveOut = omit && meter.each('omit', omit, lengthOf);
    const follow = fetch && meter.each('fetch', fetch, lengthOf);

    const collectAndShape = (frame: Frame): PromiseOrValue<Value> =>
      andThen(limit(frame), (most) =>
        andThen(start(frame), (skip = 0) =>
          andThen(collect(frame, skip, most), (rows) =>
            andThen(sort === undefined ? rows : sort(frame, rows, most && skip + most), (sorted) =>
              andThen(skip === 0 && most === undefined ? sorted : cut(sorted, skip, most), (slice) => {
                const chosen = most === 0 ? [] : dropsMissing ? slice.filter((row) => row !== undefined) : slice;
                return andThen(projectAll === undefined ? chosen : projectAll(frame, chosen), (values) =>
                  andThen(leaveOut === undefined ? values : leaveOut(frame, values), (shown) =>
                    andThen(follow === undefined ? shown : follow(frame, shown), (fetched) =>
                      answerSelected(fetched, select),
                    ),
                  ),
                );
              }),
            ),
          ),
        ),
      );
    if (countAll === undefined || count === undefined) return collectAndShape;
    return (frame) =>
      andThen(countAll.applies(frame) ? count(frame) : undefined, (counted) => counted ?? collectAndShape(frame));
  };

  return {
    run: (meter) => {
      const run = compileVersion(select.version, compiler, assemble(meter));
      return compileTimeout(select.timeout, compiler, run, 'strict');
    },
    plan: (frame, nested) => compileSelectPlan(select, source, countAll, compiler)(frame, nested),
  };
}

/** In order, a few rows more are read at once than are wanted: for the one that ends the walk, and for those that a condition turns down. */
const MARGIN = 16;

/** The rows that meet the condition, separated and grouped; no more than are asked for, if they come in the order in which they will be. */
type Collect = (frame: Frame, skip: number, most: number | undefined) => PromiseOrValue<Value[]>;

function lengthOf({ length }: readonly unknown[]): number {
  return length;
}

/** What a stage takes in, it hands on later. */
const nothingYet = (): number => 0;

const addRow = (group: Grouping, row: Value) => group.add(row);
const finishGroups = (group: Grouping) => group.finish();

function sliceOf(rows: readonly Value[], skip: number, most: number | undefined): Value[] {
  return rows.slice(skip, most && skip + most);
}

/** Whether rows are taken as they come from one table. */
function isPlainScan({ from, order, group, split }: Select): boolean {
  return from.length === 1 && from[0]?.kind === 'table' && !order && !group && !split;
}
