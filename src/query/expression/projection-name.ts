/** The name of a projection in its row: the alias, or a name derived from the expression. */
import type { Expression, Idiom, Part } from '../../language/ast.js';
import { printExpression, printStatement } from '../../language/print.js';
import { escapeIdentifier, escapeName } from '../../value/text/quote.js';

interface Named {
  readonly expression: Expression;
  readonly alias?: Idiom;
}

/** The path, outermost name first, at which a projection of SELECT is written: `a.b` gives `{a: {b: …}}`. */
export function projectionPath({ expression, alias }: Named): readonly string[] {
  if (alias === undefined) return expressionPath(expression);
  const names = alias.parts.flatMap((part) => (part.kind === 'field' ? [part.name] : []));
  return names.length === 0 ? [printExpression(alias)] : pathOf(names);
}

/** The same where nothing is selected, as behind RETURN: there the names of fields are never quoted. */
export function fieldPath(named: Named): readonly string[] {
  const { expression, alias = expression } = named;
  if (alias.kind !== 'idiom' || alias.start !== undefined || alias.parts.some(({ kind }) => kind === 'graph')) {
    return projectionPath(named);
  }
  const names = namesOf(alias.parts);
  return names.length === 0 ? projectionPath(named) : names;
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

/** Names joined to a path; a single name isn't quoted, nor is a keyword behind a dot. */
function pathOf(names: readonly string[]): readonly string[] {
  const [first = '', ...rest] = names;
  return rest.length === 0 ? [first] : nested([escapeIdentifier(first), ...rest.map(escapeName)]);
}

/** Characters that need quoting in a path. */
const UNFIT = /[ ([]/;

/** Names nest unless something in one of them can't stand in a path. */
function nested(names: readonly string[]): readonly string[] {
  return names.some((name) => UNFIT.test(name)) ? [names.join('.')] : names;
}

/** Fields and graph steps nest; what only chooses or changes (indexes, filters, methods …) doesn't show. */
function idiomPath(idiom: Idiom): readonly string[] {
  const { start, parts } = idiom;
  const alias = parts.findLast((part) => part.kind === 'graph' && part.alias !== undefined);
  if (alias?.kind === 'graph' && alias.alias !== undefined)
    return projectionPath({ expression: idiom, alias: alias.alias });
  if (parts[0]?.kind === 'invoke') return [printExpression(idiom)];
  const names = namesOf(parts);
  if (hasGraphStep(parts)) return names;
  if (start === undefined) return names.length === 0 ? [printExpression(idiom)] : pathOf(names);
  if (start.kind === 'param' && start.current) return pathOf(names);
  return nested([...startNames(start), ...names.map(escapeName)]);
}

/** The name of the value at which a path begins. */
function startNames(start: Expression): readonly string[] {
  if (start.kind === 'idiom') {
    const path = printExpression(flattened(start));
    return UNFIT.test(path) ? [path] : path.split('.');
  }
  const path = printExpression({ kind: 'idiom', start, parts: [{ kind: 'last' }] });
  return [path.slice(0, -'[$]'.length)];
}

/** `((a.b).c).d` as `a.b.c.d`. */
function flattened(idiom: Idiom): Idiom {
  if (idiom.start?.kind !== 'idiom') return idiom;
  const outer = flattened(idiom.start);
  return { ...outer, parts: [...outer.parts, ...idiom.parts] };
}

/** Whether a path goes along edges or references, in what is repeated of it, too. */
function hasGraphStep(parts: readonly Part[]): boolean {
  return parts.some(
    (part) => part.kind === 'graph' || (part.kind === 'recursion' && !part.enclosed && hasGraphStep(part.path)),
  );
}

function namesOf(parts: readonly Part[]): string[] {
  return parts.flatMap((part) => {
    switch (part.kind) {
      case 'field':
        return [part.name];
      case 'graph':
        return [printExpression({ kind: 'idiom', parts: [part] })];
      case 'recursion':
        return part.enclosed ? [] : namesOf(part.path);
      default:
        return [];
    }
  });
}
