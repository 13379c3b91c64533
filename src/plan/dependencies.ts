/** The dependencies of an expression, derived conservatively from its syntax. */
import type { Expression, Param } from '../language/ast.js';
import { RECORD_PARAMS } from '../language/engine-params.js';

/**
 * Whether an expression has the same value for every record of a scan, so that it can be computed once before the scan
 * begins. Subqueries, blocks and closures are taken to depend on the record.
 */
export function isDocumentFree(expression: Expression): boolean {
  switch (expression.kind) {
    case 'literal':
    case 'constant':
      return true;
    case 'param':
      return !RECORD_PARAMS.has(expression.name);
    case 'array':
    case 'set':
      return expression.items.every(isDocumentFree);
    case 'range':
      return [expression.start, expression.end].every((bound) => bound === undefined || isDocumentFree(bound.value));
    case 'record-id':
      return expression.key.kind === 'key' && isDocumentFree(expression.key.value);
    case 'object':
      return expression.entries.every(([, value]) => isDocumentFree(value));
    case 'cast':
    case 'unary':
      return isDocumentFree(expression.operand);
    case 'binary':
      return isDocumentFree(expression.left) && isDocumentFree(expression.right);
    case 'call':
      return (
        !expression.path.startsWith('fn::') &&
        !/^(rand|sleep)/.test(expression.path) &&
        expression.args.every(isDocumentFree)
      );
    case 'idiom':
      return (
        expression.start !== undefined &&
        isDocumentFree(expression.start) &&
        expression.parts.every((part) => part.kind === 'field' || part.kind === 'last' || part.kind === 'all')
      );
    default:
      return false;
  }
}

/**
 * The param of `$auth.id`: where it names a record that is there, it is its id. Only good for guesses at what will be
 * read, as that of another value or of a missing record is something else.
 */
export function paramOfId(expression: Expression): Param | undefined {
  if (expression.kind !== 'idiom' || expression.start?.kind !== 'param') return undefined;
  const [part, ...others] = expression.parts;
  return part?.kind === 'field' && part.name === 'id' && others.length === 0 ? expression.start : undefined;
}
