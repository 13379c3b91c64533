/**
 * Datetimes in formats of the user's own: `%Y-%m-%d %H:%M:%S` and the other directives of `strftime`, always in UTC.
 */
import type { Datetime } from '../../value/value.js';
import { type CalendarTime, calendarOf, dayOfYear, instantOf, isoWeek, weekday } from './calendar.js';

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

const DIRECTIVE = /%([-_0])?(:{1,3}z|\.[369]?f|[369]f|[A-Za-z+%])|%/g;

/** Directives that abbreviate others. */
const COMPOSED: Readonly<Record<string, string>> = {
  c: '%a %b %e %H:%M:%S %Y',
  D: '%m/%d/%y',
  F: '%Y-%m-%d',
  h: '%b',
  r: '%I:%M:%S %p',
  R: '%H:%M',
  T: '%H:%M:%S',
  v: '%e-%b-%Y',
  x: '%m/%d/%y',
  X: '%H:%M:%S',
  '+': '%Y-%m-%dT%H:%M:%S%.f%:z',
};

interface Moment extends CalendarTime {
  readonly datetime: Datetime;
}

/** A number and its padded width, by default with zeros. */
interface NumberField {
  readonly width: number;
  readonly blank?: true;
  of(moment: Moment): number;
}

const NUMBERS: Readonly<Record<string, NumberField>> = {
  C: { width: 2, of: ({ year }) => Math.floor(year / 100) },
  d: { width: 2, of: ({ day }) => day },
  e: { width: 2, blank: true, of: ({ day }) => day },
  g: { width: 2, of: ({ datetime }) => twoDigits(isoWeek(datetime).year) },
  H: { width: 2, of: ({ hour }) => hour },
  I: { width: 2, of: ({ hour }) => hour % 12 || 12 },
  j: { width: 3, of: ({ datetime }) => dayOfYear(datetime) },
  k: { width: 2, blank: true, of: ({ hour }) => hour },
  l: { width: 2, blank: true, of: ({ hour }) => hour % 12 || 12 },
  m: { width: 2, of: ({ month }) => month },
  M: { width: 2, of: ({ minute }) => minute },
  q: { width: 1, of: ({ month }) => Math.ceil(month / 3) },
  s: { width: 1, of: ({ datetime }) => datetime.seconds },
  S: { width: 2, of: ({ second }) => second },
  u: { width: 1, of: ({ datetime }) => weekday(datetime) },
  U: { width: 2, of: ({ datetime }) => Math.floor((dayOfYear(datetime) + 6 - (weekday(datetime) % 7)) / 7) },
  V: { width: 2, of: ({ datetime }) => isoWeek(datetime).week },
  w: { width: 1, of: ({ datetime }) => weekday(datetime) % 7 },
  W: { width: 2, of: ({ datetime }) => Math.floor((dayOfYear(datetime) + 7 - weekday(datetime)) / 7) },
  y: { width: 2, of: ({ year }) => twoDigits(year) },
};

const TEXTS: Readonly<Record<string, (moment: Moment) => string>> = {
  a: ({ datetime }) => weekdayName(datetime).slice(0, 3),
  A: ({ datetime }) => weekdayName(datetime),
  b: ({ month }) => (MONTHS[month - 1] as string).slice(0, 3),
  B: ({ month }) => MONTHS[month - 1] as string,
  f: ({ nanosecond }) => digits(nanosecond, 9),
  '.f': ({ nanosecond }) => fraction(nanosecond),
  '.3f': ({ nanosecond }) => `.${digits(nanosecond, 3)}`,
  '.6f': ({ nanosecond }) => `.${digits(nanosecond, 6)}`,
  '.9f': ({ nanosecond }) => `.${digits(nanosecond, 9)}`,
  '3f': ({ nanosecond }) => digits(nanosecond, 3),
  '6f': ({ nanosecond }) => digits(nanosecond, 6),
  '9f': ({ nanosecond }) => digits(nanosecond, 9),
  G: ({ datetime }) => longYear(isoWeek(datetime).year),
  n: () => '\n',
  p: ({ hour }) => (hour < 12 ? 'AM' : 'PM'),
  P: ({ hour }) => (hour < 12 ? 'am' : 'pm'),
  t: () => '\t',
  Y: ({ year }) => longYear(year),
  z: () => '+0000',
  ':z': () => '+00:00',
  '::z': () => '+00:00:00',
  ':::z': () => '+00',
  Z: () => 'UTC',
  '%': () => '%',
};

function weekdayName(datetime: Datetime): string {
  return WEEKDAYS[weekday(datetime) % 7] as string;
}

function twoDigits(year: number): number {
  return ((year % 100) + 100) % 100;
}

function longYear(year: number): string {
  if (year >= 0 && year <= 9999) return String(year).padStart(4, '0');
  return `${year < 0 ? '-' : '+'}${String(Math.abs(year)).padStart(4, '0')}`;
}

function digits(nanosecond: number, count: number): string {
  return String(nanosecond).padStart(9, '0').slice(0, count);
}

/** No more digits than needed, in groups of three. */
function fraction(nanosecond: number): string {
  if (nanosecond === 0) return '';
  const count = nanosecond % 1_000_000 === 0 ? 3 : nanosecond % 1_000 === 0 ? 6 : 9;
  return `.${digits(nanosecond, count)}`;
}

const PADDING: Readonly<Record<string, string>> = { '-': '', _: ' ', '0': '0' };

/** The datetime in the format, or `undefined` if that holds an unknown directive. */
export function formatTime(datetime: Datetime, format: string): string | undefined {
  const moment: Moment = Object.assign(calendarOf(datetime), { datetime });
  let unknown = false;
  const directive = (_: string, modifier: string | undefined, name: string): string => {
    const field = NUMBERS[name];
    if (field !== undefined) {
      const padding = PADDING[modifier ?? (field.blank ? '_' : '0')] as string;
      const number = field.of(moment);
      return padding === '' ? String(number) : String(number).padStart(field.width, padding);
    }
    const text = TEXTS[name];
    if (text !== undefined) return text(moment);
    const composed = COMPOSED[name];
    if (composed !== undefined) return composed.replace(DIRECTIVE, directive);
    unknown = true;
    return '';
  };
  const result = format.replace(DIRECTIVE, directive);
  return unknown ? undefined : result;
}

// ─── Reading ───

/** The fields parsed so far. */
type Fields = Partial<Record<keyof CalendarTime | 'hour12' | 'afternoon' | 'yearDay' | 'timestamp', number>>;

/** The text that a directive accepts, and its effect. */
interface ReadField {
  readonly pattern: RegExp;
  store(fields: Fields, text: string): void;
}

const numeric = (width: number, name: keyof Fields, map: (number: number) => number = Number): ReadField => ({
  pattern: new RegExp(`\\s*(\\d{1,${width}})`, 'y'),
  store: (fields, text) => {
    fields[name] = map(Number(text));
  },
});
const signed = (width: number, name: keyof Fields): ReadField => ({
  ...numeric(width, name),
  pattern: new RegExp(`\\s*([+-]?\\d{1,${width}})`, 'y'),
});
const ignored = (pattern: RegExp): ReadField => ({ pattern, store: () => {} });
const monthName: ReadField = {
  pattern: new RegExp(`(${MONTHS.map((name) => `${name.slice(0, 3)}(?:${name.slice(3)})?`).join('|')})`, 'iy'),
  store: (fields, text) => {
    fields.month = MONTHS.findIndex((name) => name.toLowerCase().startsWith(text.slice(0, 3).toLowerCase())) + 1;
  },
};
const weekdayText = ignored(
  new RegExp(`(${WEEKDAYS.map((name) => `${name.slice(0, 3)}(?:${name.slice(3)})?`).join('|')})`, 'iy'),
);
const halfOfDay: ReadField = {
  pattern: /([ap]m)/iy,
  store: (fields, text) => {
    fields.afternoon = /p/i.test(text) ? 1 : 0;
  },
};
const nanoseconds = (pattern: RegExp): ReadField => ({
  pattern,
  store: (fields, text = '') => {
    fields.nanosecond = Number(text.slice(0, 9).padEnd(9, '0'));
  },
});
const zone = (pattern: RegExp) => ignored(pattern);

const READ: Readonly<Record<string, ReadField>> = {
  a: weekdayText,
  A: weekdayText,
  b: monthName,
  B: monthName,
  d: numeric(2, 'day'),
  e: numeric(2, 'day'),
  f: nanoseconds(/\s*(\d{1,9})/y),
  '.f': nanoseconds(/(?:\.(\d+))?/y),
  '.3f': nanoseconds(/(?:\.(\d+))?/y),
  '.6f': nanoseconds(/(?:\.(\d+))?/y),
  '.9f': nanoseconds(/(?:\.(\d+))?/y),
  '3f': nanoseconds(/(\d{3})/y),
  '6f': nanoseconds(/(\d{6})/y),
  '9f': nanoseconds(/(\d{9})/y),
  H: numeric(2, 'hour'),
  I: numeric(2, 'hour12'),
  j: numeric(3, 'yearDay'),
  k: numeric(2, 'hour'),
  l: numeric(2, 'hour12'),
  m: numeric(2, 'month'),
  M: numeric(2, 'minute'),
  n: ignored(/(\s*)/y),
  p: halfOfDay,
  P: halfOfDay,
  s: signed(15, 'timestamp'),
  S: numeric(2, 'second'),
  t: ignored(/(\s*)/y),
  u: ignored(/([1-7])/y),
  w: ignored(/([0-6])/y),
  y: numeric(2, 'year', (year) => year + (year < 70 ? 2000 : 1900)),
  Y: signed(6, 'year'),
  z: zone(/([+-]\d\d:?\d\d)/y),
  ':z': zone(/([+-]\d\d:?\d\d)/y),
  Z: zone(/(\S+)/y),
  '%': ignored(/(%)/y),
};

/** Whether a text is a whole datetime, with date and time, in the format. */
export function matchesFormat(text: string, format: string): boolean {
  const fields: Fields = {};
  const end = readAs(text, 0, format, fields);
  return end === text.length && isWhole(fields);
}

/** The end of the text that matches the format, or −1. */
function readAs(text: string, start: number, format: string, fields: Fields): number {
  let position = start;
  let literalFrom = 0;
  for (const match of format.matchAll(DIRECTIVE)) {
    position = readLiteral(text, position, format.slice(literalFrom, match.index));
    literalFrom = match.index + match[0].length;
    const name = match[2] ?? '';
    const composed = COMPOSED[name];
    if (position >= 0)
      position =
        composed === undefined
          ? readField(text, position, READ[name], fields)
          : readAs(text, position, composed, fields);
    if (position < 0) return -1;
  }
  return readLiteral(text, position, format.slice(literalFrom));
}

/** A blank in the format matches any number of blanks. */
function readLiteral(text: string, start: number, literal: string): number {
  let position = start;
  for (const character of literal) {
    if (/\s/.test(character)) {
      while (/\s/.test(text.charAt(position))) position++;
    } else if (text.startsWith(character, position)) position += character.length;
    else return -1;
  }
  return position;
}

function readField(text: string, start: number, field: ReadField | undefined, fields: Fields): number {
  if (field === undefined) return -1;
  field.pattern.lastIndex = start;
  const match = field.pattern.exec(text);
  if (match === null) return -1;
  field.store(fields, match[1] as string);
  return field.pattern.lastIndex;
}

function isWhole(fields: Fields): boolean {
  if (fields.timestamp !== undefined) return true;
  const { year, month, day, yearDay, hour12, afternoon, minute, second = 0, nanosecond = 0 } = fields;
  const hour =
    fields.hour ?? (hour12 === undefined || afternoon === undefined ? undefined : (hour12 % 12) + afternoon * 12);
  if (year === undefined || hour === undefined || minute === undefined) return false;
  if (hour12 !== undefined && (hour12 < 1 || hour12 > 12)) return false;
  const date = yearDay === undefined ? { month, day } : { month: month ?? 1, day: day ?? 1 };
  if (date.month === undefined || date.day === undefined || (yearDay !== undefined && (yearDay < 1 || yearDay > 366)))
    return false;
  return instantOf({ year, month: date.month, day: date.day, hour, minute, second, nanosecond }) !== undefined;
}
