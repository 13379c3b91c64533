/** Days and dates of the Gregorian calendar. */

// The calendar repeats every 400 years. Counting years from March puts the leap day at their end, so that the days
// before a month follow from one formula: (153 m + 2) / 5.
const DAYS_IN_ERA = 146_097;
/** From 0000-03-01 to 1970-01-01. */
const EPOCH = 719_468;

/** A day of the Gregorian calendar, reckoned backwards and forwards without end. Months and days count from 1. */
export interface CivilDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/** The days from 1970-01-01 to a date. */
export function daysFromCivil(year: number, month: number, day: number): number {
  const marchYear = month <= 2 ? year - 1 : year;
  const era = Math.floor(marchYear / 400);
  const yearOfEra = marchYear - era * 400;
  const dayOfYear = Math.trunc((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.trunc(yearOfEra / 4) - Math.trunc(yearOfEra / 100) + dayOfYear;
  return era * DAYS_IN_ERA + dayOfEra - EPOCH;
}

/** The date so many days after 1970-01-01. */
export function civilFromDays(days: number): CivilDate {
  const shifted = days + EPOCH;
  const era = Math.floor(shifted / DAYS_IN_ERA);
  const dayOfEra = shifted - era * DAYS_IN_ERA;
  const leapDays = Math.trunc(dayOfEra / 1460) - Math.trunc(dayOfEra / 36_524) + Math.trunc(dayOfEra / 146_096);
  const yearOfEra = Math.trunc((dayOfEra - leapDays) / 365);
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.trunc(yearOfEra / 4) - Math.trunc(yearOfEra / 100));
  const fromMarch = Math.trunc((5 * dayOfYear + 2) / 153);
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
  const day = dayOfYear - Math.trunc((153 * fromMarch + 2) / 5) + 1;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day };
}
