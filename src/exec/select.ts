/**
 * SELECT. The stages, in this order: rows of the targets → WHERE → SPLIT → GROUP → ORDER → START, LIMIT → projection → FETCH → OMIT →
 * ONLY. Without SPLIT, GROUP and ORDER the stages run row by row and stop at the limit.
 */
import { andThen, forEachInOrder, mapInOrder, type PromiseOrValue } from '../base/promise-or-value.js';
import { failure } from '../errors/error.js';
import type { Expression, Select } from '../language/ast.js';
import { toText } from '../value/text/text.js';
import { isTruthy } from '../value/truthiness.js';
import type { Value } from '../value/value.js';
import { compileCountAll } from './count-all.js';
import type { Compiler, Evaluate, Frame } from './execution.js';
import { compileFetch } from './fetch.js';
import { compileGroup, type Grouping } from './group.js';
import { notSupported } from './not-supported.js';
import { compileOmit } from './omit.js';
import { answer } from './only.js';
import { compileOrder, type Sorter } from './order.js';
import { compileProjections } from './projection.js';
import { RowSource } from './select-source.js';
import { compileSplit } from './split.js';
import { compileTargets } from './targets.js';
import { compileTimeout } from './timeout.js';

export function compileSelect(select: Select, compiler: Compiler): Evaluate {
  if (select.explain !== undefined) return notSupported('EXPLAIN');
  if (select.version !== undefined) return notSupported('VERSION');
  const targets = compileTargets(select.from, compiler);
  const source = new RowSource(compiler, select);
  const where = select.where && compiler.expression(select.where);
  const split = select.split && compileSplit(select.split, compiler);
  const grouping = select.group && compileGroup(select.group, select.projections, compiler);
  const sorter = select.order && compileOrder(select.order, grouping ? undefined : select.projections, compiler);
  const project = grouping ? undefined : compileProjections(select.projections, compiler);
  const limit = compileCount(select.limit, compiler);
  const start = compileCount(select.start, compiler);
  const fetch = select.fetch && compileFetch(select.fetch, compiler);
  const omit = select.omit && compileOmit(select.omit, compiler);

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
    andThen(start(frame), (skip = 0) =>
      andThen(limit(frame), (most) =>
        andThen(collect(frame, skip, most), (rows) =>
          andThen(sort(frame, sorter, rows), (sorted) => {
            const slice = skip === 0 && most === undefined ? sorted : sorted.slice(skip, most && skip + most);
            const chosen = most === 0 ? [] : slice;
            const projected = project === undefined ? chosen : mapInOrder(chosen, (row) => project(frame.within(row)));
            return andThen(projected, (values) =>
              andThen(fetch === undefined ? values : fetch(frame, values), (fetched) =>
                andThen(omit === undefined ? fetched : omit(frame, fetched), (shown) => answer(shown, select.only)),
              ),
            );
          }),
        ),
      ),
    );
  return compileTimeout(select.timeout, compiler, run);
}

function sort(frame: Frame, sorter: Sorter | undefined, rows: Value[]): PromiseOrValue<Value[]> {
  return sorter === undefined ? rows : sorter(frame, rows);
}

/** LIMIT and START take whole numbers from zero. */
function compileCount(
  expression: Expression | undefined,
  compiler: Compiler,
): (frame: Frame) => PromiseOrValue<number | undefined> {
  if (expression === undefined) return () => undefined;
  const evaluate = compiler.expression(expression);
  return (frame) =>
    andThen(evaluate(frame), (value) => {
      if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value;
      throw failure('invalid_count', { value: toText(value) });
    });
}
