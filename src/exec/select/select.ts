/**
 * SELECT. The stages, in this order: rows of the targets → WHERE → SPLIT → GROUP → ORDER → START, LIMIT → projection → OMIT → FETCH →
 * ONLY. Without SPLIT, GROUP and ORDER the stages run row by row and stop at the limit.
 */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Select } from '../../language/ast.js';
import { mayWrite } from '../../plan/effects.js';
import { fieldsSelected } from '../../plan/fields-read.js';
import type { Value } from '../../value/value.js';
import type { Compiler, Evaluate, Frame } from '../execution.js';
import { type Meter, UNMEASURED } from '../explain/meter.js';
import type { Planned } from '../explain/planned.js';
import { mapInTurns } from '../pace.js';
import type { ChargeRows } from '../request-memory.js';
import { rowFrames } from '../row-frames.js';
import { scopedIfMade } from '../scoped.js';
import { compileTimeout } from '../timeout.js';
import { compileVersion } from '../version.js';
import { compileCollect } from './collect.js';
import { compileCount } from './count.js';
import { compileCountAll } from './count-all.js';
import { compileFetch } from './fetch.js';
import { compileOmit } from './omit.js';
import { compileOneRecord } from './one-record.js';
import { answerSelected } from './only.js';
import { orderHint } from './order-by-path.js';
import { compileSelectPlan } from './plan.js';
import { compileProjections, expressionsOf, isPlain, isWhole } from './projection.js';
import { RowSource } from './source.js';

export function planSelect(select: Select, compiler: Compiler): Planned {
  const order = orderHint(select);
  const source = new RowSource(compiler, {
    where: select.where,
    with: select.with,
    order,
    fields: fieldsSelected(select),
    writes: mayWrite(select),
  });
  const assembleCollect = compileCollect(select, source, order, compiler);
  const project = select.group
    ? undefined
    : scopedIfMade(compileProjections(select.projections, compiler), expressionsOf(select.projections));
  const frames = rowFrames(expressionsOf(select.projections));
  const isRemade = !isWhole(select.projections);
  // A list may name records that aren't there: rows without fields, of which nothing is shown where nothing but fields is asked for.
  const dropsMissing = isPlain(select.projections) && select.from.some(({ kind }) => kind !== 'table');
  const counted = select.limit !== undefined && isPlainScan(select) ? 'LIMIT/START' : undefined;
  const limit = compileCount(counted ?? 'LIMIT', select.limit, compiler);
  const start = compileCount(counted ?? 'START', select.start, compiler);
  const fetch = select.fetch && compileFetch(select.fetch, compiler);
  // A single value has no fields to leave out.
  const omit = select.projections.kind === 'fields' && select.omit ? compileOmit(select.omit, compiler) : undefined;
  const countAll = compileCountAll(select, source);
  const oneRecord = compileOneRecord(select, source, isWhole(select.projections) ? undefined : project, compiler);

  const assemble = (meter: Meter): Evaluate => {
    const count = countAll && meter.each('count', countAll.run, () => 1);
    const collect = assembleCollect(meter);
    const cut = meter.each('limit', sliceOf, lengthOf);
    const projectAll =
      project &&
      meter.each(
        'project',
        (frame: Frame, rows: readonly Value[]) => {
          const at = frames(frame);
          return mapInTurns(frame.execution, rows, (row) => project(at(row)), isRemade ? charge(frame) : undefined);
        },
        lengthOf,
      );
    const leaveOut = omit && meter.each('omit', omit, lengthOf);
    const follow = fetch && meter.each('fetch', fetch, lengthOf);

    const collectAndShape = (frame: Frame): PromiseOrValue<Value> =>
      andThen(limit(frame), (most) =>
        andThen(start(frame), (skip = 0) =>
          andThen(collect(frame, skip, most), (rows) =>
            andThen(skip === 0 && most === undefined ? rows : cut(rows, skip, most), (slice) => {
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
      );
    if (count === undefined) return collectAndShape;
    return (frame) => andThen(count(frame), (counted) => counted ?? collectAndShape(frame));
  };

  return {
    run: (meter) => {
      const all = assemble(meter);
      // What is measured goes through the stages that it is measured by.
      const chosen = oneRecord === undefined || meter !== UNMEASURED ? all : oneRecord(all);
      const run = compileVersion(select.version, compiler, chosen);
      return compileTimeout(select.timeout, compiler, run, 'strict');
    },
    plan: (frame, nested) => compileSelectPlan(select, source, countAll, compiler)(frame, nested),
  };
}

/** Charges the objects that are made of rows. */
function charge({ execution }: Frame): ChargeRows {
  return (rows) => execution.memory.chargeCopies(rows);
}

function lengthOf({ length }: readonly unknown[]): number {
  return length;
}

function sliceOf(rows: readonly Value[], skip: number, most: number | undefined): Value[] {
  return rows.slice(skip, most && skip + most);
}

/** Whether rows are taken as they come from one table. */
function isPlainScan({ from, order, group, split }: Select): boolean {
  return from.length === 1 && from[0]?.kind === 'table' && !order && !group && !split;
}
