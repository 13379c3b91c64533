/** The operator of projections. */
import { andThen } from '../../../base/promise-or-value.js';
import { mapItems } from '../../../base/work/loops.js';
import { onlyLook } from '../../../plan/effects.js';
import type { Project } from '../../../plan/nodes.js';
import { expressionsOf, isWhole } from '../../../plan/projections.js';
import { mapRowsTogether } from '../../../runtime/concurrent-reads.js';
import type { Frame } from '../../../runtime/frame.js';
import type { ChargeRows } from '../../../runtime/request-memory.js';
import { rowFrames } from '../../../runtime/row-frames.js';
import { scopedIfMade } from '../../../runtime/scoped.js';
import type { List, OperatorContext } from '../operator.js';
import { compileProjections } from './projections.js';

/** Applies the projections to each row. */
export function compileProject(node: Project, context: OperatorContext): List {
  const { projections, skipsMissing, input: below } = node;
  const expressions = expressionsOf(projections);
  const evaluate = compileProjections(projections, context.compiler);
  const project = scopedIfMade(evaluate, expressions);
  const isRemade = !isWhole(projections);
  const frames = rowFrames(expressions);
  const input = context.list(below);
  if (!isRemade && !skipsMissing) return input;
  return (frame, demand) =>
    andThen(input(frame, demand), (rows) => {
      const there = skipsMissing ? rows.filter((row) => row !== undefined) : rows;
      if (!isRemade) return there;
      if (frame.execution.context.answersLater && !context.reading.writes && onlyLook(expressions)) {
        return mapRowsTogether(frame.execution, there, (row) => evaluate(frame.within(row)), charge(frame));
      }
      const at = frames(frame);
      return mapItems(there, frame.execution.interrupt, (row) => project(at(row)), charge(frame));
    });
}

/** Charges the objects that are made of rows. */
function charge({ execution }: Frame): ChargeRows {
  return (rows) => execution.request.memory.chargeCopies(rows);
}
