/** The functions without a family. */
import type { PromiseOrValue } from '../base/promise-or-value.js';
import { foldItems } from '../base/work/loops.js';
import type { Work } from '../base/work/work.js';
import { durationMilliseconds } from '../value/time/duration.js';
import { isTruthy } from '../value/truthiness.js';
import { isArray, SetValue, type Value } from '../value/value.js';
import type { FunctionContext, FunctionRow } from './calls/contract.js';
import { define } from './calls/define.js';
import { IN_LONG_LISTS, LOOKS } from './calls/input-limit.js';
import { any, duration, optional } from './calls/parameters.js';

export const coreFunctions: readonly FunctionRow[] = [
  {
    name: 'count',
    parameters: [optional(any('value'))],
    returns: 'int',
    description:
      'Counts the truthy elements of an array or a set, or whether a value is truthy; 1 without an argument.',
    ...IN_LONG_LISTS,
    run: (args, context) => (args.length === 0 ? 1 : countOf(args[0], context)),
  },
  define('not', [any('value')], 'bool', 'Whether a value is falsy.', (value) => !isTruthy(value), LOOKS),
  define(
    'sleep',
    [duration('duration')],
    'none',
    'Waits.',
    (time, context) => sleep(durationMilliseconds(time), context),
    {
      deterministic: false,
      expects: { count: 'a duration argument', each: ['a duration argument'] },
    },
  ),
];

/** The number of truthy elements of an array or a set; otherwise 1 if the value is truthy. */
export function countOf(value: Value, work: Work): PromiseOrValue<number> {
  const items = value instanceof SetValue ? value.items : value;
  if (!isArray(items)) return isTruthy(value) ? 1 : 0;
  return foldItems(items, 0, work, (count, item) => (isTruthy(item) ? count + 1 : count));
}

/** Milliseconds between two looks at whether the statement may go on. */
const NAP = 50;

async function sleep(milliseconds: number, context: FunctionContext): Promise<Value> {
  for (let left = milliseconds; left > 0; left -= NAP) {
    await context.environment.timers.wait(Math.min(left, NAP));
    context.check();
  }
  return undefined;
}
