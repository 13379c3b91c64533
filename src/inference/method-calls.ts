/** The types of `.name(args)`: of the function that a method means for what it is called on. */
import { methodForKind } from '../functions/methods.js';
import type { Part } from '../language/ast.js';
import type { Type } from '../value/type.js';
import { type Kind, kindOf } from '../value/value.js';
import { resultOf } from './function-results.js';
import type { TypeScope } from './scope.js';
import { ANY, alternativesOf, isAnyType, NEVER, unionOf } from './types.js';

export function methodType(type: Type, { name, args }: Extract<Part, { kind: 'method' }>, scope: TypeScope): Type {
  const rows = alternativesOf(type).map((one) => {
    const kind = kindOfType(one);
    return { one, row: kind === undefined ? undefined : methodForKind(kind, name) };
  });
  const expected = rows.find(({ row }) => row !== undefined)?.row?.parameters ?? [];
  const given = args.map((arg, at) => ({ expression: arg, type: scope.type(arg, expected[at + 1]?.type) }));
  return unionOf(
    rows.map(({ one, row }) => {
      if (row !== undefined) return resultOf(row, [{ type: one }, ...given], scope);
      // A field may hold a closure; on other values a missing method is an error.
      return isAnyType(one) || one.kind === 'object' ? ANY : NEVER;
    }),
  );
}

/** The kind of the values of a type, if they are of one. */
function kindOfType(type: Type): Kind | undefined {
  switch (type.kind) {
    case 'any':
    case 'union':
      return undefined;
    case 'number':
      return 'int';
    case 'tuple':
      return 'array';
    case 'literal':
      return kindOf(type.value);
    default:
      return type.kind;
  }
}
