/** The columns of GROUP: a key, an expression over aggregates, or the list of the values. */
import { andThen, forEachInOrder, mapInOrder, type PromiseOrValue } from '../../../base/promise-or-value.js';
import type { ErrorCode } from '../../../errors/catalogue.js';
import { failure, TesseraError } from '../../../errors/error.js';
import { type Accumulator, type Aggregate, findAggregate } from '../../../functions/aggregates.js';
import type { Call, Expression, Idiom, Projections } from '../../../language/ast.js';
import { fieldNameOf } from '../../../language/field-name-of.js';
import { printExpression } from '../../../language/print.js';
import { transformExpression } from '../../../language/visitor.js';
import { type Compiler, type Evaluate, Frame } from '../../../runtime/frame.js';
import type { RequestMemory } from '../../../runtime/request-memory.js';
import { Scope } from '../../../runtime/scope.js';
import { scopedIfMade } from '../../../runtime/scoped.js';
import { isObject, type MutableObject, type Value } from '../../../value/value.js';
import { fieldReader } from '../../expression/field-reader.js';
import { ExecutionFunctionContext } from '../../expression/function-context.js';
import { projectionPath } from '../../expression/projection-name.js';

/** The accumulation of a projection over rows, and its result for a finished group. */
export interface GroupedColumn {
  readonly path: readonly string[];
  /** Whether a group keeps values of its rows. */
  readonly keeps: boolean;
  begin(frame: Frame): GroupedColumnState;
}

/** A column of one group. */
export interface GroupedColumnState {
  /** `at` gives the frame of a row. */
  add(rows: readonly Value[], at: (row: Value) => Frame): PromiseOrValue<void>;
  /** `frame` has the keys of the group as its document. */
  finish(frame: Frame): PromiseOrValue<Value>;
}

/** A key of the groups. */
export interface GroupKey {
  readonly expression: Expression;
  readonly text: string;
  readonly path: readonly string[];
  readonly evaluateRow: EvaluateRow;
}

/** The value of an expression for a row, of which `at` gives the frame. */
type EvaluateRow = (row: Value, at: (row: Value) => Frame) => PromiseOrValue<Value>;

const nothing = (): undefined => undefined;

/** A key may name a projection by its alias; otherwise it is a path in the row. */
export function compileKey(path: Idiom, projections: Projections, compiler: Compiler): GroupKey {
  const text = printExpression(path);
  const items = projections.kind === 'fields' ? projections.items : [];
  for (const item of items) {
    if (item.kind === 'expression' && item.alias !== undefined && printExpression(item.alias) === text) {
      const { expression } = item;
      return { expression, text, path: projectionPath(item), evaluateRow: compileValue(expression, compiler) };
    }
  }
  return {
    expression: path,
    text,
    path: projectionPath({ expression: path }),
    evaluateRow: compileValue(path, compiler),
  };
}

/**
 * The columns of the projections: keys, aggregates, and lists of values.
 * @throws TesseraError `group_all_fields`, `aggregate_nested`
 */
export function compileColumns(
  projections: Projections,
  keys: readonly GroupKey[],
  compiler: Compiler,
): GroupedColumn[] {
  const items = projections.kind === 'value' ? [{ ...projections, kind: 'expression' as const }] : projections.items;
  return items.map((item) => {
    if (item.kind === 'all') throw failure('group_all_fields');
    const path = projectionPath(item);
    const named = printExpression(item.alias ?? item.expression);
    const key =
      keys.find(({ text }) => text === named) ?? keys.find(({ text }) => text === printExpression(item.expression));
    if (key !== undefined) return keyColumn(path, key);
    return aggregateColumn(path, item.expression, compiler) ?? listColumn(path, item.expression, compiler);
  });
}

function keyColumn(path: readonly string[], key: GroupKey): GroupedColumn {
  const pick = (frame: Frame): Value => {
    let value: Value = frame.current;
    for (const name of key.path) value = (value as MutableObject | undefined)?.[name];
    return value;
  };
  return { path, keeps: false, begin: () => ({ add: () => undefined, finish: pick }) };
}

function listColumn(path: readonly string[], expression: Expression, compiler: Compiler): GroupedColumn {
  const evaluateRow = compileValue(expression, compiler);
  return {
    path,
    keeps: true,
    begin: ({ execution }) => {
      const values: Value[] = [];
      return {
        add: (rows, at) => {
          const before = values.length;
          const added = forEachInOrder(rows, (row) =>
            andThen(evaluateRow(row, at), (value) => {
              values.push(value);
              return undefined;
            }),
          );
          return andThen(added, () => execution.request.memory.chargeRows(values.slice(before)));
        },
        finish: () => values,
      };
    },
  };
}

/** Fields of rows need neither a frame nor care for errors. */
function compileValue(expression: Expression, compiler: Compiler): EvaluateRow {
  const evaluate = scopedIfMade(compiler.expression(expression), [expression]);
  const name = fieldNameOf(expression);
  if (name === undefined) return (row, at) => evaluated(evaluate, at(row));
  const field = fieldReader(name);
  return (row, at) => (isObject(row) ? field.read(row) : evaluated(evaluate, at(row)));
}

function evaluated(evaluate: Evaluate, frame: Frame): PromiseOrValue<Value> {
  try {
    const value = evaluate(frame);
    return value instanceof Promise ? value.catch(noneOf) : value;
  } catch (error) {
    return noneOf(error);
  }
}

/**
 * If an operator or a function rejects the value of a row, the result is NONE, as a key and in a list; every other
 * error ends the statement.
 */
function noneOf(error: unknown): Value {
  if (error instanceof TesseraError && UNFIT.has(error.code)) return undefined;
  throw error;
}

const UNFIT: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'cannot_add',
  'cannot_subtract',
  'cannot_multiply',
  'cannot_remainder',
  'cannot_raise',
  'cannot_negate',
  'invalid_arguments',
]);

interface AggregateCall {
  readonly path: string;
  readonly aggregate: Aggregate;
  readonly value: EvaluateRow | undefined;
  readonly rest: readonly EvaluateRow[];
}

/**
 * An expression with aggregates in it: they are taken out, accumulated, and put back as params when the group is
 * complete.
 */
function aggregateColumn(
  path: readonly string[],
  expression: Expression,
  compiler: Compiler,
): GroupedColumn | undefined {
  const calls: AggregateCall[] = [];
  const rewritten = transformExpression(expression, (each) => {
    const aggregate = aggregateOf(each);
    if (aggregate === undefined) return undefined;
    const { path, args } = each as Call;
    args.forEach(refuseNested);
    const [value, ...rest] = args.map((arg) => compileValue(listed(path, arg), compiler));
    calls.push({ path, aggregate, value, rest });
    return { kind: 'param', name: parameterName(calls.length - 1) };
  });
  if (calls.length === 0) return undefined;
  const evaluate = compiler.expression(rewritten);
  const keeps = calls.some(({ aggregate }) => aggregate.create([]).values !== undefined);
  return { path, keeps, begin: ({ execution }) => new AggregateState(calls, evaluate, execution.request.memory) };
}

class AggregateState implements GroupedColumnState {
  readonly #accumulators: (Accumulator | undefined)[] = [];

  constructor(
    private readonly calls: readonly AggregateCall[],
    private readonly evaluate: Evaluate,
    private readonly memory: RequestMemory,
  ) {}

  add(rows: readonly Value[], at: (row: Value) => Frame): PromiseOrValue<void> {
    return forEachInOrder(this.calls, (call, index) => andThen(this.#addTo(index, call, rows, at), nothing));
  }

  #addTo(
    index: number,
    { aggregate, value: evaluateRow, rest }: AggregateCall,
    rows: readonly Value[],
    at: (row: Value) => Frame,
  ): PromiseOrValue<void> {
    const begun = this.#accumulators[index];
    if (evaluateRow === undefined && begun?.addRows !== undefined) return begun.addRows(rows.length);
    const before = begun?.values?.length ?? 0;
    const added = forEachInOrder(rows, (row) => {
      const value = evaluateRow?.(row, at);
      const accumulator = this.#accumulators[index];
      if (accumulator !== undefined && rest.length === 0 && !(value instanceof Promise)) {
        accumulator.add(value, evaluateRow !== undefined);
        return undefined;
      }
      return andThen(value, (settled) =>
        andThen(
          mapInOrder(rest, (arg) => arg(row, at)),
          (args) => {
            const begun = this.#accumulators[index] ?? aggregate.create(args);
            this.#accumulators[index] = begun;
            begun.add(settled, evaluateRow !== undefined);
            return undefined;
          },
        ),
      );
    });
    return andThen(added, () => {
      const kept = this.#accumulators[index]?.values;
      if (kept !== undefined && kept.length > before) this.memory.chargeRows(kept.slice(before));
    });
  }

  finish(frame: Frame): PromiseOrValue<Value> {
    const { execution } = frame;
    const scope = new Scope(frame.scope);
    const context = new ExecutionFunctionContext(execution);
    const results = forEachInOrder(this.calls, (call, at) => {
      execution.services.functions?.check(call.path);
      return andThen((this.#accumulators[at] ?? call.aggregate.create([])).result(context), (value) => {
        scope.set(parameterName(at), value);
        return undefined;
      });
    });
    return andThen(results, () => this.evaluate(new Frame(execution, scope, frame.current, frame.parent)));
  }
}

function aggregateOf(expression: Expression): Aggregate | undefined {
  return expression.kind === 'call' ? findAggregate(expression.path) : undefined;
}

/**
 * An argument may itself be a call of an aggregate, which is then a function like others; further in there can be none.
 */
function refuseNested(arg: Expression): void {
  transformExpression(arg, (each) => {
    if (each !== arg && aggregateOf(each) !== undefined) throw failure('aggregate_nested');
    return undefined;
  });
}

const LISTING: ReadonlySet<string> = new Set(['array::distinct', 'array::group']);

/** The distinct values of a list of values are those of the values. */
function listed(path: string, arg: Expression): Expression {
  if (path !== 'array::distinct' || arg.kind !== 'call' || !LISTING.has(arg.path)) return arg;
  return arg.args[0] ?? arg;
}

/** No param of a query can have such a name. */
function parameterName(at: number): string {
  return `\0aggregate ${at}`;
}
