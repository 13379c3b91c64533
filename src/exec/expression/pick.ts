/** Plain paths, followed without evaluating anything and without reading records: for indexes, ORDER, GROUP and their like. */
import type { Part } from '../../language/ast.js';
import { isArray, isObject, SetValue, type Value } from '../../value/value.js';
import { lastElement, plainElementAt } from './index-step.js';

/** The value at a path; NONE where the path asks for more than a plain one may. Like other paths it maps into arrays. */
export function pickPath(value: Value, parts: readonly Part[], from = 0): Value {
  const part = parts[from];
  if (part === undefined) return value;
  switch (part.kind) {
    case 'field':
      if (isObject(value)) return pickPath(value[part.name], parts, from + 1);
      return mapItems(value, (item) => pickPath(item, parts, from));
    case 'all':
      return mapItems(value, (item) => pickPath(item, parts, from + 1), value);
    case 'index':
      return part.index.kind === 'literal'
        ? pickPath(plainElementAt(value, part.index.value), parts, from + 1)
        : undefined;
    case 'last':
      return pickPath(lastElement(value), parts, from + 1);
    case 'optional':
      return pickPath(value, parts, from + 1);
    default:
      return undefined;
  }
}

function mapItems(value: Value, map: (item: Value) => Value, otherwise?: Value): Value {
  const items = value instanceof SetValue ? value.items : value;
  return isArray(items) ? items.map(map) : otherwise;
}
