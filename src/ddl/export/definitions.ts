import { type Definition, statementOf } from '../../catalog/definitions/stored-definition.js';
import type { Statement } from '../../language/ast.js';
import { type PrintOptions, printStatement } from '../../language/print.js';
import { valueExpression } from '../../language/value-code.js';

/** Definitions as statements, each on a line of its own. */
export function definitionLines(definitions: Iterable<Definition>, options: PrintOptions): string {
  let lines = '';
  for (const definition of definitions) lines += `${definitionText(definition, options)};\n`;
  return lines;
}

function definitionText(definition: Definition, options: PrintOptions): string {
  const exact = HOLDS_SECRETS.has(definition.kind) ? options : { secrets: true };
  return printStatement(exportable(definition), exact);
}

/** All others are printed as written, since the parts that INFO leaves out or fills in matter. */
const HOLDS_SECRETS: ReadonlySet<Definition['kind']> = new Set<Definition['kind']>(['define-user', 'define-access']);

function exportable(definition: Definition): Statement {
  return definition.kind === 'define-param'
    ? { ...definition, value: valueExpression(definition.value) }
    : statementOf(definition);
}
