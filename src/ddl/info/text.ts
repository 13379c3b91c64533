/** Definitions as INFO prints them, without secrets. */
import { type Definition, statementOf } from '../../catalog/definitions/stored-definition.js';
import type { Expression } from '../../language/ast.js';
import { printExpression, printStatement } from '../../language/print.js';

/** A definition as the statement that makes it, with secrets redacted. */
export function definitionText(definition: Definition): string {
  return printStatement(statementOf(definition));
}

/** Code as STRUCTURE shows it: a subquery as the statement that it is, without its parentheses. */
export function structureCode(expression: Expression): string {
  return expression.kind === 'subquery' ? printStatement(expression.statement) : printExpression(expression);
}
