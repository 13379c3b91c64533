/**
 * Walking over and rewriting syntax trees. One table names the children of each kind of node; a kind that is forgotten
 * doesn't compile.
 *
 * Trees are as high as the parser's limits let them be (`Limits.height`), which recursion here stands.
 */
import type { Expression, Statement } from './ast.js';
import { isKnownConstant } from './constant-value.js';
import { DEFINITION_MAPPERS, mapDefinition } from './definitions/define.js';
import { EXPRESSION_MAPPERS } from './visitor/expressions.js';
import { type Mapper, type NodeMappers, same, update } from './visitor/rebuild.js';
import { STATEMENT_MAPPERS } from './visitor/statements.js';

const ALL_STATEMENTS: NodeMappers<Statement> = {
  ...STATEMENT_MAPPERS,
  ...DEFINITION_MAPPERS,
  alter: (node, mapper) => update(node, { definition: mapDefinition(node.definition, mapper) }),
};

function isStatement(node: Expression | Statement): node is Statement {
  return node.kind in ALL_STATEMENTS;
}

/** The node with the expressions and statements right inside it mapped; itself if none of them has changed. */
export function mapChildren<Node extends Expression | Statement>(node: Node, mapper: Mapper): Node {
  const rows: Readonly<Record<string, unknown>> = isStatement(node) ? ALL_STATEMENTS : EXPRESSION_MAPPERS;
  return (rows[node.kind] as (node: Node, mapper: Mapper) => Node)(node, mapper);
}

export interface Visitor {
  /** Called before the children; `false` skips them. */
  expression?(node: Expression): unknown;
  statement?(node: Statement): unknown;
}

/** Visits a node and all expressions and statements in it, outer ones first, in the order of the text. */
export function walk(root: Expression | Statement, visitor: Visitor): void {
  const mapper: Mapper = {
    expression(node) {
      if (visitor.expression?.(node) !== false && !isKnownConstant(node)) mapChildren(node, mapper);
      return node;
    },
    statement(node) {
      if (visitor.statement?.(node) !== false) mapChildren(node, mapper);
      return node;
    },
  };
  if (isStatement(root)) mapper.statement(root);
  else mapper.expression(root);
}

/** Returns the replacement of an expression, or `undefined` to visit its children. */
export type Replace = (node: Expression) => Expression | undefined;

/** Rewrites the expressions of a statement, those in subqueries included, outer ones first. */
export function transform<Node extends Expression | Statement>(root: Node, replace: Replace): Node {
  const mapper: Mapper = {
    expression: (node) => replace(node) ?? mapChildren(node, mapper),
    statement: (node) => mapChildren(node, mapper),
  };
  return isStatement(root) ? mapChildren(root, mapper) : (mapper.expression(root) as Node);
}

/**
 * Rewrites an expression without visiting parts with their own rows or params: statements, blocks and closures.
 */
export function transformExpression(root: Expression, replace: Replace): Expression {
  const mapper: Mapper = {
    expression: (node) => replace(node) ?? (node.kind === 'closure' ? node : mapChildren(node, mapper)),
    statement: same,
  };
  return mapper.expression(root);
}
