/**
 * GROUP BY and GROUP ALL. Each projection is a key of the group, an expression over aggregate functions (`count()`, `math::sum(x) / 2`),
 * or anything else, which then gives the list of its values in the group.
 *
 * Aggregates accumulate row by row: a group never keeps its rows.
 */
import { andThen, forEachInOrder, mapInOrder, otherwise, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { ErrorCode } from '../../errors/catalogue.js';
import { failure, TesseraError } from '../../errors/error.js';
import { type Accumulator, type Aggregate, findAggregate } from '../../functions/aggregates.js';
import type { Call, Expression, Group, Idiom, Projections } from '../../language/ast.js';
import { printExpression } from '../../language/print.js';
import { transformExpression } from '../../language/visitor.js';
import { encodeOrder } from '../../value/key-codec.js';
import { type MutableObject, newObject, type Value } from '../../value/value.js';
import { type Compiler, type Evaluate, Frame, Scope } from '../execution.js';
import { projectionPath } from '../expression/projection-name.js';
import { writeAt } from './projection.js';

/** The groups of one run. */
export interface Grouping {
  add(row: Value): PromiseOrValue<void>;
  /** One row for each group, in the order of the keys. */
  finish(): PromiseOrValue<Value[]>;
}

export interface CompiledGroup {
  begin(frame: Frame): Grouping;
}

/** What a projection needs of each row, and what it makes of a finished group. */
interface Column {
  readonly path: readonly string[];
  begin(frame: Frame): ColumnState;
}

interface ColumnState {
  add(frame: Frame): PromiseOrValue<void>;
  /** `frame` has the keys of the group as its document. */
  finish(frame: Frame): PromiseOrValue<Value>;
}

interface Key {
  readonly text: string;
  readonly path: readonly string[];
  readonly evaluate: Evaluate;
}

export function compileGroup(group: Group, projections: Projections, compiler: Compiler): CompiledGroup {
  const keys = group.kind === 'all' ? [] : group.paths.map((path) => compileKey(path, projections, compiler));
  const columns = compileColumns(projections, keys, compiler);
  const single = projections.kind === 'value';
  return { begin: (frame) => new Groups(frame, keys, columns, single, group.kind === 'all') };
}

interface OneGroup {
  readonly values: readonly Value[];
  readonly columns: readonly ColumnState[];
}

const nothing = (): undefined => undefined;

class Groups implements Grouping {
  readonly #groups = new Map<string, OneGroup>();

  constructor(
    private readonly frame: Frame,
    private readonly keys: readonly Key[],
    private readonly columns: readonly Column[],
    private readonly single: boolean,
    all: boolean,
  ) {
    if (all) this.#groups.set('', this.#begin([]));
  }

  add(row: Value): PromiseOrValue<void> {
    const inner = this.frame.within(row);
    if (this.keys.length === 0) return this.#addTo('', [], inner);
    return andThen(
      mapInOrder(this.keys, (key) => otherwise(() => key.evaluate(inner), noneOf)),
      (values) => this.#addTo(values.map(encodeOrder).join(''), values, inner),
    );
  }

  #addTo(key: string, values: readonly Value[], inner: Frame): PromiseOrValue<void> {
    let group = this.#groups.get(key);
    if (group === undefined) {
      group = this.#begin(values);
      this.#groups.set(key, group);
    }
    return forEachInOrder(group.columns, (column) => andThen(column.add(inner), nothing));
  }

  finish(): PromiseOrValue<Value[]> {
    // Byte order of the encoded keys is the order of the values.
    const ordered = [...this.#groups.entries()].sort(([a], [b]) => (a < b ? -1 : 1));
    return mapInOrder(ordered, ([, group]) => this.#finishOne(group));
  }

  #begin(values: readonly Value[]): OneGroup {
    return { values, columns: this.columns.map((column) => column.begin(this.frame)) };
  }

  #finishOne(group: OneGroup): PromiseOrValue<Value> {
    const document: MutableObject = newObject();
    this.keys.forEach((key, at) => {
      writeAt(document, key.path, group.values[at]);
    });
    const inner = this.frame.within(document);
    return andThen(
      mapInOrder(group.columns, (column) => column.finish(inner)),
      (values): Value => {
        if (this.single) return values[0];
        const result = newObject();
        this.columns.forEach((column, at) => {
          writeAt(result, column.path, values[at]);
        });
        return result;
      },
    );
  }
}

/** A key may name a projection by its alias; otherwise it is a path in the row. */
function compileKey(path: Idiom, projections: Projections, compiler: Compiler): Key {
  const text = printExpression(path);
  const items = projections.kind === 'fields' ? projections.items : [];
  for (const item of items) {
    if (item.kind === 'expression' && item.alias !== undefined && printExpression(item.alias) === text) {
      return { text, path: projectionPath(item), evaluate: compiler.expression(item.expression) };
    }
  }
  return { text, path: projectionPath({ expression: path }), evaluate: compiler.expression(path) };
}

function compileColumns(projections: Projections, keys: readonly Key[], compiler: Compiler): Column[] {
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

function keyColumn(path: readonly string[], key: Key): Column {
  const pick = (frame: Frame): Value => {
    let value: Value = frame.current;
    for (const name of key.path) value = (value as MutableObject | undefined)?.[name];
    return value;
  };
  return { path, begin: () => ({ add: () => undefined, finish: pick }) };
}

function listColumn(path: readonly string[], expression: Expression, compiler: Compiler): Column {
  const evaluate = compiler.expression(expression);
  return {
    path,
    begin: () => {
      const values: Value[] = [];
      return {
        add: (frame) =>
          andThen(
            otherwise(() => evaluate(frame), noneOf),
            (value) => {
              values.push(value);
            },
          ),
        finish: () => values,
      };
    },
  };
}

/** What an operator or a function can't do with the value of one row is NONE, as a key and in a list; every other error ends the statement. */
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
  readonly args: readonly Evaluate[];
}

/** An expression with aggregates in it: they are taken out, accumulated, and put back as params when the group is complete. */
function aggregateColumn(path: readonly string[], expression: Expression, compiler: Compiler): Column | undefined {
  const calls: AggregateCall[] = [];
  const rewritten = transformExpression(expression, (each) => {
    const aggregate = aggregateOf(each);
    if (aggregate === undefined) return undefined;
    const { path, args } = each as Call;
    args.forEach(refuseNested);
    calls.push({ path, aggregate, args: args.map((arg) => compiler.expression(listed(path, arg))) });
    return { kind: 'param', name: parameterName(calls.length - 1) };
  });
  if (calls.length === 0) return undefined;
  const evaluate = compiler.expression(rewritten);
  return {
    path,
    begin: () => {
      const accumulators: (Accumulator | undefined)[] = [];
      return {
        add: (frame) =>
          forEachInOrder(calls, (call, at) =>
            andThen(
              mapInOrder(call.args, (arg) => otherwise(() => arg(frame), noneOf)),
              ([value, ...rest]) => {
                accumulators[at] ??= call.aggregate.create(rest);
                accumulators[at]?.add(value, call.args.length > 0);
                return undefined;
              },
            ),
          ),
        finish: (frame) => {
          const scope = new Scope(frame.scope);
          calls.forEach((call, at) => {
            frame.execution.functions?.check(call.path);
            scope.set(parameterName(at), (accumulators[at] ?? call.aggregate.create([])).result());
          });
          return evaluate(new Frame(frame.execution, scope, frame.current, frame.parent));
        },
      };
    },
  };
}

function aggregateOf(expression: Expression): Aggregate | undefined {
  return expression.kind === 'call' ? findAggregate(expression.path) : undefined;
}

/** An argument may itself be a call of an aggregate, which is then a function like others; further in there can be none. */
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
