/** Instants: RFC 3339 with nanoseconds, years −262143 … 262142, always printed in UTC. */
import { Datetime } from './value.js';

export const MIN_DATETIME = new Datetime(Date.UTC(-262143, 0, 1) / 1000, 0);
export const MAX_DATETIME = new Datetime(Date.UTC(262142, 11, 31, 23, 59, 59) / 1000, 999_999_999);

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

/** From milliseconds since 1970, as `Date` counts them. */
export function datetimeFromMilliseconds(milliseconds: number): Datetime | undefined {
  const seconds = Math.floor(milliseconds / 1000);
  return datetimeFrom(seconds, Math.round((milliseconds - seconds * 1000) * 1e6));
}

export function datetimeNanoseconds(datetime: Datetime): bigint {
  return BigInt(datetime.seconds) * NANOSECONDS_PER_SECOND + BigInt(datetime.nanoseconds);
}

export function datetimeMilliseconds(datetime: Datetime): number {
  return datetime.seconds * 1000 + datetime.nanoseconds / 1e6;
}

const DATETIME =
  /^([+-]?\d{4,6})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,64}))?(?:[Zz]|([+-])(\d\d):(\d\d)))?$/;

/** Reads RFC 3339 (seconds and zone required) or a date alone; `undefined` if it isn't one. Digits beyond the ninth are cut off. */
export function parseDatetime(text: string): Datetime | undefined {
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
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  // A day that the month doesn't have runs over into the next one.
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return undefined;
  const zone = (Number(zoneHour) * 60 + Number(zoneMinute)) * (sign === '-' ? -60 : 60);
  const seconds = date.getTime() / 1000 + Number(hour) * 3600 + Number(minute) * 60 + Number(second) - zone;
  return datetimeFrom(seconds, Number(fraction.slice(0, 9).padEnd(9, '0')));
}

/** `2020-01-01T00:00:00Z`, with as many digits after the point as are needed: none, three, six or nine. */
export function formatDatetime(datetime: Datetime): string {
  const { nanoseconds } = datetime;
  const date = new Date(datetime.seconds * 1000);
  const year = date.getUTCFullYear();
  const iso = date.toISOString();
  const text = year >= 0 && year <= 9999 ? iso.slice(0, 19) : `${longYear(year)}${iso.slice(7, 22)}`;
  return nanoseconds === 0 ? `${text}Z` : `${text}.${fractionDigits(nanoseconds)}Z`;
}

/** Beyond four digits a year carries its sign. */
function longYear(year: number): string {
  return `${year < 0 ? '-' : '+'}${String(Math.abs(year)).padStart(4, '0')}`;
}

function fractionDigits(nanoseconds: number): string {
  const digits = String(nanoseconds).padStart(9, '0');
  if (nanoseconds % 1_000_000 === 0) return digits.slice(0, 3);
  return nanoseconds % 1_000 === 0 ? digits.slice(0, 6) : digits;
}
