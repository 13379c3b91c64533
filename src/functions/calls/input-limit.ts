/**
 * Limits on the arguments of one call. A function processes its arguments in one step, which blocks
 * the event loop, unless it has checkpoints on the way; so each row says how much it takes (`FunctionRow.largest`), and
 * functions that yield, or read little of their arguments, accept any amount. The figures are calibrated so that a
 * step stays below 5 ms (`bench/steps.mjs` measures them).
 */
import { failure, type TesseraError } from '../../errors/error.js';
import { isArray, isObject, SetValue, type Value } from '../../value/value.js';

/**
 * Characters, bytes, elements and fields that a function is given unless its row says otherwise: up to 150 ns for each.
 */
export const MAX_INPUT = 2 ** 15;

/** For functions that take some nanoseconds for each part: copies, and functions of the runtime. */
export const MAX_INPUT_OF_COPIES = 2 ** 18;

/** For functions that calculate with each element of their arguments. */
export const MAX_INPUT_OF_CALCULATIONS = 2 ** 15;

/** For functions that calculate with the numbers of long lists, in steps: as many as a range makes. */
export const MAX_INPUT_OF_LONG_LISTS = 2 ** 21;

/** For functions that sort, hash or rebuild their arguments, several hundred nanoseconds for each part. */
export const MAX_INPUT_OF_REBUILDING = 2 ** 13;

/** For functions that take their arguments in steps, but copy them once or twice as a whole. */
export const MAX_INPUT_IN_STEPS = 2 ** 19;

/** For the runtime's functions on whole texts. */
export const MAX_INPUT_OF_TEXTS = 2 ** 19;

/** For functions that take a text in pieces. */
export const MAX_INPUT_IN_PIECES = 2 ** 24;

/** For functions whose work doesn't grow with their arguments. */
export const ANY_INPUT = Number.POSITIVE_INFINITY;

/** Larger calls account for their work (`Work.checkpoint`), so that many of them in a row yield. */
export const SMALL_INPUT = 64;

/**
 * Characters of a text, bytes, elements of a collection, fields of an object; 0 for anything else. What is within them
 * isn't counted.
 */
export function inputSize(value: Value): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  if (isArray(value) || value instanceof Uint8Array) return value.length;
  if (value instanceof SetValue) return value.items.length;
  return isObject(value) ? fieldCount(value) : 0;
}

function fieldCount(object: object): number {
  let count = 0;
  for (const _ in object) count++;
  return count;
}

/** Of all arguments together. */
export function inputSizeOf(args: readonly Value[]): number {
  let size = 0;
  for (let index = 0; index < args.length; index++) size += inputSize(args[index]);
  return size;
}

/** @throws TesseraError `input_too_large` */
export function checkInput(name: string, size: number, limit: number): void {
  if (size > limit) throw failInput(`${name}()`, limit);
}

/** The error of a function, an operator or a cast whose input is too large. */
export function failInput(what: string, limit: number): TesseraError {
  return failure('input_too_large', { what, limit });
}

/** The limits that rows declare. */
export const LOOKS = { largest: ANY_INPUT } as const;
export const IN_STEPS = { largest: MAX_INPUT_IN_STEPS } as const;
export const TEXTS = { largest: MAX_INPUT_OF_TEXTS } as const;
export const IN_PIECES = { largest: MAX_INPUT_IN_PIECES } as const;
export const COPIES = { largest: MAX_INPUT_OF_COPIES } as const;
export const IN_LONG_LISTS = { largest: MAX_INPUT_OF_LONG_LISTS } as const;
export const CALCULATES = { largest: MAX_INPUT_OF_CALCULATIONS } as const;
export const REBUILDS = { largest: MAX_INPUT_OF_REBUILDING } as const;
