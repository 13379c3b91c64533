/** Instants by the Gregorian calendar, in UTC. */
import { civilFromDays, daysFromCivil } from '../../value/time/calendar.js';
import { datetimeFrom } from '../../value/time/datetime.js';
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

const SECONDS_PER_DAY = 86_400;

/** Days since 1970. */
function dayNumber(datetime: Datetime): number {
  return Math.floor(datetime.seconds / SECONDS_PER_DAY);
}

/** Year, month, day and time of a datetime, in UTC. */
export function calendarOf(datetime: Datetime): CalendarTime {
  const days = dayNumber(datetime);
  const second = datetime.seconds - days * SECONDS_PER_DAY;
  // Spelled out: spreading the date into the literal takes fifty times as long.
  const { year, month, day } = civilFromDays(days);
  return {
    year,
    month,
    day,
    hour: Math.floor(second / 3600),
    minute: Math.floor(second / 60) % 60,
    second: second % 60,
    nanosecond: datetime.nanoseconds,
  };
}

/** The instant of such fields; `undefined` if there is no such day or time, or it is beyond the bounds. */
export function instantOf({ year, month, day, hour, minute, second, nanosecond }: CalendarTime): Datetime | undefined {
  if (!Number.isInteger(year) || !within(month, 1, 12) || !within(day, 1, daysIn(year, month))) return undefined;
  if (!within(hour, 0, 23) || !within(minute, 0, 59) || !within(second, 0, 59)) return undefined;
  if (!within(nanosecond, 0, 999_999_999)) return undefined;
  const seconds = daysFromCivil(year, month, day) * SECONDS_PER_DAY + hour * 3600 + minute * 60 + second;
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

/** 1 for Monday … 7 for Sunday. */
export function weekday(datetime: Datetime): number {
  // 1970 began on a Thursday.
  return ((((dayNumber(datetime) + 3) % 7) + 7) % 7) + 1;
}

/** 1 for the first of January. */
export function dayOfYear(datetime: Datetime): number {
  const days = dayNumber(datetime);
  return days - daysFromCivil(civilFromDays(days).year, 1, 1) + 1;
}

/** Week of ISO 8601: a week belongs to the year that its Thursday is in. */
export function isoWeek(datetime: Datetime): { readonly year: number; readonly week: number } {
  const thursday = new Datetime(datetime.seconds + (4 - weekday(datetime)) * SECONDS_PER_DAY, 0);
  return { year: civilFromDays(dayNumber(thursday)).year, week: Math.ceil(dayOfYear(thursday) / 7) };
}
