/**
 * Syntax tree to canonical text, as the reference engine prints it. Reading the text gives the same tree again; where a
 * definition is shown with its defaults filled in and its secrets left out, that holds with the option `secrets` only.
 */
import type { ObjectValue } from '../value/value.js';
import type {
  Block,
  DefineConfig,
  DefineStatement,
  Expression,
  Idiom,
  Order,
  Projections,
  Query,
  Statement,
} from './ast.js';
import { alterLevelText, alterText } from './definitions/alter.js';
import { DEFINITION_PRINTERS, definitionObject } from './definitions/define.js';
import { configText } from './definitions/define-config.js';
import { orderText, projectionsText } from './printer/clauses.js';
import { EXPRESSION_PRINTERS, powerOfExpression } from './printer/expression.js';
import { idiomText } from './printer/idiom.js';
import type { Printer, PrintOptions, StatementPrinters } from './printer/printer.js';
import { STATEMENT_PRINTERS } from './printer/statement.js';

export type { PrintOptions } from './printer/printer.js';

const ALL_STATEMENTS: StatementPrinters = {
  ...STATEMENT_PRINTERS,
  ...DEFINITION_PRINTERS,
  alter: alterText,
  'alter-level': alterLevelText,
};

function makePrinter(secrets: boolean): Printer {
  const expression = (node: Expression): string =>
    (EXPRESSION_PRINTERS[node.kind] as (node: Expression, printer: Printer) => string)(node, printer);
  const statement = (node: Statement): string =>
    (ALL_STATEMENTS[node.kind] as (node: Statement, printer: Printer) => string)(node, printer);
  const printer: Printer = {
    secrets,
    expression,
    statement,
    operand: (node, power) => (powerOfExpression(node) < power ? `(${expression(node)})` : expression(node)),
    beforeBlock: (node) =>
      node.kind === 'range' && node.end === undefined ? `(${expression(node)})` : expression(node),
    idiom: (node: Idiom) => idiomText(node, printer),
    block: (node: Block) => expression(node),
  };
  return printer;
}

const SHOWN = makePrinter(false);
const EXACT = makePrinter(true);

function printerFor(options: PrintOptions | undefined): Printer {
  return options?.secrets === true ? EXACT : SHOWN;
}

/**
 * An expression; a statement as a value has no parentheses.
 *
 *     printExpression(parseExpression('a+1'))   // a + 1
 */
export function printExpression(expression: Expression, options?: PrintOptions): string {
  const printer = printerFor(options);
  return expression.kind === 'subquery' ? printer.statement(expression.statement) : printer.expression(expression);
}

/**
 * A statement as canonical text, without a semicolon.
 *
 *     printStatement(parse('select * from person;').statements[0])   // SELECT * FROM person
 */
export function printStatement(statement: Statement, options?: PrintOptions): string {
  return printerFor(options).statement(statement);
}

/** Projections: `*, a AS b` or `VALUE a`. */
export function printProjections(projections: Projections, options?: PrintOptions): string {
  return projectionsText(projections, printerFor(options));
}

/**
 * A path, as the keys of `INFO FOR TABLE` show it.
 *
 *     printIdiom({ kind: 'idiom', parts: [{ kind: 'field', name: 'a' }, { kind: 'all' }] })   // a.*
 */
export function printIdiom(idiom: Idiom, options?: PrintOptions): string {
  return printerFor(options).idiom(idiom);
}

/** The clause `ORDER BY …`. */
export function printOrder(order: Order): string | undefined {
  return orderText(order, SHOWN);
}

/** All statements, each with a semicolon, one on a line. */
export function printQuery(query: Query, options?: PrintOptions): string {
  const printer = printerFor(options);
  return query.statements.map((statement) => `${printer.statement(statement)};`).join('\n');
}

/** A configuration as INFO shows it: `GRAPHQL TABLES AUTO FUNCTIONS AUTO`. */
export function printConfig(definition: Pick<DefineConfig, 'config' | 'comment'>, options?: PrintOptions): string {
  return configText(definition, printerFor(options));
}

/**
 * A definition as an object, as INFO … STRUCTURE shows it, without secrets. Its clauses are members, and those that it
 * lacks are left out.
 *
 *     describeStatement(parse('DEFINE PARAM $a VALUE 1').statements[0])   // { name: 'a', permissions: true, value: '1' }
 */
export function describeStatement(statement: DefineStatement): ObjectValue {
  return definitionObject(statement, SHOWN);
}
