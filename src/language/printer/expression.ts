/** Expressions as canonical text, with no more parentheses than reading it back needs. */
import { escapeIdentifier, escapeObjectKey } from '../../value/text/quote.js';
import { toCode } from '../../value/text/text.js';
import { typeText } from '../../value/text/type-text.js';
import type { Type } from '../../value/type.js';
import type {
  Binary,
  BinaryOperator,
  Block,
  Cast,
  ClosureExpression,
  Expression,
  If,
  ObjectLiteral,
  Parameter,
  RangeExpression,
  RecordIdLiteral,
  Unary,
  UnaryOperator,
} from '../ast.js';
import { isChainable, POWER, powerOf } from '../precedence.js';
import { idiomText } from './idiom.js';
import { type ExpressionPrinters, list, type Printer, paramText, plainName } from './printer.js';
import { between, recordKeyText } from './record-key.js';

export const EXPRESSION_PRINTERS: ExpressionPrinters = {
  literal: ({ value }) => toCode(value),
  constant: ({ name }) => constantText(name),
  param: ({ name, current }) => (current ? '@' : paramText(name)),
  array: ({ items }, printer) => `[${list(items, printer.expression)}]`,
  set: ({ items }, printer) => setText(items, printer),
  object: objectText,
  'record-id': recordIdText,
  // `DELETE from` would wait for its table.
  table: ({ name }) => (name.toLowerCase() === 'from' ? `\`${name}\`` : escapeIdentifier(name)),
  mock: ({ table, count, range }) => `|${plainName(table)}:${range === undefined ? count : between(range, String)}|`,
  range: rangeText,
  idiom: idiomText,
  unary: unaryText,
  binary: binaryText,
  cast: castText,
  call: ({ path, args }, printer) => `${pathText(path)}(${list(args, printer.expression)})`,
  script: ({ args, body }, printer) => `function(${list(args, printer.expression)}) {${body}}`,
  closure: closureText,
  block: blockText,
  if: ifText,
  subquery: ({ statement }, printer) => `(${printer.statement(statement)})`,
};

/**
 * How tightly an expression holds together when it stands beside operators. What reaches as far right as it can
 * (closures, open ranges) and what begins like a statement is always put in parentheses.
 */
export function powerOfExpression(node: Expression): number {
  switch (node.kind) {
    case 'binary':
      return powerOf(node.operator);
    case 'range':
      return node.end === undefined ? 0 : POWER.range;
    case 'cast':
      return POWER.cast;
    case 'unary':
      return prefixPower(node);
    case 'closure':
    case 'if':
      return 0;
    default:
      return POWER.postfix;
  }
}

/** A unary operator before a cast takes what the cast takes. */
function prefixPower(node: Unary): number {
  let inner: Expression = node;
  while (inner.kind === 'unary') inner = inner.operand;
  return inner.kind === 'cast' ? POWER.cast : POWER.unary;
}

/** Expressions that look like the key of an object or the table of a record id at the beginning of a block or set. */
const KEY_LIKE = /^(?:\w+|`(?:[^`\\]|\\.)*`)\s*:(?!:)/;

/** A text that opens a block or set, in parentheses if it would be read as the key of an object. */
export function afterBrace(text: string): string {
  return KEY_LIKE.test(text) ? `(${text})` : text;
}

function setText(items: readonly Expression[], printer: Printer): string {
  if (items.length === 0) return '{,}';
  const [first, ...rest] = items.map(printer.expression);
  return `{${[afterBrace(first as string), ...rest].join(', ')}${rest.length === 0 ? ',' : ''}}`;
}

function objectText({ entries }: ObjectLiteral, printer: Printer): string {
  return `{ ${list(entries, ([key, value]) => `${escapeObjectKey(key)}: ${printer.expression(value)}`)} }`;
}

function recordIdText({ table, key }: RecordIdLiteral, printer: Printer): string {
  return `${plainName(table)}:${recordKeyText(key, printer)}`;
}

/** An operand. The reference engine puts record ids there in parentheses, needed or not. */
function operandText(node: Expression, power: number, printer: Printer): string {
  return node.kind === 'record-id' ? `(${printer.expression(node)})` : printer.operand(node, power);
}

function rangeText(node: RangeExpression, printer: Printer): string {
  return between(node, (value) => {
    const endsRange = value !== node.start?.value && value.kind === 'unary';
    const text = operandText(value, endsRange ? POWER.unary : POWER.postfix, printer);
    return value.kind !== 'record-id' && value === node.start?.value && endsInRecordId(value) ? `(${text})` : text;
  });
}

/** Whether dots behind the expression would be read as a range of keys: `a:1..5`. */
function endsInRecordId(node: Expression): boolean {
  let last = node;
  for (;;) {
    if (last.kind === 'unary' || last.kind === 'cast') last = last.operand;
    else if (last.kind === 'binary') last = last.right;
    else return last.kind === 'record-id';
  }
}

/**
 * Beginnings of an operand that would be read together with the operator: as a longer one, a comment or a number with a
 * sign.
 */
const JOINS: Readonly<Record<UnaryOperator, RegExp>> = {
  '!': /^!/,
  '!!': /^(?!)/,
  '+': /^(?:\d|Infinity)/,
  '-': /^(?:[-\d]|Infinity)/,
};

function unaryText({ operator, operand }: Unary, printer: Printer): string {
  const isPrefix = operand.kind === 'unary' || operand.kind === 'cast';
  const text = isPrefix ? printer.expression(operand) : operandText(operand, POWER.postfix, printer);
  return JOINS[operator].test(text) ? `${operator}(${text})` : operator + text;
}

function castText({ type, operand }: Cast, printer: Printer): string {
  const isPrefix = operand.kind === 'unary' || operand.kind === 'cast';
  return `<${typeText(type)}> ${isPrefix ? printer.expression(operand) : operandText(operand, POWER.nullish, printer)}`;
}

/** Walks down the left side in a loop, since a chain of operators is as deep as it is long. */
function binaryText(node: Binary, printer: Printer): string {
  const tails: string[] = [];
  let current = node;
  for (;;) {
    const power = powerOf(current.operator);
    tails.push(` ${operatorText(current.operator)} ${operandText(current.right, power + 1, printer)}`);
    const least = isChainable(power) ? power : power + 1;
    const { left } = current;
    if (left.kind !== 'binary' || powerOf(left.operator) < least) {
      tails.push(operandText(left, least, printer));
      return tails.reverse().join('');
    }
    current = left;
  }
}

/** The operators whose printed form isn't their name. */
const SPELLINGS: { readonly [O in BinaryOperator & string]?: string } = {
  '&&': 'AND',
  '||': 'OR',
  IN: 'INSIDE',
  'NOT IN': 'NOTINSIDE',
};

function operatorText(operator: BinaryOperator): string {
  if (typeof operator === 'string') return SPELLINGS[operator] ?? operator;
  if (operator.kind === 'matches') {
    const parts = [operator.reference, operator.operator === 'AND' ? undefined : operator.operator];
    return `@${parts.filter((part) => part !== undefined).join(',')}@`;
  }
  const { k, distance, ef } = operator;
  return `<|${[k, distance ?? ef].filter((part) => part !== undefined).join(',')}|>`;
}

function constantText(name: string): string {
  const at = name.lastIndexOf('::') + 2;
  return pathText(name.slice(0, at - 2)) + name.slice(at - 2).toUpperCase();
}

/** The path of a function; its first segment is valid at the start of any expression. */
function pathText(path: string): string {
  const [names = path, version] = path.split(/(?=<)/, 2);
  if (path.startsWith('ml::') && version !== undefined) return pathText(names) + version;
  const [first = '', ...rest] = path.split('::');
  return [escapeIdentifier(first), ...rest.map(plainName)].join('::');
}

function closureText({ parameters, returns, body }: ClosureExpression, printer: Printer): string {
  const text = returns === undefined ? '' : ` -> ${closureType(returns)}`;
  return `|${list(parameters, closureParameter)}|${text} ${closureBody(body, printer)}`;
}

/**
 * As the peer writes it: what begins with a path stands in parentheses (an arrow would announce the type of the
 * result), what leaves doesn't.
 */
function closureBody(body: Expression, printer: Printer): string {
  if (body.kind === 'subquery' && (body.statement.kind === 'return' || body.statement.kind === 'throw')) {
    return printer.statement(body.statement);
  }
  const text = printer.expression(body);
  return body.kind === 'if' || beginsWithPath(body) ? `(${text})` : text;
}

function beginsWithPath(body: Expression): boolean {
  let first: Expression | undefined = body;
  while (first?.kind === 'binary' || first?.kind === 'range') {
    first = first.kind === 'binary' ? first.left : first.start?.value;
  }
  if (first?.kind === 'idiom') return first.parts.some(({ kind }) => kind !== 'invoke');
  return first?.kind === 'table';
}

function closureParameter({ name, type }: Parameter): string {
  return `${paramText(name)}: ${closureType(type)}`;
}

/** A union is put in `<…>`, since `|` ends the parameters. */
function closureType(type: Type): string {
  return type.kind === 'union' ? `<${typeText(type)}>` : typeText(type);
}

function blockText({ statements }: Block, printer: Printer): string {
  const [first, ...rest] = statements;
  if (first === undefined) return '{;}';
  const head = afterBrace(printer.statement(first));
  if (rest.length === 0) return `{ ${head} }`;
  return `{ ${[head, ...rest.map(printer.statement)].join('; ')}; }`;
}

function ifText({ branches, otherwise }: If, printer: Printer): string {
  const hasThen = [...branches.map((branch) => branch.then), otherwise].some(
    (value) => value && value.kind !== 'block',
  );
  const then = hasThen ? ' THEN ' : ' ';
  let text = '';
  for (const branch of branches) {
    text += `${text === '' ? '' : ' ELSE '}IF ${printer.beforeBlock(branch.condition)}${then}${branchText(branch.then, printer)}`;
  }
  if (otherwise !== undefined) text += ` ELSE ${branchText(otherwise, printer)}`;
  return hasThen ? `${text} END` : text;
}

/** `IF` after ELSE would parse as part of the same IF. */
function branchText(value: Expression, printer: Printer): string {
  const text = printer.expression(value);
  return value.kind === 'if' ? `(${text})` : text;
}
