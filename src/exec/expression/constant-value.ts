import type { Expression } from '../../language/ast.js';
import { setFrom } from '../../value/order.js';
import { newObject, RecordId, type RecordKey, type Value } from '../../value/value.js';

/** A value in a box, since NONE is a value too. */
export interface Known {
  readonly value: Value;
}

/** The value of an expression that is written out: literals, and collections and record ids of such. Values are immutable, so that one does for all. */
export function constantValue(expression: Expression): Known | undefined {
  switch (expression.kind) {
    case 'literal':
      return expression;
    case 'array': {
      const items = constantItems(expression.items);
      return items && { value: items };
    }
    case 'set': {
      const items = constantItems(expression.items);
      return items && { value: setFrom(items) };
    }
    case 'object': {
      const object = newObject();
      for (const [key, member] of expression.entries) {
        const known = constantValue(member);
        if (known === undefined) return undefined;
        object[key] = known.value;
      }
      return { value: object };
    }
    case 'record-id': {
      const known = expression.key.kind === 'key' ? constantValue(expression.key.value) : undefined;
      return known && { value: new RecordId(expression.table, known.value as RecordKey) };
    }
    default:
      return undefined;
  }
}

function constantItems(expressions: readonly Expression[]): Value[] | undefined {
  const items: Value[] = [];
  for (const expression of expressions) {
    const known = constantValue(expression);
    if (known === undefined) return undefined;
    items.push(known.value);
  }
  return items;
}
