/**
 * EXPLAIN, before a statement or as its last clause: its plan, and with ANALYZE (or FULL) the measurements of
 * running it.
 */
import { Derived } from '../../base/derived.js';
import { mapInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Explain, ExplainClause, Expression, Name, Select, Statement } from '../../language/ast.js';
import { printExpression } from '../../language/print.js';
import { bindLive } from '../../plan/bind-change.js';
import { bindViewBuild, bindViewChanges } from '../../plan/bind-view.js';
import { type Describing, describe } from '../../plan/describe.js';
import type { PlanTree } from '../../plan/nodes.js';
import { type Measured, type PlanNode, planText, planValue } from '../../plan/query-plan.js';
import { type Meter, Stopwatch } from '../../query/operators/stopwatch.js';
import type { FirstReads } from '../../query/prefetch/first-reads.js';
import type { Plan } from '../../query/statement/prepared.js';
import { planSelect } from '../../query/statement/select.js';
import type { Execution } from '../../runtime/execution.js';
import type { Compiler, Evaluate, Frame } from '../../runtime/frame.js';
import type { Prefetch } from '../../storage/contract.js';
import { isArray, type Value } from '../../value/value.js';
import { planDelete } from '../write/delete.js';
import { planUpdate } from '../write/update.js';
import { planUpsert } from '../write/upsert.js';
import { readsOfWrite } from '../write/write-reads.js';
import { dependenciesOf } from './dependencies.js';

type Of<Kind extends Statement['kind']> = Extract<Statement, { readonly kind: Kind }>;

/** A statement that has a plan. */
interface Planned {
  readonly run: Evaluate;
  firstReads: FirstReads;
  plan(frame: Frame): PromiseOrValue<Pick<Plan<PlanTree>, 'tree' | 'measured'>>;
}

/** The statements with plans of steps. */
const PLANNERS: {
  readonly [K in 'select' | 'update' | 'upsert' | 'delete']: (statement: Of<K>, compiler: Compiler) => Planned;
} = { select: planSelect, update: planUpdate, upsert: planUpsert, delete: planDelete };

type Explainable = Of<keyof typeof PLANNERS>;

/** A statement that may end with EXPLAIN. */
export function compileExplainable(statement: Explainable, compiler: Compiler): Evaluate {
  const { explain } = statement;
  if (explain !== undefined) return answerPlan(statement, FORMS[explain], compiler);
  return plannerOf(statement)(statement, compiler).run;
}

/** The first reads of a statement; none if unknown. */
export function firstReadsOf(statement: Statement, compiler: Compiler): FirstReads {
  let firstReads = firstReadsOfStatements.get(statement);
  if (firstReads === undefined) {
    const isPlanned = isExplainable(statement) && statement.explain === undefined;
    const planned = isPlanned ? plannerOf(statement)(statement, compiler) : undefined;
    const named = readsOfWrite(statement, compiler);
    firstReads = async (frame, likely) => {
      const found = await (planned?.firstReads(frame, likely) ?? {});
      const written = await (named?.(frame, likely) ?? {});
      return both(found, written);
    };
    firstReadsOfStatements.set(statement, firstReads);
  }
  return firstReads;
}

function both(one: Prefetch, other: Prefetch): Prefetch {
  return {
    keys: [...(one.keys ?? []), ...(other.keys ?? [])],
    ranges: [...(one.ranges ?? []), ...(other.ranges ?? [])],
  };
}

/** Used for asynchronous stores only. */
const firstReadsOfStatements = new Derived<Statement, FirstReads>();

function plannerOf(statement: Explainable): (statement: Explainable, compiler: Compiler) => Planned {
  return PLANNERS[statement.kind] as (statement: Explainable, compiler: Compiler) => Planned;
}

/** The output format of each clause. */
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

/**
 * The result is the plan; ANALYZE runs the statement, with all its effects, and returns the measurements instead of its
 * answer.
 */
function answerPlan(statement: Statement, { analyze, format }: Form, compiler: Compiler): Evaluate {
  const explained = explainedOf(statement, compiler);
  const print = format === 'text' ? planText : planValue;
  if (!analyze) {
    return async (frame) => {
      const { node } = await explained(frame);
      const shown = await node;
      return print(shown);
    };
  }
  return async (frame) => {
    const { node, measured } = await explained(frame);
    const shown = await node;
    const watch = new Stopwatch(frame.execution.services.environment.clock);
    const answer = await measured(watch)(frame);
    const of = shownOf(frame.execution, statement, watch);
    return print(shown, { totalRows: rowsOf(answer), of });
  };
}

/** The plan of a statement for the current user and definitions. */
interface Explained {
  readonly node: PlanNode;
  measured(meter: Meter): Evaluate;
}

function explainedOf(statement: Statement, compiler: Compiler): (frame: Frame) => PromiseOrValue<Explained> {
  const nestedIn =
    (frame: Frame): PlanOf =>
    async (inner) => {
      const { node } = await explainedOf(inner, compiler)(frame);
      return node;
    };
  if (isExplainable(statement)) {
    const planned = plannerOf(statement)(statement, compiler);
    return async (frame) => {
      const plan = await planned.plan(frame);
      const folding = await foldingFor(frame.execution);
      return {
        node: await describe(plan.tree, { ...folding, nested: nestedIn(frame) }),
        measured: (meter) => plan.measured(meter),
      };
    };
  }
  const measured = (meter: Meter) => meter.each(statement, compiler.statement(statement), rowsOf);
  return async (frame) => {
    const node = await wholeNode(statement, nestedIn(frame), { execution: frame.execution, compiler });
    return { node: { operator: operatorOf(statement), ...node, of: statement }, measured };
  };
}

/**
 * Users subject to PERMISSIONS see neither the effect of these on the access path, nor the names of indexes if they
 * may see no record.
 */
async function foldingFor({ checks, context }: Execution): Promise<Folding> {
  if (!checks.view && !checks.edit) return UNFOLDED;
  const catalog = await context.catalog();
  return {
    folds: true,
    isClosed: (table) => catalog?.tables.get(table)?.definition.permissions.select.kind === 'none',
  };
}

/**
 * Users subject to permissions get the number of visible rows that each step of a SELECT returned. Times, and the
 * counts of statements that write, would reveal rows that they don't see.
 */
function shownOf({ checks }: Execution, { kind }: Statement, watch: Stopwatch): Measured['of'] {
  if (!checks.view && !checks.edit) return (step) => watch.of(step);
  return (step) => {
    const metrics = kind === 'select' ? watch.of(step) : undefined;
    return metrics && { rows: metrics.rows };
  };
}

function rowsOf(answer: Value): number {
  if (isArray(answer)) return answer.length;
  return answer === undefined ? 0 : 1;
}

function isExplainable(statement: Statement): statement is Explainable {
  return Object.hasOwn(PLANNERS, statement.kind);
}

/** `define-table` is called `DefineTable`. */
function operatorOf({ kind }: Statement): string {
  return kind.replace(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase());
}

type Details = Partial<PlanNode>;

interface Context {
  readonly execution: Execution;
  readonly compiler: Compiler;
}

/** The plan of a statement inside of another. */
type PlanOf = (statement: Statement) => PromiseOrValue<PlanNode>;

type Folding = Pick<Describing, 'folds' | 'isClosed'>;

const UNFOLDED: Folding = { folds: false, isClosed: () => false };

/** Details of statements that are one step, or whose steps are statements. */
const DETAILS: {
  readonly [K in Statement['kind']]?: (statement: Of<K>, nested: PlanOf, context: Context) => PromiseOrValue<Details>;
} = {
  expression: ({ expression }, nested) => expressionNode(expression, nested),
  return: ({ value }, nested) => over(value, nested),
  throw: ({ value }, nested) => over(value, nested),
  let: async ({ name, value }, nested) => {
    const node = await over(value, nested);
    return { ...node, attributes: { name: `$${name}` } };
  },
  for: async ({ variable, over, body }, nested) => {
    const children = await mapInOrder(body.statements, nested);
    return {
      attributes: { variable: `$${variable}`, over: printExpression(over) },
      children,
    };
  },
  explain: async ({ statement }, nested) => {
    const child = await nested(statement);
    return { children: [child] };
  },
  create: ({ targets }) => ({ attributes: { targets: targets.map((target) => printExpression(target)).join(', ') } }),
  // The plan of a live query for each change.
  live: (statement, nested, { compiler }) =>
    describe(bindLive(statement, compiler.tuning.rules), { ...UNFOLDED, nested }),
  'live-result': async ({ expression }, nested, { execution, compiler }) => {
    const child = await expressionNode(expression, nested);
    const dependencies = await dependenciesOf(expression, execution, compiler);
    return { ...(dependencies !== undefined && { attributes: { dependencies } }), children: [child] };
  },
  'define-table': (statement, nested, context) =>
    statement.view === undefined ? {} : viewNodes(statement.name, statement.view, nested, context),
  insert: ({ into }) => (into === undefined ? {} : { attributes: { into: printExpression(into) } }),
  relate: ({ from, edge, to }) => ({
    attributes: { from: printExpression(from), edge: printExpression(edge), to: printExpression(to) },
  }),
};

function wholeNode(statement: Statement, nested: PlanOf, context: Context): PromiseOrValue<Details> {
  const details = DETAILS[statement.kind] as
    | ((statement: Statement, nested: PlanOf, context: Context) => PromiseOrValue<Details>)
    | undefined;
  return details === undefined ? {} : details(statement, nested, context);
}

/** The plans that fill a view, and that maintain it with each change of its sources. */
async function viewNodes(name: Name, select: Select, nested: PlanOf, context: Context): Promise<Details> {
  const { execution, compiler } = context;
  const { rules } = compiler.tuning;
  const view = { name: typeof name === 'string' ? name : printExpression(name), view: select };
  const catalog = await execution.context.catalog();
  const folding = await foldingFor(execution);
  const trees = [...(catalog ? [bindViewBuild(view, catalog, rules)] : []), bindViewChanges(view, rules)];
  const children = await mapInOrder(trees, (tree) => describe(tree, { ...folding, nested }));
  return { children };
}

async function over(expression: Expression, nested: PlanOf): Promise<Details> {
  const child = await expressionNode(expression, nested);
  return { children: [child] };
}

async function expressionNode(expression: Expression, nested: PlanOf): Promise<PlanNode> {
  if (expression.kind === 'subquery') return nested(expression.statement);
  if (expression.kind === 'block') {
    const children = await mapInOrder(expression.statements, nested);
    return { operator: 'Block', children };
  }
  return { operator: 'Expression', attributes: { expression: printExpression(expression) } };
}
