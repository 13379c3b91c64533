/** Keys of record ids and ranges as text. */
import { escapeRecordPart } from '../../value/text/quote.js';
import type { Expression, RecordKeyExpression } from '../ast.js';
import type { Printer } from './printer.js';

/** The key of a record id. */
export function recordKeyText(key: RecordKeyExpression, printer: Printer): string {
  switch (key.kind) {
    case 'key':
      return keyText(key.value, printer);
    case 'generate':
      return `${key.generator}()`;
    case 'key-range':
      return between(key, (value) => keyText(value, printer));
  }
}

function keyText(value: Expression, printer: Printer): string {
  const isText = value.kind === 'literal' && typeof value.value === 'string';
  return isText ? escapeRecordPart(value.value as string) : printer.expression(value);
}

interface Bound<T> {
  readonly value: T;
  readonly inclusive: boolean;
}

/** `1>..=5`, with the bounds as `text` gives them. */
export function between<T>(
  range: { readonly start?: Bound<T>; readonly end?: Bound<T> },
  text: (value: T) => string,
): string {
  const { start, end } = range;
  const from = start === undefined ? '' : `${text(start.value)}${start.inclusive ? '' : '>'}`;
  return `${from}..${end === undefined ? '' : `${end.inclusive ? '=' : ''}${text(end.value)}`}`;
}
