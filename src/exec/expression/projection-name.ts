/** Under which name a projection stands in its row: the alias, or what the expression is called. */
import type { Expression, Idiom, Part } from '../../language/ast.js';
import { printExpression, printStatement } from '../../language/print.js';

/** The names, from the outermost in, at which a projection is written: `a.b` gives `{a: {b: …}}`. */
export function projectionPath({
  expression,
  alias,
}: {
  readonly expression: Expression;
  readonly alias?: Idiom;
}): readonly string[] {
  if (alias === undefined) return expressionPath(expression);
  const names = alias.parts.flatMap((part) => (part.kind === 'field' ? [part.name] : []));
  return names.length === 0 ? [printExpression(alias)] : names;
}

function expressionPath(expression: Expression): readonly string[] {
  switch (expression.kind) {
    case 'idiom':
      return idiomPath(expression);
    case 'param':
      return [expression.name];
    case 'call':
      return [expression.path];
    case 'subquery':
      return [printStatement(expression.statement)];
    default:
      return [printExpression(expression)];
  }
}

/** Fields and graph steps nest; what only chooses or changes (indexes, filters, methods …) doesn't show. */
function idiomPath(idiom: Idiom): readonly string[] {
  const { start, parts } = idiom;
  const alias = parts.findLast((part) => part.kind === 'graph' && part.alias !== undefined);
  if (alias?.kind === 'graph' && alias.alias !== undefined)
    return projectionPath({ expression: idiom, alias: alias.alias });
  const names = namesOf(parts);
  if (start === undefined) return names.length === 0 ? [printExpression(idiom)] : names;
  if (parts[0]?.kind === 'invoke') return [printExpression(idiom)];
  if (start.kind !== 'param') return [printExpression(names.length === 0 ? start : idiom)];
  if (start.current) return names.length === 0 ? ['this'] : names;
  return [printExpression(start), ...names];
}

function namesOf(parts: readonly Part[]): string[] {
  return parts.flatMap((part) => {
    switch (part.kind) {
      case 'field':
        return [part.name];
      case 'graph':
        return [printExpression({ kind: 'idiom', parts: [part] })];
      case 'recursion':
        return namesOf(part.path);
      default:
        return [];
    }
  });
}
