/** Durations: `1h30m`. A year is 365 days, a week 7; nothing is negative. */
import { Duration } from '../value.js';

const NANOSECONDS = {
  y: 31_536_000_000_000_000n,
  w: 604_800_000_000_000n,
  d: 86_400_000_000_000n,
  h: 3_600_000_000_000n,
  m: 60_000_000_000n,
  s: 1_000_000_000n,
  ms: 1_000_000n,
  µs: 1_000n,
  ns: 1n,
} as const;
export type DurationUnit = keyof typeof NANOSECONDS;

/** The length of each unit, the longest first. */
export const DURATION_UNITS: Readonly<Record<DurationUnit, bigint>> = NANOSECONDS;

const SECOND = NANOSECONDS.s;
/** 2^64 − 1 seconds and 999,999,999 nanoseconds. */
export const MAX_DURATION = (2n ** 64n - 1n) * SECOND + SECOND - 1n;

/** A duration of so many nanoseconds, or `undefined` if it would be negative or too long. */
export function durationFromNanoseconds(nanoseconds: bigint): Duration | undefined {
  return nanoseconds < 0n || nanoseconds > MAX_DURATION ? undefined : new Duration(nanoseconds);
}

/** A duration of whole seconds and nanoseconds; `undefined` beyond the longest duration. */
export function durationFrom(parts: {
  readonly seconds?: number | bigint;
  readonly nanoseconds?: number | bigint;
}): Duration | undefined {
  return durationFromNanoseconds(BigInt(parts.seconds ?? 0) * SECOND + BigInt(parts.nanoseconds ?? 0));
}

/** The whole seconds of a duration. */
export function durationSeconds(duration: Duration): bigint {
  return duration.nanoseconds / SECOND;
}

/** The nanoseconds beyond the whole seconds. */
export function durationSubseconds(duration: Duration): number {
  return Number(duration.nanoseconds % SECOND);
}

/** In milliseconds, for timers and deadlines. */
export function durationMilliseconds(duration: Duration): number {
  return Number(duration.nanoseconds) / 1e6;
}

// `µ` is written as the micro sign, the Greek letter or `u`.
const PART = /(\d{1,20})(ns|us|µs|μs|ms|[smhdwy])/y;
const MAX_PARTS = 64;
/** A text with more characters, blanks around it included, is none: to read on would hold others up. */
const MAX_TEXT = 65_536;
const BLANKS = /[\t-\r\p{Zs}]*/uy;

/**
 * Reads `1h30m`, in any order of units, with or without blanks around it; `undefined` if it isn't one or is too long a
 * time.
 */
export function parseDuration(text: string): Duration | undefined {
  if (text.length > MAX_TEXT) return undefined;
  let total = 0n;
  PART.lastIndex = afterBlanks(text, 0);
  for (let parts = 0; parts < MAX_PARTS; parts++) {
    const start = PART.lastIndex;
    if (start === text.length) return parts === 0 ? undefined : durationFromNanoseconds(total);
    const match = PART.exec(text);
    if (match === null) {
      return parts > 0 && afterBlanks(text, start) === text.length ? durationFromNanoseconds(total) : undefined;
    }
    const unit = match[2] === 'us' || match[2] === 'μs' ? 'µs' : (match[2] as DurationUnit);
    total += BigInt(match[1] as string) * NANOSECONDS[unit];
  }
  return undefined;
}

function afterBlanks(text: string, offset: number): number {
  BLANKS.lastIndex = offset;
  BLANKS.exec(text);
  return BLANKS.lastIndex;
}

/** `1y2w3d4h5m6s7ms8µs9ns`; zero is `0ns`. */
export function formatDuration(duration: Duration): string {
  let rest = duration.nanoseconds;
  if (rest === 0n) return '0ns';
  let text = '';
  for (const [unit, length] of Object.entries(NANOSECONDS)) {
    if (rest < length) continue;
    text += `${rest / length}${unit}`;
    rest %= length;
  }
  return text;
}
