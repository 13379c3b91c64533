/**
 * The context of the printer's parts, through which they call each other, so that the files don't import each
 * other.
 */
import { escapeIdentifier, escapeName as plainName } from '../../value/text/quote.js';
import type { Block, Expression, Idiom, Name, Statement } from '../ast.js';

export interface PrintOptions {
  /**
   * Print definitions as they are, to be stored, exported or run again: keys, hashes and passwords in clear, and only
   * the clauses that were written. Without it they are printed as INFO shows them: secrets as `[REDACTED]` and defaults
   * filled in.
   */
  readonly secrets?: boolean;
}

/** A row for each kind of node. A kind that is forgotten doesn't compile. */
export type ExpressionPrinters = {
  readonly [K in Expression['kind']]: (node: Extract<Expression, { kind: K }>, printer: Printer) => string;
};
export type StatementPrinters = {
  readonly [K in Statement['kind']]: (node: Extract<Statement, { kind: K }>, printer: Printer) => string;
};

/** The context of printer functions; `print.ts` creates it. */
export interface Printer {
  readonly secrets: boolean;
  /** An expression where any may stand; statements in it are in parentheses. */
  expression(node: Expression): string;
  /** An expression that is put in parentheses if its operators bind less tightly than `power`. */
  operand(node: Expression, power: number): string;
  /** An expression before a block: a range that is open at its end is put in parentheses. */
  beforeBlock(node: Expression): string;
  idiom(node: Idiom): string;
  statement(node: Statement): string;
  block(node: Block): string;
}

export { plainName };

export function paramText(name: string): string {
  return `$${plainName(name)}`;
}

/** `fn::a::b`. */
export function functionPath(name: string): string {
  return `fn::${name.split('::').map(plainName).join('::')}`;
}

/** What stands in place of secrets: password hashes and keys. */
export const REDACTED = '[REDACTED]';
export const REDACTED_LITERAL = `'${REDACTED}'`;

/** A name of a definition. An expression that begins like a fixed name is put in parentheses. */
export function nameText(name: Name, printer: Printer): string {
  if (typeof name === 'string') return escapeIdentifier(name);
  const text = printer.expression(name);
  return name.kind !== 'call' && /^[A-Za-z_`]/.test(text) ? `(${text})` : text;
}

export function list<T>(items: readonly T[], text: (item: T) => string): string {
  return items.map(text).join(', ');
}

/** The clauses that are there, after blanks: `clauses('WHERE a', undefined, 'LIMIT 1')` is ` WHERE a LIMIT 1`. */
export function clauses(...parts: readonly (string | false | undefined)[]): string {
  let text = '';
  for (const part of parts) {
    if (part) text += ` ${part}`;
  }
  return text;
}

/** `KEYWORD text`, if there is anything to say. */
export function clause<T>(keyword: string, node: T | undefined, text: (node: T) => string): string | undefined {
  return node === undefined ? undefined : `${keyword} ${text(node)}`;
}
