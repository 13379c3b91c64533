/** The types of what closures give. */
import type { ClosureExpression } from '../language/ast.js';
import type { Type } from '../value/type.js';
import type { TypeScope } from './scope.js';
import { ANY, isAnyType } from './types.js';

/** What a closure gives for arguments of these types. */
export function closureResult(node: ClosureExpression, given: readonly Type[], scope: TypeScope): Type {
  const inner = scope.block();
  for (const [at, { name, type }] of node.parameters.entries())
    inner.set(name, isAnyType(type) ? (given[at] ?? ANY) : type);
  const { returns } = scope.inference;
  const before = returns.length;
  const body = inner.type(node.body);
  returns.length = before;
  return node.returns ?? body;
}
