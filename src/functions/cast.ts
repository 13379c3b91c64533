/** Casts of values of any size: bounded, or in steps. */
import { andThen, type PromiseOrValue } from '../base/promise-or-value.js';
import { inSteps } from '../base/work/loops.js';
import type { Work } from '../base/work/work.js';
import { parseRecordId } from '../language/parse.js';
import { cast, itemsOfRange, writeRangeItems } from '../value/cast.js';
import { typeText } from '../value/text/type-text.js';
import type { Type } from '../value/type.js';
import { isArray, Range, SetValue, type Value } from '../value/value.js';
import {
  failInput,
  inputSize,
  MAX_INPUT,
  MAX_INPUT_IN_STEPS,
  MAX_INPUT_OF_TEXTS,
  SMALL_INPUT,
} from './calls/input-limit.js';
import { setOf } from './ordered-values.js';

/** Values of a collection that are converted to text, or visited item by item, at once. */
const MAX_CONVERTED = 2 ** 14;

/** Items of a range that are written out at once. */
const WRITTEN_AT_ONCE = 2 ** 15;

/** The cast of a value. @throws TesseraError as `cast` does, `input_too_large` */
export function castAny(value: Value, type: Type, work: Work): PromiseOrValue<Value> {
  if (value instanceof Range) return ofRange(value, type, work);
  const size = inputSize(value);
  if (size <= SMALL_INPUT || isOfKind(value, type)) return cast(value, type, parseRecordId);
  const limit = largestFor(value, type);
  if (size > limit) throw failInput(`the cast to ${typeText(type)}`, limit);
  return andThen(work.checkpoint(size), () => {
    if (!isPlainSet(type) || !isArray(value)) return cast(value, type, parseRecordId);
    // Of equal elements the last stays.
    return setOf(value.toReversed(), work);
  });
}

/** Where the items of a range are to be written out, they count, also if they come to be refused. */
function ofRange(range: Range, type: Type, work: Work): PromiseOrValue<Value> {
  const count = type.kind === 'array' || type.kind === 'set' ? itemsOfRange(range) : 0;
  if (count <= SMALL_INPUT) return cast(range, type, parseRecordId);
  // At its whole length, since growing would copy it.
  const items = new Array<Value>(count);
  const write = () => inSteps(count, work, (from, to) => writeRangeItems(items, range, from, to), WRITTEN_AT_ONCE);
  return andThen(andThen(work.checkpoint(count), write), () => castAny(items, type, work));
}

/** A value that is of the type already is neither copied nor visited. */
function isOfKind(value: Value, type: Type): boolean {
  if (type.kind === 'any') return true;
  if (type.kind === 'string') return typeof value === 'string';
  if (type.kind === 'bytes') return value instanceof Uint8Array;
  if (type.kind === 'array') return type.item === undefined && (isArray(value) || value instanceof SetValue);
  return isPlainSet(type) && value instanceof SetValue;
}

function isPlainSet(type: Type): boolean {
  return type.kind === 'set' && type.item === undefined && type.length === undefined;
}

function largestFor(value: Value, type: Type): number {
  const isText = typeof value === 'string' || value instanceof Uint8Array;
  if (isText) return type.kind === 'string' || type.kind === 'bytes' ? MAX_INPUT_OF_TEXTS : MAX_INPUT;
  return isPlainSet(type) ? MAX_INPUT_IN_STEPS : MAX_CONVERTED;
}
