/** Instants: RFC 3339 with nanoseconds, years −262143 … 262142, always printed in UTC. */
import { Datetime } from '../value.js';
import { civilFromDays, daysFromCivil } from './calendar.js';

const DAY = 86_400;

export const MIN_DATETIME = new Datetime(daysFromCivil(-262143, 1, 1) * DAY, 0);
export const MAX_DATETIME = new Datetime(daysFromCivil(262143, 1, 1) * DAY - 1, 999_999_999);

const NANOSECONDS_PER_SECOND = 1_000_000_000n;

/** An instant, or `undefined` beyond the bounds. `nanoseconds` is 0 … 999,999,999. */
export function datetimeFrom(seconds: number, nanoseconds: number): Datetime | undefined {
  if (!(seconds >= MIN_DATETIME.seconds && seconds <= MAX_DATETIME.seconds)) return undefined;
  return new Datetime(seconds, nanoseconds);
}

/** From nanoseconds since 1970; `undefined` beyond the bounds. */
export function datetimeFromNanoseconds(total: bigint): Datetime | undefined {
  let seconds = total / NANOSECONDS_PER_SECOND;
  let nanoseconds = total % NANOSECONDS_PER_SECOND;
  if (nanoseconds < 0n) {
    seconds -= 1n;
    nanoseconds += NANOSECONDS_PER_SECOND;
  }
  return datetimeFrom(Number(seconds), Number(nanoseconds));
}

/**
 * Nanoseconds since 1970 UTC as a datetime. What is beyond the range of datetimes becomes the last of them.
 *
 *     toDatetime(1_000_000_000n)   // d'1970-01-01T00:00:01Z'
 */
export function toDatetime(nanoseconds: bigint): Datetime {
  return datetimeFromNanoseconds(nanoseconds) ?? MAX_DATETIME;
}

/** From milliseconds since 1970, as `Date` counts them. */
export function datetimeFromMilliseconds(milliseconds: number): Datetime | undefined {
  const seconds = Math.floor(milliseconds / 1000);
  return datetimeFrom(seconds, Math.round((milliseconds - seconds * 1000) * 1e6));
}

/**
 * Nanoseconds since 1970 UTC.
 *
 *     datetimeNanoseconds(new Datetime(1n, 5))   // 1000000005n
 */
export function datetimeNanoseconds(datetime: Datetime): bigint {
  return BigInt(datetime.seconds) * NANOSECONDS_PER_SECOND + BigInt(datetime.nanoseconds);
}

/** Milliseconds since 1970 UTC, with a fraction. */
export function datetimeMilliseconds(datetime: Datetime): number {
  return datetime.seconds * 1000 + datetime.nanoseconds / 1e6;
}

const DATETIME =
  /^([+-]?\d{4,6})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,64}))?(?:[Zz]|([+-])(\d\d):(\d\d))[\t-\r\p{Zs}]*)?$/u;

/** A text with more characters, blanks after it included, is none: to read on would hold others up. */
const MAX_TEXT = 65_536;

/**
 * Reads RFC 3339 (seconds and zone required, blanks after them allowed) or a date alone; `undefined` if it isn't one.
 * Digits beyond the ninth are cut off.
 */
export function parseDatetime(text: string): Datetime | undefined {
  if (text.length > MAX_TEXT) return undefined;
  const match = DATETIME.exec(text);
  if (match === null) return undefined;
  const [
    ,
    year,
    month,
    day,
    hour = '0',
    minute = '0',
    second = '0',
    fraction = '',
    sign,
    zoneHour = '0',
    zoneMinute = '0',
  ] = match;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  if (Number(zoneHour) > 23 || Number(zoneMinute) > 59) return undefined;
  const days = daysFromCivil(Number(year), Number(month), Number(day));
  // A day that the month doesn't have is one of the next month.
  const date = civilFromDays(days);
  if (date.month !== Number(month) || date.day !== Number(day)) return undefined;
  const zone = (Number(zoneHour) * 60 + Number(zoneMinute)) * (sign === '-' ? -60 : 60);
  const seconds = days * DAY + Number(hour) * 3600 + Number(minute) * 60 + Number(second) - zone;
  return datetimeFrom(seconds, Number(fraction.slice(0, 9).padEnd(9, '0')));
}

/** `2020-01-01T00:00:00Z`, with as many digits after the point as are needed: none, three, six or nine. */
export function formatDatetime({ seconds, nanoseconds }: Datetime): string {
  const days = Math.floor(seconds / DAY);
  const { year, month, day } = civilFromDays(days);
  const second = seconds - days * DAY;
  const time = `${pad(Math.trunc(second / 3600))}:${pad(Math.trunc(second / 60) % 60)}:${pad(second % 60)}`;
  const fraction = nanoseconds === 0 ? '' : `.${fractionDigits(nanoseconds)}`;
  return `${yearText(year)}-${pad(month)}-${pad(day)}T${time}${fraction}Z`;
}

function pad(number: number): string {
  return number < 10 ? `0${number}` : `${number}`;
}

/** Four digits; beyond them, and below zero, with a sign. */
function yearText(year: number): string {
  if (year >= 1000 && year <= 9999) return `${year}`;
  const digits = String(Math.abs(year)).padStart(4, '0');
  return year < 0 ? `-${digits}` : year > 9999 ? `+${digits}` : digits;
}

function fractionDigits(nanoseconds: number): string {
  const digits = String(nanoseconds).padStart(9, '0');
  if (nanoseconds % 1_000_000 === 0) return digits.slice(0, 3);
  return nanoseconds % 1_000 === 0 ? digits.slice(0, 6) : digits;
}
