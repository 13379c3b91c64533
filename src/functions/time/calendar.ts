/** Instants by the Gregorian calendar, in UTC. */
import { datetimeFrom } from '../../value/datetime.js';
import { Datetime } from '../../value/value.js';

export interface CalendarTime {
  readonly year: number;
  /** 1 … 12. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly nanosecond: number;
}

/** By the fields of an instant. */
export function calendarOf(datetime: Datetime): CalendarTime {
  const date = new Date(datetime.seconds * 1000);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    nanosecond: datetime.nanoseconds,
  };
}

/** The instant of such fields; `undefined` if there is no such day or time, or it is beyond the bounds. */
export function instantOf({ year, month, day, hour, minute, second, nanosecond }: CalendarTime): Datetime | undefined {
  const fits =
    within(month, 1, 12) && within(day, 1, daysIn(year, month)) && within(hour, 0, 23) && within(minute, 0, 59);
  if (!fits || !within(second, 0, 59) || !within(nanosecond, 0, 999_999_999) || !Number.isInteger(year))
    return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const seconds = date.getTime() / 1000 + hour * 3600 + minute * 60 + second;
  return datetimeFrom(seconds, nanosecond);
}

function within(number: number, low: number, high: number): boolean {
  return Number.isInteger(number) && number >= low && number <= high;
}

export function isLeapYear(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function daysIn(year: number, month: number): number {
  return month === 2 && isLeapYear(year) ? 29 : (DAYS[month - 1] ?? 0);
}

const SECONDS_PER_DAY = 86_400;

/** Days since 1970. */
function dayNumber(datetime: Datetime): number {
  return Math.floor(datetime.seconds / SECONDS_PER_DAY);
}

/** 1 for Monday … 7 for Sunday. */
export function weekday(datetime: Datetime): number {
  // 1970 began on a Thursday.
  return ((((dayNumber(datetime) + 3) % 7) + 7) % 7) + 1;
}

/** 1 for the first of January. */
export function dayOfYear(datetime: Datetime): number {
  const start = new Date(0);
  start.setUTCFullYear(new Date(datetime.seconds * 1000).getUTCFullYear(), 0, 1);
  return dayNumber(datetime) - start.getTime() / (SECONDS_PER_DAY * 1000) + 1;
}

/** Week of ISO 8601: a week belongs to the year that its Thursday is in. */
export function isoWeek(datetime: Datetime): { readonly year: number; readonly week: number } {
  const thursday = new Datetime(datetime.seconds + (4 - weekday(datetime)) * SECONDS_PER_DAY, 0);
  const year = new Date(thursday.seconds * 1000).getUTCFullYear();
  return { year, week: Math.ceil(dayOfYear(thursday) / 7) };
}
