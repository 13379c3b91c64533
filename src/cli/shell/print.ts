/** Values as people read them: laid out over lines where they are long, and in colour. */
import { stringifyJson } from '../../value/codecs/json.js';
import { sortedKeys } from '../../value/strings.js';
import { escapeObjectKey } from '../../value/text/quote.js';
import { toText } from '../../value/text/text.js';
import { isArray, isObject, kindOf, type ObjectValue, type Value } from '../../value/value.js';
import { cutToWidth, displayWidth } from './display-width.js';
import { type Color, escapeControls, paint, type Style } from './style.js';

const INDENT = '  ';

/**
 * `{"a":[1]}` with a line for each item, without reading its numbers, which JavaScript couldn't hold exactly. The text
 * must be JSON without blanks.
 */
function indentJson(text: string): string {
  let depth = 0;
  const line = () => `\n${INDENT.repeat(depth)}`;
  return text.replace(/"(?:[^"\\]|\\.)*"|\[\]|\{\}|[[\]{},:]/g, (part) => {
    switch (part) {
      case '[':
      case '{':
        depth++;
        return part + line();
      case ']':
      case '}':
        depth--;
        return line() + part;
      case ',':
        return part + line();
      case ':':
        return ': ';
      default:
        return part;
    }
  });
}

/** Deeper values are printed in one line. */
const MAX_DEPTH = 32;
/** An array of more items is laid out, however short they are. */
const MAX_INLINE = 100;

const COLOR_OF: Readonly<Partial<Record<string, Color>>> = {
  none: 'dim',
  null: 'dim',
  bool: 'constant',
  int: 'number',
  float: 'number',
  decimal: 'number',
  string: 'text',
  record: 'record',
  table: 'record',
  uuid: 'record',
  datetime: 'time',
  duration: 'time',
};

/** A result as a literal in one line, or indented if requested or too wide. */
export function formatValue(value: Value, style: Style): string {
  if (style.json) {
    const text = stringifyJson(value);
    return escapeControls(style, style.pretty ? indentJson(text) : text);
  }
  const table = style.table ? formatTable(value, style, (kind) => COLOR_OF[kind]) : undefined;
  if (table !== undefined) return table;
  return style.pretty || style.isTerminal ? layOut(value, '', style) : toText(value);
}

/** What stands before the value in its line doesn't count, so that a line may be somewhat longer than the terminal. */
function layOut(value: Value, indent: string, style: Style): string {
  const depth = indent.length / INDENT.length;
  if (depth >= MAX_DEPTH || !(isArray(value) || isObject(value)) || isShort(value, style.width - indent.length)) {
    return inline(value, style, depth);
  }
  const below = indent + INDENT;
  const lines = isArray(value)
    ? value.map((item) => layOut(item, below, style))
    : sortedKeys(value).map((key) => `${keyText(key, style)}: ${layOut(value[key], below, style)}`);
  const [open, close] = isArray(value) ? '[]' : '{}';
  return `${open}\n${lines.map((line) => below + line).join(',\n')}\n${indent}${close}`;
}

function isShort(value: Value, width: number): boolean {
  if (isArray(value) && value.length > MAX_INLINE) return false;
  return toText(value).length <= width;
}

function inline(value: Value, style: Style, depth: number): string {
  if (depth >= MAX_DEPTH || !style.color) return escapeControls(style, toText(value));
  if (isArray(value)) return `[${value.map((item) => inline(item, style, depth + 1)).join(', ')}]`;
  if (isObject(value)) {
    const fields = sortedKeys(value).map((key) => `${keyText(key, style)}: ${inline(value[key], style, depth + 1)}`);
    return fields.length === 0 ? '{  }' : `{ ${fields.join(', ')} }`;
  }
  const color = COLOR_OF[kindOf(value)];
  const text = escapeControls(style, toText(value));
  return color === undefined ? text : paint(style, color, text);
}

function keyText(key: string, style: Style): string {
  return escapeControls(style, escapeObjectKey(key));
}

// Lists of objects as tables: a row for each, a column for each field.

/** Narrower columns say nothing. */
const LEAST_WIDTH = 8;
const BETWEEN = ' | ';
const NUMBERS: ReadonlySet<string> = new Set(['int', 'float', 'decimal']);

interface Cell {
  readonly text: string;
  readonly color: Color | undefined;
  readonly isNumber: boolean;
}

const EMPTY: Cell = { text: '', color: undefined, isNumber: false };

/**
 * The table of a list of objects; `undefined` for any other value, and where the terminal is too narrow for the
 * columns. On a terminal, long cells are cut; in a pipe they never are.
 *
 *      id       | age | name
 *     ----------+-----+-------
 *      person:1 |  18 | 'Ann'
 */
function formatTable(value: Value, style: Style, colorOf: (kind: string) => Color | undefined): string | undefined {
  if (!isArray(value) || value.length === 0 || !value.every((item): item is ObjectValue => isObject(item))) {
    return undefined;
  }
  const columns = columnsOf(value);
  if (columns.length === 0) return undefined;
  const rows = value.map((item) => columns.map((name) => cellOf(item[name], style, colorOf)));
  const titles = columns.map((name) => ({ ...EMPTY, text: escapeControls(style, name) }));
  const natural = titles.map(({ text }, at) =>
    rows.reduce((most, row) => Math.max(most, displayWidth((row[at] as Cell).text)), displayWidth(text)),
  );
  const widths = style.isTerminal ? fitted(natural, style.width) : natural;
  if (widths === undefined) return undefined;
  const line = (cells: readonly Cell[], color?: Color) =>
    ` ${cells.map((cell, at) => padded(cell, widths[at] as number, style, color)).join(BETWEEN)}`.trimEnd();
  const rule = widths.map((width) => '-'.repeat(width + 2)).join('+');
  return [line(titles, 'dim'), paint(style, 'dim', rule), ...rows.map((row) => line(row))].join('\n');
}

/** The fields of all objects, the id first. */
function columnsOf(rows: readonly ObjectValue[]): string[] {
  const names = new Set<string>();
  if (rows.some((row) => row['id'] !== undefined)) names.add('id');
  for (const row of rows) for (const name of sortedKeys(row)) names.add(name);
  return [...names];
}

function cellOf(value: Value, style: Style, colorOf: (kind: string) => Color | undefined): Cell {
  // A row that lacks a field and one in which it is NONE are the same.
  if (value === undefined) return EMPTY;
  const kind = kindOf(value);
  return { text: escapeControls(style, toText(value)), color: colorOf(kind), isNumber: NUMBERS.has(kind) };
}

function padded({ text, color: own, isNumber }: Cell, width: number, style: Style, color = own): string {
  const shown = cutToWidth(text, width);
  const blanks = ' '.repeat(Math.max(0, width - displayWidth(shown)));
  const painted = color === undefined || shown === '' ? shown : paint(style, color, shown);
  return isNumber ? blanks + painted : painted + blanks;
}

/** Widths that fit the terminal: the widest columns shrink first. */
function fitted(natural: readonly number[], terminal: number): readonly number[] | undefined {
  const available = terminal - (natural.length - 1) * BETWEEN.length - 2;
  const sum = (bound: number) => natural.reduce((total, width) => total + Math.min(width, bound), 0);
  let bound = Math.max(LEAST_WIDTH, ...natural);
  if (sum(bound) <= available) return natural;
  if (sum(LEAST_WIDTH) > available) return undefined;
  let low = LEAST_WIDTH;
  while (low + 1 < bound) {
    const middle = (low + bound) >> 1;
    if (sum(middle) <= available) low = middle;
    else bound = middle;
  }
  return natural.map((width) => Math.min(width, low));
}
