/** Statements that can tell how they run. */
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import type { Statement } from '../../language/ast.js';
import type { PlanNode } from '../../plan/query-plan.js';
import type { Evaluate, Frame } from '../execution.js';
import type { Meter } from './meter.js';

/** A statement made ready. What runs and what is told of it are made of the same parts. */
export interface Planned {
  /** Puts the parts together; those that belong to a stage of the plan go through the meter. */
  run(meter: Meter): Evaluate;
  plan(frame: Frame, nested: PlanOf): PromiseOrValue<PlanNode>;
}

/** The plan of a statement inside of another. */
export type PlanOf = (statement: Statement) => PromiseOrValue<PlanNode>;
