/** The types of grouped rows: keys, expressions over aggregate functions, and lists of values. */
import { findAggregate } from '../functions/aggregates.js';
import type { Expression, Group, Idiom, Projections } from '../language/ast.js';
import { printExpression } from '../language/print.js';
import { walk } from '../language/visitor.js';
import { projectionPath } from '../query/expression/projection-name.js';
import type { Type } from '../value/type.js';
import { writtenAt } from './projections.js';
import type { TypeScope } from './scope.js';
import { arrayOf, objectType, optionOf } from './types.js';

interface Key {
  readonly text: string;
  readonly path: readonly string[];
  readonly type: Type;
}

/** `scope` is that of a row that is grouped. */
export function groupedType(projections: Projections, group: Group, scope: TypeScope): Type {
  const keys = group.kind === 'all' ? [] : group.paths.map((path) => keyOf(path, projections, scope));
  const row = keys.reduce((made, { path, type }) => writtenAt(made, path, type), objectType([]));
  const inner = scope.grouped(row);
  const typeOf = (expression: Expression, alias: Idiom | undefined): Type => {
    const names = [printExpression(alias ?? expression), printExpression(expression)];
    const key = keys.find(({ text }) => text === names[0]) ?? keys.find(({ text }) => text === names[1]);
    if (key !== undefined) return key.type;
    if (hasAggregate(expression)) return inner.type(expression);
    const each = scope.type(expression);
    // A value that an operator refuses is NONE in such a list.
    return arrayOf(expression.kind === 'idiom' ? each : optionOf(each));
  };
  if (projections.kind === 'value') return typeOf(projections.expression, projections.alias);
  return projections.items.reduce(
    (made, item) =>
      item.kind === 'all' ? made : writtenAt(made, projectionPath(item), typeOf(item.expression, item.alias)),
    objectType([]),
  );
}

/** A key may name a projection by its alias; otherwise it is a path in the row. */
function keyOf(path: Idiom, projections: Projections, scope: TypeScope): Key {
  const text = printExpression(path);
  const items = projections.kind === 'fields' ? projections.items : [];
  for (const item of items) {
    if (item.kind === 'expression' && item.alias !== undefined && printExpression(item.alias) === text)
      return { text, path: projectionPath(item), type: scope.type(item.expression) };
  }
  return { text, path: projectionPath({ expression: path }), type: scope.type(path) };
}

function hasAggregate(root: Expression): boolean {
  let found = false;
  walk(root, {
    expression: (node) => {
      found ||= node.kind === 'call' && findAggregate(node.path) !== undefined;
      return node.kind !== 'subquery';
    },
  });
  return found;
}
