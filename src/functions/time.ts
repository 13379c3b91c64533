/** `time::*`: parts, rounding, formats and sources of datetimes, all in UTC. */
import { nextTimestamp } from '../env/timestamp.js';
import { failure } from '../errors/error.js';
import { compare } from '../value/order.js';
import { toErrorBareText, toText } from '../value/text/text.js';
import { datetimeFromNanoseconds, datetimeNanoseconds } from '../value/time/datetime.js';
import { type Datetime, int, type NumberValue } from '../value/value.js';
import { invalidArguments } from './calls/arguments.js';
import type { FunctionContext, FunctionRow } from './calls/contract.js';
import { define } from './calls/define.js';
import { REBUILDS } from './calls/input-limit.js';
import { datetime, datetimes, duration, integer, number, optional, text, uuid } from './calls/parameters.js';
import { timeOfUlid, timeOfUuid } from './identifiers.js';
import { type CalendarTime, calendarOf, dayOfYear, instantOf, isLeapYear, isoWeek, weekday } from './time/calendar.js';
import { formatTime } from './time/strftime.js';

/** The present moment. */
export function now({ environment }: FunctionContext): Datetime {
  return datetimeFromNanoseconds(environment.clock.now()) as Datetime;
}

/** The same, but strictly increasing. */
function timestamp({ environment }: FunctionContext): Datetime {
  return datetimeFromNanoseconds(nextTimestamp(environment.clock)) as Datetime;
}

function part(name: string, what: string, of: (datetime: Datetime) => number | bigint): FunctionRow {
  return define(
    `time::${name}`,
    [optional(datetime('datetime'))],
    'int',
    `${what} of a datetime, or of the present moment.`,
    (at, context) => of(at ?? now(context)),
    { deterministic: false },
  );
}

const MAX_NANOSECONDS = 2n ** 63n - 1n;

const partFunctions: readonly FunctionRow[] = [
  part('day', 'The day of the month', (at) => calendarOf(at).day),
  part('hour', 'The hour', (at) => calendarOf(at).hour),
  part('micros', 'The microseconds since 1970', (at) => int(floorDivide(datetimeNanoseconds(at), 1_000n))),
  part('millis', 'The milliseconds since 1970', (at) => int(floorDivide(datetimeNanoseconds(at), 1_000_000n))),
  part('minute', 'The minute', (at) => calendarOf(at).minute),
  part('month', 'The month, from 1 to 12,', (at) => calendarOf(at).month),
  // Beyond the years 1677 … 2262 there is no int for them.
  part('nano', 'The nanoseconds since 1970', (at) => {
    const nanoseconds = datetimeNanoseconds(at);
    return magnitude(nanoseconds) > MAX_NANOSECONDS ? 0 : int(nanoseconds);
  }),
  part('second', 'The second', (at) => calendarOf(at).second),
  part('unix', 'The seconds since 1970', (at) => at.seconds),
  part('wday', 'The day of the week, from 1 (Monday) to 7,', weekday),
  part('week', 'The week of the year (ISO 8601)', (at) => isoWeek(at).week),
  part('yday', 'The day of the year', dayOfYear),
  part('year', 'The year', (at) => calendarOf(at).year),
];

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}

function floorDivide(value: bigint, by: bigint): bigint {
  return (value - modulo(value, by)) / by;
}

function modulo(value: bigint, by: bigint): bigint {
  return ((value % by) + by) % by;
}

type Rounding = (nanoseconds: bigint, step: bigint) => bigint;

function rounds(name: string, description: string, rounded: Rounding): FunctionRow {
  return define(
    `time::${name}`,
    [datetime('datetime'), duration('step')],
    'datetime',
    description,
    (at, { nanoseconds: step }) => {
      const nanoseconds = datetimeNanoseconds(at);
      if (step === 0n) return at;
      if (step > MAX_NANOSECONDS || magnitude(nanoseconds) > MAX_NANOSECONDS) {
        throw invalidArguments(
          `time::${name}`,
          'The second argument must be a duration, and must be able to be represented as nanoseconds.',
        );
      }
      return datetimeFromNanoseconds(rounded(nanoseconds, step));
    },
  );
}

const roundFunctions: readonly FunctionRow[] = [
  rounds('ceil', 'Rounds a datetime up to a multiple of a duration since 1970.', (at, step) => at + modulo(-at, step)),
  rounds(
    'floor',
    'Rounds a datetime down to a multiple of a duration since 1970.',
    (at, step) => at - modulo(at, step),
  ),
  rounds('round', 'Rounds a datetime to the nearest multiple of a duration since 1970.', (at, step) => {
    const beyond = modulo(at, step);
    return beyond * 2n >= step ? at - beyond + step : at - beyond;
  }),
];

/** The parts from the longest to the shortest. */
const PARTS = ['year', 'month', 'day', 'hour', 'minute', 'second'] as const;
const BEGINNING: CalendarTime = { year: 0, month: 1, day: 1, hour: 0, minute: 0, second: 0, nanosecond: 0 };

/** The datetime with everything shorter than `unit` at its beginning; `undefined` if there is no such unit. */
function truncated(at: Datetime, unit: string): Datetime | undefined {
  const kept = PARTS.indexOf(unit as (typeof PARTS)[number]) + 1;
  const fields = calendarOf(at);
  const longer = Object.fromEntries(PARTS.slice(0, kept).map((name) => [name, fields[name]]));
  return kept === 0 ? undefined : instantOf({ ...BEGINNING, ...longer });
}

interface Unit {
  readonly suffix: string;
  readonly name: string;
  readonly nanoseconds: bigint;
}

const UNITS: readonly Unit[] = [
  { suffix: 'micros', name: 'microseconds', nanoseconds: 1_000n },
  { suffix: 'millis', name: 'milliseconds', nanoseconds: 1_000_000n },
  { suffix: 'nanos', name: 'nanoseconds', nanoseconds: 1n },
  { suffix: 'secs', name: 'seconds', nanoseconds: 1_000_000_000n },
  { suffix: 'unix', name: 'seconds', nanoseconds: 1_000_000_000n },
];

const fromFunctions: readonly FunctionRow[] = [
  ...UNITS.map(({ suffix, name, nanoseconds }) =>
    define(
      `time::from_${suffix}`,
      [integer(name)],
      'datetime',
      `The datetime so many ${name} after the beginning of 1970.`,
      (count) => {
        const at = datetimeFromNanoseconds(BigInt(count) * nanoseconds);
        if (at !== undefined) return at;
        throw invalidArguments(
          `time::from_${suffix}`,
          `The argument must be a number of ${name} relative to January 1, 1970 0:00:00 UTC that produces a datetime between -262143-01-01T00:00:00Z and +262142-12-31T23:59:59Z.`,
        );
      },
      { aliases: [`time::from::${suffix}`] },
    ),
  ),
  define(
    'time::from_ulid',
    [text('ulid')],
    'datetime',
    'The moment at which a ULID was made.',
    (ulid) => {
      const at = timeOfUlid(ulid);
      if (at !== undefined) return at;
      throw invalidArguments('time::from_ulid', 'The first argument must be a string, containing a valid ULID.');
    },
    { aliases: ['time::from::ulid'] },
  ),
  define(
    'time::from_uuid',
    [uuid('uuid')],
    'datetime',
    'The moment at which a UUID of version 1, 6 or 7 was made.',
    (id) => {
      const at = timeOfUuid(id);
      if (at !== undefined) return at;
      throw invalidArguments('time::from_uuid', 'The first argument must be a v1, v6 or v7 UUID.');
    },
    { aliases: ['time::from::uuid'] },
  ),
];

const isInt = (value: NumberValue): value is number | bigint => typeof value === 'bigint' || Number.isInteger(value);

/** Years are signed ints of 32 bits, the other parts unsigned ones. */
function fits(field: keyof CalendarTime, value: number | bigint): boolean {
  const low = field === 'year' ? -(2 ** 31) : 0;
  return value >= low && value < low + 2 ** 32;
}

/** A float, even a whole one, or a decimal is no part of a datetime. */
function sets(field: keyof CalendarTime, error: (value: string) => string): FunctionRow {
  return define(
    `time::set_${field}`,
    [datetime('datetime'), number(field)],
    'datetime',
    `The datetime with another ${field}.`,
    (at, value: NumberValue) => {
      if (isInt(value) && !fits(field, value)) throw failure('int_out_of_range');
      const changed = isInt(value) ? instantOf({ ...calendarOf(at), [field]: Number(value) }) : undefined;
      if (changed !== undefined) return changed;
      const shown = toText(value)
        .replace(/f$|dec$/, '')
        .replace('Infinity', 'inf');
      throw failure('invalid_datetime_part', { what: error(shown) });
    },
  );
}

const setFunctions: readonly FunctionRow[] = [
  sets('year', (value) => `year ${value}`),
  sets('month', (value) => `month ${value}`),
  sets('day', (value) => `day ${value}`),
  sets('hour', (value) => `hour ${value}`),
  sets('minute', (value) => `${value} minutes`),
  sets('second', (value) => `${value} seconds`),
  sets('nanosecond', (value) => `${value} nanoseconds`),
];

export const timeFunctions: readonly FunctionRow[] = [
  ...partFunctions,
  ...roundFunctions,
  ...fromFunctions,
  ...setFunctions,
  define(
    'time::format',
    [datetime('datetime'), text('format')],
    'string',
    'Writes a datetime in a format of your own, with the directives of strftime (%Y-%m-%d).',
    (at, format) => {
      const formatted = formatTime(at, format);
      if (formatted === undefined)
        throw failure('invalid_arguments', {
          name: 'time::format',
          reason: `\`${toErrorBareText(format)}\` is not a valid time formatting string`,
          method: true,
        });
      return formatted;
    },
  ),
  define(
    'time::group',
    [datetime('datetime'), text('unit')],
    'datetime',
    "The beginning of the 'year', 'month', 'day', 'hour', 'minute' or 'second' that a datetime is in.",
    (at, unit) => {
      const start = truncated(at, unit);
      if (start !== undefined) return start;
      throw invalidArguments(
        'time::group',
        "The second argument must be a string, and can be one of 'year', 'month', 'day', 'hour', 'minute', or 'second'.",
      );
    },
  ),
  define(
    'time::is_leap_year',
    [optional(datetime('datetime'))],
    'bool',
    'Whether a datetime, or the present moment, is in a leap year.',
    (at, context) => isLeapYear(calendarOf(at ?? now(context)).year),
    { deterministic: false, aliases: ['time::is::leap_year'] },
  ),
  define(
    'time::max',
    [datetimes('datetimes')],
    'option<datetime>',
    'The latest of some datetimes; NONE of none.',
    (all) =>
      all.reduce<Datetime | undefined>(
        (best, at) => (best === undefined || compare(at, best) > 0 ? at : best),
        undefined,
      ),
    REBUILDS,
  ),
  define(
    'time::min',
    [datetimes('datetimes')],
    'option<datetime>',
    'The earliest of some datetimes; NONE of none.',
    (all) =>
      all.reduce<Datetime | undefined>(
        (best, at) => (best === undefined || compare(at, best) < 0 ? at : best),
        undefined,
      ),
    REBUILDS,
  ),
  define('time::now', [], 'datetime', 'The present moment, later with each call.', timestamp, {
    deterministic: false,
  }),
  define('time::timezone', [], 'string', 'The offset of the server’s time zone; always +00:00.', () => '+00:00'),
];
