/** Values as people read them: laid out over lines where they are long, and in colour. */
import { stringifyJson } from '../../value/codecs/json.js';
import { sortedKeys } from '../../value/strings.js';
import { escapeObjectKey } from '../../value/text/quote.js';
import { toText } from '../../value/text/text.js';
import { isArray, isObject, kindOf, type Value } from '../../value/value.js';
import { type Color, escapeControls, paint, type Style } from './style.js';
import { formatTable } from './table.js';

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
