/**
 * The arguments of `slice` and `fill`: a start and an end (exclusive), each counted from the end if negative, or a
 * range of ints.
 */
import { toInt } from '../../value/coerce.js';
import { type Bound, Range, type Value } from '../../value/value.js';
import { wrongType } from '../calls/arguments.js';

export interface Slice {
  readonly start: number;
  /** Exclusive; never before `start`. */
  readonly end: number;
}

/**
 * Which part of something of `length` elements is meant by the arguments `bounds`, of which there are none, one or two;
 * bounds beyond it are cut off. `name` is what errors name.
 * @throws TesseraError `invalid_arguments`
 */
export function sliceOf(name: string, length: number, bounds: readonly Value[]): Slice {
  const [from, to] = bounds;
  if (from instanceof Range && bounds.length === 1) {
    const { start, end } = intRange(name, from);
    return clamped(length, start ?? 0, end ?? Number.POSITIVE_INFINITY);
  }
  const start = bounds.length === 0 ? 0 : toInt(from);
  // The reference engine counts the bounds from 1.
  if (start === undefined) throw wrongType(name, 1, { kind: 'int' }, from);
  return clamped(length, Number(start), to === undefined ? Number.POSITIVE_INFINITY : Number(to));
}

function clamped(length: number, from: number, to: number): Slice {
  const start = position(length, from);
  return { start, end: Math.max(start, position(length, to)) };
}

function position(length: number, index: number): number {
  return index < 0 ? Math.max(0, length + index) : Math.min(length, index);
}

/** The bounds of a range of ints: the first one within, and the first one beyond. An open bound is `undefined`. */
export function intRange(name: string, range: Range): { start: number | undefined; end: number | undefined } {
  const start = intBound(name, range.start);
  const end = intBound(name, range.end);
  return {
    start: start !== undefined && range.start?.inclusive === false ? start + 1 : start,
    end: end !== undefined && range.end?.inclusive === true ? end + 1 : end,
  };
}

function intBound(name: string, bound: Bound | undefined): number | undefined {
  if (bound === undefined) return undefined;
  const value = toInt(bound.value);
  if (value !== undefined) return Number(value);
  throw wrongType(name, 1, { kind: 'int' }, bound.value, 'range<int>');
}
