/**
 * Which values have an editor of their own, and what it shows of their code. What it shows is always a part of the code, so that a value
 * comes back bit by bit, and a code that wouldn't is left to the editor of code.
 */
import { choicesOf, linkedTables, takesFiles } from '../../connection/kinds.js';

export type EditorName = 'bool' | 'int' | 'float' | 'decimal' | 'datetime' | 'duration' | 'choice' | 'link' | 'file';

export interface Editor {
  readonly name: EditorName;
  /** What the manner of writing is called. */
  readonly title: string;
  /** What is expected, where it is wrong. */
  readonly expected: string;
  /** Whether it is the code of such a value. */
  accepts(code: string): boolean;
}

const INT = /^-?\d+$/;
const SMALLEST = -(2n ** 63n);

/** Of the years that an input of the browser shows: those of four digits, from 1 on. */
const DATETIME = /^d'((?!0000)\d{4}-\d\d-\d\d)T((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(\.\d{1,9})?Z'$/;

const BOOL: Editor = {
  name: 'bool',
  title: 'Yes or no',
  expected: 'true or false',
  accepts: (code) => code === 'true' || code === 'false',
};
const SCALARS: readonly Editor[] = [
  BOOL,
  {
    name: 'int',
    title: 'Integer',
    expected: 'a whole number of 64 bits',
    accepts: (code) => INT.test(code) && BigInt(code) >= SMALLEST && BigInt(code) < -SMALLEST,
  },
  {
    name: 'float',
    title: 'Float',
    expected: 'a number such as 1.5',
    accepts: (code) => /^-?\d+(\.\d+)?([eE][+-]?\d+)?f$/.test(code) && Number.isFinite(Number(code.slice(0, -1))),
  },
  {
    name: 'decimal',
    title: 'Decimal',
    expected: 'a number such as 1.5',
    accepts: (code) => /^-?\d+(\.\d+)?dec$/.test(code),
  },
  {
    name: 'datetime',
    title: 'Date and time',
    expected: 'a date and a time',
    accepts: (code) => {
      const [, day, time] = DATETIME.exec(code) ?? [];
      // Days that a month doesn't have would be shown as none.
      return day !== undefined && new Date(`${day}T${time}Z`).toJSON()?.slice(0, 10) === day;
    },
  },
  {
    name: 'duration',
    title: 'Duration',
    expected: 'a duration such as 1h30m',
    accepts: (code) => /^(\d+(ns|us|µs|μs|ms|s|m|h|d|w|y))+$/.test(code),
  },
];

const CHOICE: Omit<Editor, 'accepts'> = { name: 'choice', title: 'Choice', expected: 'one of the choices' };
const LINK: Editor = {
  name: 'link',
  title: 'Record',
  expected: 'a record such as person:ann',
  accepts: (code) => /^(\w+|`(?:\\.|[^`\\])*`):[^:]/s.test(code),
};

const FILE: Editor = {
  name: 'file',
  title: 'File',
  expected: 'a file of a bucket',
  accepts: (code) => /^(f"(?:\\.|[^"\\])*"|type::file\(.*\))$/s.test(code),
};

/** The editor of a field by its type, and by the code of its value if there is one; `undefined`: that of code. */
export function editorFor(kind: string, code: string): Editor | undefined {
  const choices = choicesOf(kind);
  const ofKind =
    choices.length > 0 && !choices.every(BOOL.accepts)
      ? { ...CHOICE, accepts: (given: string) => choices.includes(given) }
      : linkedTables(kind).length > 0
        ? LINK
        : takesFiles(kind)
          ? FILE
          : SCALARS.find(({ name }) => name === kind.replace(/^none \| /, ''));
  if (code === '' || ofKind?.accepts(code)) return ofKind;
  return [...SCALARS, FILE].find(({ accepts }) => accepts(code));
}

const SUFFIX: Partial<Readonly<Record<EditorName, string>>> = { float: 'f', decimal: 'dec' };

/** A number without the letters that say its kind. */
export function shownNumber(name: EditorName, code: string): string {
  return code.slice(0, code.length - (SUFFIX[name] ?? '').length);
}

export function numberCode(name: EditorName, shown: string): string {
  return shown === '' ? '' : `${shown.trim()}${SUFFIX[name] ?? ''}`;
}

/** Date and time of a code in UTC, to the second, and the fraction of a second as written: `.120`. */
export function shownTime(code: string): { readonly time: string; readonly fraction: string } {
  const [, day, time, fraction = ''] = DATETIME.exec(code) ?? [];
  return { time: day === undefined ? '' : `${day}T${time}`, fraction };
}

/** Browsers leave out seconds that are 0. */
export function timeCode(time: string, fraction: string): string {
  return time === '' ? '' : `d'${time.length === 16 ? `${time}:00` : time}${fraction}Z'`;
}
