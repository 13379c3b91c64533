/** `array::` functions that make arrays, or shuffle them. */
import { andThen } from '../../base/promise-or-value.js';
import { inSteps } from '../../base/work/loops.js';
import { toInt } from '../../value/coerce.js';
import { MAX_INT } from '../../value/number.js';
import { int, Range, type Value } from '../../value/value.js';
import { invalidArguments, wrongType } from '../calls/arguments.js';
import type { FunctionRow } from '../calls/contract.js';
import { define } from '../calls/define.js';
import { IN_STEPS } from '../calls/input-limit.js';
import { checkItems } from '../calls/output-limit.js';
import { any, integer, list, optional } from '../calls/parameters.js';
import { intRange } from './slice.js';

function count(name: string, start: bigint, length: number): Value[] {
  checkItems(name, length);
  return Array.from({ length: Math.max(0, length) }, (_, index) => int(start + BigInt(index)));
}

function range(from: Value, to: number | bigint | undefined): Value[] {
  const name = 'array::range';
  if (from instanceof Range && to === undefined) {
    const { start = Number.NEGATIVE_INFINITY, end = Number.POSITIVE_INFINITY } = intRange(name, from);
    checkItems(name, end - start);
    return count(name, BigInt(start), end - start);
  }
  const start = toInt(from);
  if (start === undefined) throw wrongType(name, 1, { kind: 'int' }, from);
  return count(name, BigInt(start), to === undefined ? Number.POSITIVE_INFINITY : Number(to) - Number(start));
}

function sequence(first: number | bigint, length: number | bigint | undefined): Value[] {
  const start = BigInt(length === undefined ? 0 : first);
  const wanted = Number(length ?? first);
  // Numbers beyond the greatest int are left out.
  return count('array::sequence', start, Math.min(wanted, Number(MAX_INT - start) + 1));
}

/** Making arrays, and putting them into another order by chance. */
export const generationFunctions: readonly FunctionRow[] = [
  define(
    'array::range',
    [any('start'), optional(integer('end'))],
    'array<int>',
    'The ints from a start to before an end, or of a range.',
    range,
  ),
  define(
    'array::repeat',
    [any('value'), integer('count')],
    'array',
    'An array of one value, so many times.',
    (value, times) => {
      if (times < 0) throw invalidArguments('array::repeat', 'Expected argument 2 to be a positive number');
      checkItems('array::repeat', Number(times));
      return new Array<Value>(Number(times)).fill(value);
    },
  ),
  define(
    'array::sequence',
    [integer('start'), optional(integer('length'))],
    'array<int>',
    'So many ints from a start on; with one argument, so many from 0 on.',
    sequence,
  ),
  define(
    'array::shuffle',
    [list('array')],
    'array',
    'Puts the elements into a random order.',
    (array, context) => {
      const { random } = context.environment;
      const shuffled = array.slice();
      const done = inSteps(array.length, context, (from, to) => {
        for (let index = from; index < to; index++) {
          const other = index + Math.floor(random.float() * (array.length - index));
          [shuffled[index], shuffled[other]] = [shuffled[other], shuffled[index]];
        }
      });
      return andThen(done, () => shuffled);
    },
    { deterministic: false, ...IN_STEPS },
  ),
];
