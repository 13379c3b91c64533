/** EXPLAIN, before a statement or as its last clause: the plan by which it runs, and with ANALYZE (or FULL) what running it took. */
import { andThen, mapInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Explain, ExplainClause, Expression, Statement } from '../../language/ast.js';
import { printExpression } from '../../language/print.js';
import { type Measured, type PlanNode, planText, planValue } from '../../plan/query-plan.js';
import { isArray, type Value } from '../../value/value.js';
import type { Compiler, Evaluate, Execution, Frame } from '../execution.js';
import { planSelect } from '../select/select.js';
import { planDelete } from '../write/delete.js';
import { planUpdate } from '../write/update.js';
import { planUpsert } from '../write/upsert.js';
import { Stopwatch, UNMEASURED } from './meter.js';
import type { Planned, PlanOf } from './planned.js';

type Of<Kind extends Statement['kind']> = Extract<Statement, { readonly kind: Kind }>;

/** The statements that are made of steps. */
const PLANNERS: {
  readonly [K in 'select' | 'update' | 'upsert' | 'delete']: (statement: Of<K>, compiler: Compiler) => Planned;
} = { select: planSelect, update: planUpdate, upsert: planUpsert, delete: planDelete };

type Explainable = Of<keyof typeof PLANNERS>;

/** A statement that may end with EXPLAIN. */
export function compileExplainable(statement: Explainable, compiler: Compiler): Evaluate {
  const { explain } = statement;
  if (explain !== undefined) return answerPlan(statement, FORMS[explain], compiler);
  return planOf(statement, compiler).run(UNMEASURED);
}

/** What the clause stands for. */
const FORMS: Readonly<Record<ExplainClause, Form>> = {
  plan: { analyze: false, format: 'json' },
  full: { analyze: true, format: 'json' },
};

interface Form {
  readonly analyze: boolean;
  readonly format: 'text' | 'json';
}

export function compileExplain({ statement, analyze, format = 'text' }: Explain, compiler: Compiler): Evaluate {
  return answerPlan(statement, { analyze, format }, compiler);
}

/** The answer is the plan; ANALYZE runs the statement, with all that it does, and tells what was measured instead of its answer. */
function answerPlan(statement: Statement, { analyze, format }: Form, compiler: Compiler): Evaluate {
  const planned = planOf(statement, compiler);
  const print = format === 'text' ? planText : planValue;
  const plan = (frame: Frame): PromiseOrValue<PlanNode> => {
    const nested: PlanOf = (inner) => planOf(inner, compiler).plan(frame, nested);
    return planned.plan(frame, nested);
  };
  if (!analyze) return (frame) => andThen(plan(frame), (node): Value => print(node));
  return (frame) =>
    andThen(plan(frame), (node) => {
      const watch = new Stopwatch(frame.execution.environment.clock);
      return andThen(planned.run(watch)(frame), (answer): Value => {
        const of = toldOf(frame.execution, statement, watch);
        return print(node, { totalRows: rowsOf(answer), of });
      });
    });
}

/**
 * Those who are subject to permissions are told how many of the rows that they see a stage of a SELECT has handed on. How long it took would
 * tell of the rows that they don't see, and so would what a statement has found to change.
 */
function toldOf({ checks }: Execution, { kind }: Statement, watch: Stopwatch): Measured['of'] {
  if (!checks.view && !checks.edit) return (stage) => watch.of(stage);
  return (stage) => (kind === 'select' ? { rows: watch.of(stage).rows } : undefined);
}

function rowsOf(answer: Value): number {
  if (isArray(answer)) return answer.length;
  return answer === undefined ? 0 : 1;
}

function planOf(statement: Statement, compiler: Compiler): Planned {
  if (isExplainable(statement)) {
    const planner = PLANNERS[statement.kind] as (statement: Explainable, compiler: Compiler) => Planned;
    return planner(statement, compiler);
  }
  return {
    run: (meter) => meter.each('whole', compiler.statement(statement), rowsOf),
    plan: (_, nested) =>
      andThen(
        wholeNode(statement, nested),
        (node): PlanNode => ({ operator: operatorOf(statement), ...node, stage: 'whole' }),
      ),
  };
}

function isExplainable(statement: Statement): statement is Explainable {
  return Object.hasOwn(PLANNERS, statement.kind);
}

/** `define-table` is called `DefineTable`. */
function operatorOf({ kind }: Statement): string {
  return kind.replace(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase());
}

type Details = Partial<PlanNode>;

/** What is told of the statements that are one step, or whose steps are statements. */
const DETAILS: {
  readonly [K in Statement['kind']]?: (statement: Of<K>, nested: PlanOf) => PromiseOrValue<Details>;
} = {
  expression: ({ expression }, nested) => expressionNode(expression, nested),
  return: ({ value }, nested) => over(value, nested),
  throw: ({ value }, nested) => over(value, nested),
  let: ({ name, value }, nested) =>
    andThen(over(value, nested), (node) => ({ ...node, attributes: { name: `$${name}` } })),
  for: ({ variable, over, body }, nested) =>
    andThen(mapInOrder(body.statements, nested), (children) => ({
      attributes: { variable: `$${variable}`, over: printExpression(over) },
      children,
    })),
  explain: ({ statement }, nested) => andThen(nested(statement), (child) => ({ children: [child] })),
  create: ({ targets }) => ({ attributes: { targets: targets.map((target) => printExpression(target)).join(', ') } }),
  insert: ({ into }) => (into === undefined ? {} : { attributes: { into: printExpression(into) } }),
  relate: ({ from, edge, to }) => ({
    attributes: { from: printExpression(from), edge: printExpression(edge), to: printExpression(to) },
  }),
};

function wholeNode(statement: Statement, nested: PlanOf): PromiseOrValue<Details> {
  const details = DETAILS[statement.kind] as
    | ((statement: Statement, nested: PlanOf) => PromiseOrValue<Details>)
    | undefined;
  return details === undefined ? {} : details(statement, nested);
}

function over(expression: Expression, nested: PlanOf): PromiseOrValue<Details> {
  return andThen(expressionNode(expression, nested), (child) => ({ children: [child] }));
}

function expressionNode(expression: Expression, nested: PlanOf): PromiseOrValue<PlanNode> {
  if (expression.kind === 'subquery') return nested(expression.statement);
  if (expression.kind === 'block') {
    return andThen(mapInOrder(expression.statements, nested), (children) => ({ operator: 'Block', children }));
  }
  return { operator: 'Expression', attributes: { expression: printExpression(expression) } };
}
