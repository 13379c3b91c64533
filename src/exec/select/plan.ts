/** The plan of a SELECT: its stages, from the last to the first. */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Expression, Idiom, Select } from '../../language/ast.js';
import { printExpression, printIdiom, printOrder, printProjections } from '../../language/print.js';
import type { PlanNode } from '../../plan/query-plan.js';
import type { Compiler } from '../execution.js';
import type { Planned } from '../explain/planned.js';
import { filtered } from '../write/change.js';
import type { CountAll } from './count-all.js';
import type { RowSource } from './source.js';
import { compileSourcePlan } from './source-plan.js';

export function compileSelectPlan(
  select: Select,
  source: RowSource,
  countAll: CountAll | undefined,
  compiler: Compiler,
): Planned['plan'] {
  const sourcePlan = compileSourcePlan(select.from, source, 'select', compiler);
  return (frame, nested): PromiseOrValue<PlanNode> => {
    const stages = (): PromiseOrValue<PlanNode> =>
      andThen(sourcePlan(frame, nested), (from) =>
        stagesOf(select).reduce<PlanNode>(
          (below, stage) => ({ ...stage, children: [below] }),
          filtered(from, select.where),
        ),
      );
    return andThen(countAll?.plan(frame), (counted) => counted ?? stages());
  };
}

/** The stages that follow the condition, in their order. */
function stagesOf(select: Select): PlanNode[] {
  const { projections, split, group, order, limit, start, omit, fetch } = select;
  const stages: PlanNode[] = [];
  const add = (stage: PlanNode['stage'] & string, operator: string, attributes: PlanNode['attributes'] = {}) =>
    stages.push({ operator, stage, attributes });
  if (split !== undefined) add('split', 'Split', { on: idioms(split) });
  if (group !== undefined) {
    add('group', 'Group', {
      by: group.kind === 'all' ? 'ALL' : idioms(group.paths),
      projections: printProjections(projections),
    });
  }
  if (order !== undefined) {
    const by = printOrder(order) ?? '';
    add('sort', limit === undefined ? 'Sort' : 'SortFirst', { by: by.replace('ORDER BY ', '') });
  }
  if (limit !== undefined || start !== undefined) {
    add('limit', 'Limit', {
      ...(limit && { limit: printExpression(limit) }),
      ...(start && { start: printExpression(start) }),
    });
  }
  if (group === undefined) add('project', 'Project', { projections: printProjections(projections) });
  if (omit !== undefined && projections.kind === 'fields') add('omit', 'Omit', { fields: expressions(omit) });
  if (fetch !== undefined) add('fetch', 'Fetch', { fields: expressions(fetch) });
  return stages;
}

function idioms(paths: readonly Idiom[]): string {
  return paths.map((path) => printIdiom(path)).join(', ');
}

function expressions(items: readonly Expression[]): string {
  return items.map((item) => printExpression(item)).join(', ');
}
