/** What the plans of statements that change records share. */
import type { Expression } from '../../language/ast.js';
import { printExpression } from '../../language/print.js';
import type { PlanNode } from '../../plan/query-plan.js';
import type { Written } from '../execution.js';

export function writeNode(operator: string, targets: readonly Expression[], from?: PlanNode): PlanNode {
  const attributes = { targets: targets.map((target) => printExpression(target)).join(', ') };
  return { operator, stage: 'write', attributes, children: from === undefined ? [] : [from] };
}

/** How many records were changed; some may not be. */
export function countWritten(written: readonly (Written | undefined)[]): number {
  return written.reduce((count, each) => (each === undefined ? count : count + 1), 0);
}
