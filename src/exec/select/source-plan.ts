/** How a statement's plan shows where its rows come from. */
import { andThen, mapInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Expression, RecordIdLiteral } from '../../language/ast.js';
import { printExpression } from '../../language/print.js';
import { accessNode, permittedScan } from '../../plan/access-node.js';
import type { PlanNode } from '../../plan/query-plan.js';
import { toText } from '../../value/text/text.js';
import type { Compiler, Execution, Frame, Purpose } from '../execution.js';
import type { PlanOf } from '../explain/planned.js';
import { compileSources, type Target } from '../targets.js';
import type { RowSource } from './source.js';

/** The step that finds the rows of the targets: one of its own for each, and one around them where they are several. */
export function compileSourcePlan(
  targets: readonly Expression[],
  source: RowSource,
  purpose: Purpose,
  compiler: Compiler,
): (frame: Frame, nested: PlanOf) => PromiseOrValue<PlanNode> {
  return (frame, nested) => {
    const nodes = mapInOrder(targets, (target): PromiseOrValue<PlanNode> => {
      if (target.kind === 'subquery') {
        return andThen(nested(target.statement), (child) => ({ operator: 'Subquery', children: [child] }));
      }
      if (target.kind === 'record-id') return recordNode(target);
      const values: PlanNode = { operator: 'Values', attributes: { expression: printExpression(target) } };
      // Whatever else it is, finding out might do something.
      if (target.kind !== 'table' && target.kind !== 'param') return values;
      return andThen(compileSources([target], compiler)(frame), ([first, ...others]) =>
        first === undefined || others.length > 0
          ? values
          : andThen(targetNode(frame.execution, first, source, purpose), (node) => node ?? values),
      );
    });
    return andThen(nodes, (all) => {
      const [only, ...others] = all;
      return only !== undefined && others.length === 0
        ? { ...only, stage: 'source' }
        : { operator: 'Union', stage: 'source', children: all };
    });
  };
}

function recordNode(target: RecordIdLiteral): PlanNode {
  const { table, key } = target;
  const id = printExpression(target);
  return key.kind === 'key-range'
    ? { operator: 'RangeScan', attributes: { table, range: id } }
    : { operator: 'RecordLookup', attributes: { table, id } };
}

function targetNode(
  execution: Execution,
  target: Target,
  source: RowSource,
  purpose: Purpose,
): PromiseOrValue<PlanNode | undefined> {
  switch (target.kind) {
    case 'value':
      return undefined;
    case 'record':
      return { operator: 'RecordLookup', attributes: { table: target.id.table, id: toText(target.id) } };
    case 'range':
      return { operator: 'RangeScan', attributes: { table: target.id.table, range: toText(target.id) } };
    case 'table':
      return tableNode(execution, target.table, source, purpose);
  }
}

function tableNode(execution: Execution, table: string, source: RowSource, purpose: Purpose): PromiseOrValue<PlanNode> {
  const isChecked = execution.checks.view || execution.checks.edit;
  return andThen(execution.unit.catalog(), (catalog) => {
    const entry = catalog?.tables.get(table);
    if (entry === undefined) return { operator: 'TableScan', attributes: { table } };
    // Not even the names of its indexes are told of a table of which nothing may be seen.
    if (isChecked && entry.definition.permissions.select.kind === 'none') return permittedScan(table);
    return accessNode(source.pathOf(entry, execution, purpose), isChecked);
  });
}
