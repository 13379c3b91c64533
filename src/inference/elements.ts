/** `[index]` and `[$]`. */
import type { Expression } from '../language/ast.js';
import { constantValue } from '../language/constant-value.js';
import type { Type } from '../value/type.js';
import type { TypeScope } from './scope.js';
import { ANY, alternativesOf, fieldIn, INT, isAnyType, itemOf, mapType, NONE, optionOf, STRING } from './types.js';

/** An element by its place, a field by its name, a slice by a range; NONE where there is no such thing. */
export function elementType(type: Type, index: Expression, scope: TypeScope): Type {
  const isNamed = alternativesOf(type).every(({ kind }) => kind === 'object' || kind === 'none');
  const at = scope.type(index, isNamed ? STRING : INT);
  const constant = constantValue(index)?.value;
  return mapType(type, (one) => {
    if (isAnyType(one) || one.kind === 'record') return ANY;
    if (one.kind === 'object')
      return typeof constant === 'string' ? (fieldIn(one, constant) ?? (isClosed(one) ? NONE : ANY)) : ANY;
    if (one.kind === 'tuple' && typeof constant === 'number') return one.items[constant] ?? NONE;
    const item = itemOf(one);
    if (item === undefined) return NONE;
    if (isAnyType(at)) return ANY;
    return optionOf(at.kind === 'range' ? one : item);
  });
}

function isClosed({ fields, open }: Extract<Type, { kind: 'object' }>): boolean {
  return fields !== undefined && open !== true;
}

/** The last element; a value that isn't an array is its own last element. */
export function lastType(type: Type): Type {
  return mapType(type, (one) => {
    if (one.kind === 'tuple') return one.items.at(-1) ?? NONE;
    return one.kind === 'array' ? optionOf(itemOf(one) ?? ANY) : one;
  });
}
