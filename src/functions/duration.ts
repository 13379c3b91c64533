/** `duration::*`: durations in units, and from them; one row for each unit. */
import { failure } from '../errors/error.js';
import { MAX_INT } from '../value/number.js';
import { toText } from '../value/text/text.js';
import { DURATION_UNITS, type DurationUnit, durationFromNanoseconds } from '../value/time/duration.js';
import { int } from '../value/value.js';
import type { FunctionRow } from './calls/contract.js';
import { define } from './calls/define.js';
import { duration, integer } from './calls/parameters.js';

function counts(name: string, unit: DurationUnit, what: string): FunctionRow {
  return define(`duration::${name}`, [duration('duration')], 'int', `A duration in whole ${what}.`, (time) => {
    const count = time.nanoseconds / DURATION_UNITS[unit];
    if (count > MAX_INT) throw failure('arithmetic_overflow', { call: `duration::${name}(${toText(time)})` });
    return int(count);
  });
}

function makes(name: string, unit: DurationUnit, what: string): FunctionRow {
  return define(
    `duration::from_${name}`,
    [integer(what)],
    'duration',
    `A duration of so many ${what}.`,
    (count) => {
      const time = durationFromNanoseconds(BigInt(count) * DURATION_UNITS[unit]);
      if (time !== undefined) return time;
      // The reference engine reads ints without a sign here.
      throw failure('arithmetic_overflow', { call: `duration::from_${name}(${BigInt.asUintN(64, BigInt(count))})` });
    },
    { aliases: [`duration::from::${name}`] },
  );
}

/** The name of each unit in the functions, and in words. */
const UNITS = [
  ['nanos', 'ns', 'nanoseconds'],
  ['micros', 'µs', 'microseconds'],
  ['millis', 'ms', 'milliseconds'],
  ['secs', 's', 'seconds'],
  ['mins', 'm', 'minutes'],
  ['hours', 'h', 'hours'],
  ['days', 'd', 'days'],
  ['weeks', 'w', 'weeks'],
] as const;

export const durationFunctions: readonly FunctionRow[] = [
  ...UNITS.map(([name, unit, what]) => counts(name, unit, what)),
  counts('years', 'y', 'years of 365 days'),
  ...UNITS.map(([name, unit, what]) => makes(name, unit, what)),
];
