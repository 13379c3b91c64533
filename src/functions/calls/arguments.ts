/**
 * Checks of arguments. They are coerced, not cast: an int may come as `2f`, but never as `'2'`, and a set is no array.
 * NONE is a value like any other and doesn't count as left out.
 */
import { failure, type TesseraError } from '../../errors/error.js';
import { toInt } from '../../value/coerce.js';
import { toErrorText } from '../../value/text/text.js';
import { typeTextInErrors } from '../../value/text/type-text.js';
import type { Type } from '../../value/type.js';
import {
  Closure,
  Datetime,
  Duration,
  FileReference,
  Geometry,
  isArray,
  isNumber,
  isObject,
  kindOf,
  RecordId,
  SetValue,
  Uuid,
  type Value,
} from '../../value/value.js';
import type { FunctionRow } from './contract.js';

/**
 * The error of a call whose arguments are invalid; `reason` is a sentence.
 *
 *     throw invalidArguments('array::range', 'The range is too large.');
 */
export function invalidArguments(name: string, reason: string): TesseraError {
  return failure('invalid_arguments', { name, reason });
}

/**
 * The error of an argument of a wrong type; `position` counts from 1. `whole`: the argument is an element of this type.
 */
export function wrongType(name: string, position: number, type: Type, value: Value, whole?: string): TesseraError {
  const where = whole === undefined ? '' : ` when coercing an element of \`${whole}\``;
  const mismatch = `Expected \`${typeTextInErrors(type)}\` but found \`${toErrorText(value)}\`${where}`;
  return invalidArguments(name, `Argument ${position} was the wrong type. ${mismatch}`);
}

/** The same for an argument that may be an array with a wrong element. */
function wrongArgument(name: string, position: number, type: Type, value: Value): TesseraError {
  if (type.kind !== 'array' || type.item === undefined || !isArray(value))
    return wrongType(name, position, type, value);
  const isItem = checkerOf(type.item);
  const wrong = value.find((item) => !isItem(item));
  return wrongType(name, position, type.item, wrong, typeTextInErrors(type));
}

type Checker = (value: Value) => boolean;

const isInt: Checker = (value) =>
  typeof value === 'number' ? Number.isInteger(value) : typeof value === 'bigint' || toInt(value) !== undefined;

/** The types that parameters have. */
const CHECKERS: { readonly [K in Type['kind']]?: Checker } = {
  any: () => true,
  bool: (value) => typeof value === 'boolean',
  bytes: (value) => value instanceof Uint8Array,
  datetime: (value) => value instanceof Datetime,
  duration: (value) => value instanceof Duration,
  file: (value) => value instanceof FileReference,
  float: isNumber,
  function: (value) => value instanceof Closure,
  geometry: (value) => value instanceof Geometry,
  int: isInt,
  none: (value) => value === undefined,
  number: isNumber,
  object: isObject,
  record: (value) => value instanceof RecordId,
  set: (value) => value instanceof SetValue,
  string: (value) => typeof value === 'string',
  uuid: (value) => value instanceof Uuid,
};

function checkerOf(type: Type): Checker {
  if (type.kind === 'array') {
    if (type.item === undefined) return isArray;
    const isItem = checkerOf(type.item);
    return (value) => isArray(value) && value.every(isItem);
  }
  if (type.kind === 'union') {
    const checkers = type.of.map(checkerOf);
    return (value) => checkers.some((fits) => fits(value));
  }
  const checker = CHECKERS[type.kind];
  if (checker === undefined) throw new TypeError(`no parameter may be of type ${type.kind}`);
  return checker;
}

/** What is precomputed for each function. */
export interface Signature {
  /**
   * The arguments, counted and coerced; the array itself where nothing had to be changed. Errors name the function as
   * it was called.
   * @throws TesseraError `invalid_arguments`, `unexpected_argument`
   */
  coerce(args: readonly Value[], called: string): readonly Value[];
}

const signatures = new WeakMap<FunctionRow, Signature>();

/** The signature of a function, made on first use. */
export function signatureOf(row: FunctionRow): Signature {
  let signature = signatures.get(row);
  if (signature === undefined) {
    signature = makeSignature(row);
    signatures.set(row, signature);
  }
  return signature;
}

function makeSignature({ parameters, expects }: FunctionRow): Signature {
  const minimum = parameters.filter(({ optional, rest }) => !optional && !rest).length;
  const variadic = parameters.at(-1)?.rest === true;
  const maximum = variadic || expects !== undefined ? Number.POSITIVE_INFINITY : parameters.length;
  const checkers = parameters.map(({ type }) => checkerOf(type));
  const ints = parameters.map(({ type }) => type.kind === 'int');
  const last = parameters.length - 1;
  return {
    coerce(args, called) {
      const given = args.length;
      if (expects === undefined && (given < minimum || given > maximum)) {
        throw invalidArguments(called, expectedCount(minimum, maximum));
      }
      let coerced = args;
      const count = variadic ? given : Math.min(given, parameters.length);
      for (let index = 0; index < count; index++) {
        const column = Math.min(index, last);
        const value = args[index];
        if (!(checkers[column] as Checker)(value)) {
          const expected = expects?.each[index];
          if (expected !== undefined) {
            throw failure('unexpected_argument', { name: called, expected, got: kindOf(value) });
          }
          throw wrongArgument(called, index + 1, (parameters[column] as FunctionRow['parameters'][number]).type, value);
        }
        if (ints[column] && typeof value === 'object') coerced = coerced.with(index, toInt(value));
      }
      if (expects !== undefined && given < minimum) {
        throw failure('unexpected_argument', { name: called, expected: expects.count });
      }
      return coerced;
    },
  };
}

function expectedCount(minimum: number, maximum: number): string {
  if (maximum === Number.POSITIVE_INFINITY) return 'Expected at least one argument';
  if (maximum === 0) return 'Expected no arguments';
  if (minimum < maximum) return `Expected ${minimum} to ${maximum} arguments`;
  return minimum === 1 ? 'Expected 1 argument' : `Expected ${minimum} arguments`;
}
