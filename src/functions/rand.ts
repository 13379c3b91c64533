/** `rand::*`: random values and identifiers, from the environment's randomness. */
import { toInt } from '../value/coerce.js';
import { MAX_INT, MIN_INT, toNumber } from '../value/number.js';
import { datetimeFrom, datetimeMilliseconds, MAX_DATETIME, MIN_DATETIME } from '../value/time/datetime.js';
import { Datetime, Duration, float, int, isArray, type NumberValue, type Value } from '../value/value.js';
import { invalidArguments } from './calls/arguments.js';
import type { FunctionContext, FunctionRow } from './calls/contract.js';
import { define } from './calls/define.js';
import { any, datetime, duration, integer, numeric, optional, rest } from './calls/parameters.js';
import { randomInt, randomText, ulidAt, uuidV4, uuidV7 } from './identifiers.js';
import { now } from './time.js';

const RANDOM = { deterministic: false } as const;

/** The two bounds in order, or none at all. */
function bounds<T>(
  name: string,
  a: T | undefined,
  b: T | undefined,
  compare: (a: T, b: T) => boolean,
): [T, T] | undefined {
  if (a === undefined) return undefined;
  if (b === undefined) throw invalidArguments(name, 'Expected 0 or 2 arguments');
  return compare(a, b) ? [b, a] : [a, b];
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const SMALL_LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';

interface TextOptions {
  readonly alphabet: string;
  readonly length: number;
  readonly limit: number;
  readonly aliases?: readonly string[];
}

/** Of a default length, of a given one, or of one between two. */
function texts(name: string, description: string, { alphabet, length, limit, aliases = [] }: TextOptions): FunctionRow {
  return define(
    name,
    [optional(integer('length')), optional(integer('max'))],
    'string',
    description,
    (least, most, { environment: { random } }) => {
      const low = Number(least ?? length);
      const high = Number(most ?? low);
      if (low < 0 || high < 0 || low > limit || high > limit) {
        throw invalidArguments(
          name,
          `To generate a string of X characters in length, the argument must be a positive number and no higher than ${limit}.`,
        );
      }
      if (low > high) {
        throw invalidArguments(name, 'Lowerbound of number of characters must be less then the upperbound.');
      }
      return randomText(random, alphabet, Number(randomInt(random, BigInt(low), BigInt(high))));
    },
    { ...RANDOM, aliases },
  );
}

/** Milliseconds since 1970 of a moment or the present one, but not before. */
function milliseconds(at: Datetime | undefined, context: FunctionContext): number {
  return Math.max(0, Math.floor(datetimeMilliseconds(at ?? now(context))));
}

function uuidFunction(name: string): FunctionRow {
  return define(
    name,
    [optional(datetime('datetime'))],
    'uuid',
    'A random UUID of version 7, which begins with a time, now by default.',
    (at, context) => uuidV7(milliseconds(at, context), context.environment.random),
    RANDOM,
  );
}

/** A random moment between two, given as datetimes or as seconds since 1970. */
function randomTime(a: Value, b: Value, { environment: { random } }: FunctionContext): Value {
  const ends = bounds('rand::time', secondsOf(a), secondsOf(b), (x, y) => x > y) ?? DEFAULT_TIMES;
  const [low, high] = ends;
  if (low < MIN_DATETIME.seconds || high > MAX_DATETIME.seconds) {
    throw invalidArguments(
      'rand::time',
      `To generate a random time, the 2 arguments must be numbers between ${MIN_DATETIME.seconds} and ${MAX_DATETIME.seconds} seconds from the UNIX epoch or a 'datetime' within the range d'-262143-01-01T00:00:00Z' and +262142-12-31T23:59:59Z'.`,
    );
  }
  return datetimeFrom(Number(randomInt(random, BigInt(low), BigInt(high))), 0);
}

/** The seconds of 32 bits: 1901 … 2038. */
const DEFAULT_TIMES: [number, number] = [-(2 ** 31), 2 ** 31 - 1];

function secondsOf(value: Value): number | undefined {
  if (value === undefined) return undefined;
  const whole = value instanceof Datetime ? value.seconds : toInt(value);
  if (whole === undefined) throw invalidArguments('rand::time', 'Expected two arguments of type datetime or int');
  return Number(whole);
}

export const randFunctions: readonly FunctionRow[] = [
  define(
    'rand',
    [],
    'float',
    'A random float from 0 to below 1.',
    ({ environment }) => float(environment.random.float()),
    RANDOM,
  ),
  define('rand::bool', [], 'bool', 'A random boolean.', ({ environment }) => environment.random.float() < 0.5, RANDOM),
  define(
    'rand::duration',
    [duration('a'), duration('b')],
    'duration',
    'A random duration between two.',
    (a, b, { environment }) => {
      const [low, high] =
        a.nanoseconds < b.nanoseconds ? [a.nanoseconds, b.nanoseconds] : [b.nanoseconds, a.nanoseconds];
      return new Duration(randomInt(environment.random, low, high));
    },
    RANDOM,
  ),
  define(
    'rand::enum',
    [rest(any('value'))],
    'any',
    'One of the values, or of the elements of an array.',
    (values, { environment }) => {
      const choices = values.length === 1 && isArray(values[0]) ? values[0] : values;
      return choices[Math.floor(environment.random.float() * choices.length)];
    },
    RANDOM,
  ),
  define(
    'rand::float',
    [optional(numeric('a')), optional(numeric('b'))],
    'float',
    'A random float from 0 to below 1, or between two numbers.',
    (a: NumberValue | undefined, b: NumberValue | undefined, { environment }) => {
      const ends = bounds('rand::float', a, b, (x, y) => toNumber(x) > toNumber(y)) ?? [0, 1];
      const [low, high] = ends.map(toNumber) as [number, number];
      return float(low + environment.random.float() * (high - low));
    },
    RANDOM,
  ),
  texts('rand::id', 'A random text of small letters and digits, of 20 characters by default.', {
    alphabet: SMALL_LETTERS,
    length: 20,
    limit: 64,
    aliases: ['rand::guid'],
  }),
  define(
    'rand::int',
    [optional(integer('a')), optional(integer('b'))],
    'int',
    'A random int, or one between two, which are included.',
    (a, b, { environment }) => {
      const [low, high] = bounds('rand::int', a, b, (x, y) => x > y) ?? [MIN_INT, MAX_INT];
      return int(randomInt(environment.random, BigInt(low), BigInt(high)));
    },
    RANDOM,
  ),
  texts('rand::string', 'A random text of letters and digits, of 32 characters by default.', {
    alphabet: LETTERS,
    length: 32,
    limit: 65_536,
  }),
  define(
    'rand::time',
    [optional(any('a')), optional(any('b'))],
    'datetime',
    'A random datetime, or one between two datetimes or numbers of seconds since 1970.',
    randomTime,
    RANDOM,
  ),
  define(
    'rand::ulid',
    [optional(datetime('datetime'))],
    'string',
    'A random ULID, which begins with a time, now by default.',
    (at, context) => ulidAt(milliseconds(at, context), context.environment.random),
    RANDOM,
  ),
  uuidFunction('rand::uuid'),
  define(
    'rand::uuid::v4',
    [],
    'uuid',
    'A random UUID of version 4.',
    ({ environment }) => uuidV4(environment.random),
    RANDOM,
  ),
  uuidFunction('rand::uuid::v7'),
];
