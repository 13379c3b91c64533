/** Rows of the tables of functions, with bodies that take their arguments one by one. */
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import type { Value } from '../../value/value.js';
import type { Expectation, FunctionContext, FunctionRow } from './contract.js';
import type { ArgumentsOf, TypedParameter } from './parameters.js';

interface Options {
  /** Other names, such as those of 2.x. */
  readonly aliases?: readonly string[];
  readonly deterministic?: false;
  readonly expects?: Expectation;
  readonly largest?: number;
}

/** A function's work: the arguments in order (a rest parameter's as one array), then the context. */
type Body<P extends readonly TypedParameter<unknown>[]> = (
  ...values: [...ArgumentsOf<P>, FunctionContext]
) => PromiseOrValue<Value>;

/**
 * One row of a family's table.
 *
 *     define('string::repeat', [text('string'), integer('count')], 'string', 'Repeats a string.', (string, count) => …)
 */
export function define<const P extends readonly TypedParameter<unknown>[]>(
  name: string,
  parameters: P,
  returns: string,
  description: string,
  body: Body<P>,
  options: Options = {},
): FunctionRow {
  return { name, parameters, returns, description, ...options, run: runner(parameters, body as Spread) };
}

type Spread = (...values: readonly unknown[]) => PromiseOrValue<Value>;
type Run = FunctionRow['run'];

/** Calls the body without an array in between, since calls of functions are hot. */
function runner(parameters: readonly TypedParameter<unknown>[], body: Spread): Run {
  const count = parameters.length;
  if (parameters.at(-1)?.rest) {
    return (args, context) => body(...args.slice(0, count - 1), args.slice(count - 1), context);
  }
  const run = RUNNERS[count];
  return run === undefined ? (args, context) => body(...padded(args, count), context) : run(body);
}

const RUNNERS: readonly ((body: Spread) => Run)[] = [
  (body) => (_, context) => body(context),
  (body) => (args, context) => body(args[0], context),
  (body) => (args, context) => body(args[0], args[1], context),
  (body) => (args, context) => body(args[0], args[1], args[2], context),
];

function padded(args: readonly Value[], count: number): Value[] {
  return Array.from({ length: count }, (_, index) => args[index]);
}
