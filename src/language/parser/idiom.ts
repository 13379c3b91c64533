/** Paths: what follows a value or stands alone at the beginning of one. */
import type { DestructureField, Expression, Idiom, Part, Recursion } from '../ast.js';
import { DIRECTIONS, graphStep } from './graph.js';
import type { Parser } from './parser.js';

/** A path as clauses name one (`SET a.b`, `ORDER BY a`, `AS x.y`): its first word is never a keyword. */
export function idiom(parser: Parser): Idiom {
  const first: Part[] = [];
  if (!isPathStart(parser)) first.push({ kind: 'field', name: parser.name() });
  return { kind: 'idiom', parts: parts(parser, first) };
}

/** Whether the current token begins a path of its own: a graph step. */
export function isPathStart(parser: Parser): boolean {
  return parser.kind === 'punct' && DIRECTIONS.has(parser.text);
}

/** Appends the parts that follow to `path`. A value may be called at once only if it is `callable`. */
export function parts(parser: Parser, path: Part[], callable = false): Part[] {
  while (parser.kind === 'punct') {
    const part = nextPart(parser, callable || path.length > 0);
    if (part === undefined) break;
    path.push(part);
    parser.grow();
    if (part.kind === 'recursion' && part.path.length === 0)
      path[path.length - 1] = { ...part, path: recursed(parser) };
  }
  return path;
}

function nextPart(parser: Parser, callable: boolean): Part | undefined {
  switch (parser.text) {
    case '.':
      parser.advance();
      return afterDot(parser);
    case '[':
      return bracketed(parser);
    case '(':
      return callable ? { kind: 'invoke', args: parser.args() } : undefined;
    case '?':
      return optional(parser);
    default: {
      const direction = DIRECTIONS.get(parser.text);
      return direction === undefined ? undefined : graphStep(parser, direction);
    }
  }
}

/** `?` before another part, as 2.x writes it. */
function optional(parser: Parser): Part | undefined {
  const next = parser.source[parser.end];
  if (next !== '.' && next !== '[' && !parser.source.startsWith('->', parser.end)) return undefined;
  parser.advance();
  return { kind: 'optional' };
}

function afterDot(parser: Parser): Part {
  if (parser.kind === 'punct') {
    switch (parser.text) {
      case '*':
        parser.advance();
        return { kind: 'all' };
      case '@':
        parser.advance();
        return { kind: 'repeat' };
      case '?':
        parser.advance();
        return { kind: 'optional' };
      case '{':
        return destructureOrRecursion(parser);
    }
  }
  const name = parser.name();
  return parser.isPunct('(') ? { kind: 'method', name, args: parser.args() } : { kind: 'field', name };
}

function bracketed(parser: Parser): Part {
  const openedAt = parser.start;
  parser.advance();
  let part: Part;
  if (parser.acceptPunct('*')) part = { kind: 'all' };
  else if (parser.acceptPunct('$')) part = { kind: 'last' };
  else if (parser.acceptWord('WHERE') || parser.acceptPunct('?'))
    part = { kind: 'where', condition: parser.expression() };
  else part = { kind: 'index', index: parser.expression() };
  parser.expectClose(']', openedAt);
  return part;
}

function destructureOrRecursion(parser: Parser): Part {
  const openedAt = parser.start;
  parser.advance();
  if (parser.kind === 'number' || parser.isPunct('..')) return recursion(parser, openedAt);
  return { kind: 'destructure', fields: destructureFields(parser, openedAt) };
}

function destructureFields(parser: Parser, openedAt: number): DestructureField[] {
  const outer = parser.enter();
  const fields = parser.listUntil('}', openedAt, () => destructureField(parser));
  parser.leave(outer);
  return fields;
}

function destructureField(parser: Parser): DestructureField {
  const name = parser.name();
  if (parser.acceptPunct(':')) return { kind: 'alias', name, value: parser.expression() };
  if (!parser.acceptPunct('.')) return { kind: 'include', name };
  if (parser.acceptPunct('*')) return { kind: 'all', name };
  if (!parser.isPunct('{')) parser.unexpected('a `*` or a destructuring');
  const openedAt = parser.start;
  parser.advance();
  return { kind: 'nested', name, fields: destructureFields(parser, openedAt) };
}

/** `{1..3+collect}` and, if it follows at once, the path in parentheses. */
function recursion(parser: Parser, openedAt: number): Recursion {
  const min = parser.kind === 'number' ? parser.natural() : undefined;
  let max = min;
  if (parser.acceptPunct('..')) max = parser.kind === 'number' ? parser.natural() : undefined;
  let instruction: Recursion['instruction'];
  let inclusive = false;
  while (parser.acceptPunct('+')) {
    if (parser.acceptWord('PATH')) instruction = { kind: 'path' };
    else if (parser.acceptWord('COLLECT')) instruction = { kind: 'collect' };
    else if (parser.acceptWord('SHORTEST')) {
      parser.expectPunct('=');
      instruction = { kind: 'shortest', target: shortestTarget(parser) };
    } else if (instruction !== undefined && parser.acceptWord('INCLUSIVE')) inclusive = true;
    else {
      parser.fail(`Unexpected instruction \`${parser.text}\` expected \`path\`, \`collect\`, or \`shortest\``, {
        start: parser.start,
        end: parser.end,
      });
    }
  }
  parser.expectClose('}', openedAt);
  return {
    kind: 'recursion',
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
    ...(instruction !== undefined && { instruction }),
    ...(inclusive && { inclusive }),
    path: parser.isPunct('(') ? recursedInParentheses(parser) : [],
  };
}

/** The node to find: a param or a record id. `+` would be read as an operator of anything longer. */
function shortestTarget(parser: Parser): Expression {
  return parser.grammar.tighter(parser, RECURSION_TARGET_POWER);
}
/** Nothing but an operand with its path. */
const RECURSION_TARGET_POWER = 100;

function recursedInParentheses(parser: Parser): Part[] {
  const openedAt = parser.start;
  parser.advance();
  const path = recursed(parser);
  parser.expectClose(')', openedAt);
  return path;
}

/** The path to repeat: all that follows. */
function recursed(parser: Parser): Part[] {
  const outer = parser.enter();
  const path = parts(parser, []);
  parser.leave(outer);
  if (path.length === 0) parser.unexpected('a path to recurse over');
  return path;
}
