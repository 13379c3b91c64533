/** What full-text search sees of a value: its texts, in order. */
import { MAX_UNFOLDED } from '../../value/limits.js';
import { Decimal, Float, isArray, isObject, type Value } from '../../value/value.js';
import { tooLarge } from '../../value/walk.js';

/**
 * Texts; numbers and booleans as texts; what arrays and objects hold of these, at any depth, the members of objects in
 * the order of their names. Nothing of other kinds.
 * @throws TesseraError `value_too_large`
 */
export function textsOf(value: Value): string[] {
  if (typeof value === 'string') return [value];
  const texts: string[] = [];
  const waiting: Value[] = [value];
  let visited = 0;
  while (waiting.length > 0) {
    if (++visited > MAX_UNFOLDED) throw tooLarge(MAX_UNFOLDED);
    const each = waiting.pop();
    if (isArray(each)) for (let at = each.length - 1; at >= 0; at--) waiting.push(each[at]);
    else if (isObject(each)) {
      for (const name of Object.keys(each).sort().reverse()) waiting.push(each[name]);
    } else {
      const text = textOf(each);
      if (text !== undefined) texts.push(text);
    }
  }
  return texts;
}

function textOf(value: Value): string | undefined {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
    case 'bigint':
    case 'boolean':
      return String(value);
    default:
      if (value instanceof Float) return String(value.number);
      return value instanceof Decimal ? value.number.toString() : undefined;
  }
}
