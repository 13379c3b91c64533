/**
 * SELECT. The stages, in this order: rows of the targets → WHERE → SPLIT → GROUP → ORDER → START, LIMIT → projection → OMIT → FETCH →
 * ONLY. Without SPLIT, GROUP and ORDER the stages run row by row and stop at the limit.
 */
import { andThen, forEachInOrder, mapInOrder, type PromiseOrValue } from '../base/promise-or-value.js';
import type { Select } from '../language/ast.js';
import { isTruthy } from '../value/truthiness.js';
import type { Value } from '../value/value.js';
import { compileCount } from './count.js';
import { compileCountAll } from './count-all.js';
import type { Compiler, Evaluate, Frame } from './execution.js';
import { compileFetch } from './fetch.js';
import { compileGroup, type Grouping } from './group.js';
import { notSupported } from './not-supported.js';
import { compileOmit } from './omit.js';
import { answerSelected } from './only.js';
import { compileOrder, type Sorter } from './order.js';
import { compileProjections, isPlain } from './projection.js';
import { RowSource } from './select-source.js';
import { compileSplit } from './split.js';
import { compileSources } from './targets.js';
import { compileTimeout } from './timeout.js';
import { compileVersion } from './version.js';

export function compileSelect(select: Select, compiler: Compiler): Evaluate {
  if (select.explain !== undefined) return notSupported('EXPLAIN');
  const targets = compileSources(select.from, compiler);
  const source = new RowSource(compiler, select);
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
  const omit = select.projections.kind === 'fields' && select.omit && compileOmit(select.omit, compiler);

  const collect = (frame: Frame, skip: number, most: number | undefined): PromiseOrValue<Value[]> => {
    const rows: Value[] = [];
    const enough = most === undefined || split || grouping || sorter ? undefined : skip + most;
    const group: Grouping | undefined = grouping?.begin(frame);
    const take = (row: Value): PromiseOrValue<boolean> => {
      if (group !== undefined) return andThen(group.add(row), () => false);
      rows.push(row);
      return rows.length === enough;
    };
    const admit = (row: Value): PromiseOrValue<boolean> => {
      if (split === undefined) return take(row);
      return andThen(split(frame, row), (parts) => andThen(forEachInOrder(parts, take), () => false));
    };
    if (enough === 0) return rows;
    const walked = andThen(targets(frame), (found) =>
      source.walk(frame, found, 'select', where === undefined ? enough : undefined, (batch) => {
        let over = false;
        const done = forEachInOrder(batch, (row) =>
          andThen(where === undefined ? true : where(frame.within(row)), (verdict) => {
            if (where !== undefined && !isTruthy(verdict)) return undefined;
            return andThen(admit(row), (stop) => {
              over = stop;
              return stop;
            });
          }),
        );
        return andThen(done, () => over);
      }),
    );
    return andThen(walked, () => (group === undefined ? rows : group.finish()));
  };

  const countAll = compileCountAll(select);
  const run = (frame: Frame): PromiseOrValue<Value> =>
    andThen(countAll?.(frame), (counted) => counted ?? collectAndShape(frame));
  const collectAndShape = (frame: Frame): PromiseOrValue<Value> =>
    andThen(limit(frame), (most) =>
      andThen(start(frame), (skip = 0) =>
        andThen(collect(frame, skip, most), (rows) =>
          andThen(sort(frame, sorter, rows), (sorted) => {
            const slice = skip === 0 && most === undefined ? sorted : sorted.slice(skip, most && skip + most);
            const chosen = most === 0 ? [] : dropsMissing ? slice.filter((row) => row !== undefined) : slice;
            const projected = project === undefined ? chosen : mapInOrder(chosen, (row) => project(frame.within(row)));
            return andThen(projected, (values) =>
              andThen(omit ? omit(frame, values) : values, (shown) =>
                andThen(fetch === undefined ? shown : fetch(frame, shown), (fetched) =>
                  answerSelected(fetched, select),
                ),
              ),
            );
          }),
        ),
      ),
    );
  return compileTimeout(select.timeout, compiler, compileVersion(select.version, compiler, run), 'strict');
}

/** Whether rows are taken as they come from one table. */
function isPlainScan({ from, order, group, split }: Select): boolean {
  return from.length === 1 && from[0]?.kind === 'table' && !order && !group && !split;
}

function sort(frame: Frame, sorter: Sorter | undefined, rows: Value[]): PromiseOrValue<Value[]> {
  return sorter === undefined ? rows : sorter(frame, rows);
}
