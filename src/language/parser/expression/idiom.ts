/** Paths: parts behind a value, or at the beginning of a path without one. */
import type { DestructureField, Expression, GraphStep, GraphSubject, Idiom, Part, Recursion } from '../../ast.js';
import { limitAndStart, orderClause, whereClause } from '../clauses.js';
import { groupClause, type SelectedProjections, selected, splitClause } from '../grouping.js';
import type { Parser } from '../parser.js';
import { recordId, recordKeyAt } from './record-id.js';

/** A path as clauses name one (`SET a.b`, `ORDER BY a`, `AS x.y`): its first word is never a keyword. */
export function idiom(parser: Parser): Idiom {
  const first: Part[] = isPathStart(parser) ? [] : [fieldPart(parser)];
  return { kind: 'idiom', parts: parts(parser, first) };
}

/** The name that is the current token, as the part of a path. */
function fieldPart(parser: Parser): Part {
  const { start } = parser;
  return parser.begunAt(start, { kind: 'field', name: parser.name() });
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
    append(parser, path, part);
  }
  return path;
}

/** Appends a part that was read, a recursion with the path behind it that it repeats. */
export function append(parser: Parser, path: Part[], part: Part): void {
  parser.grow();
  path.push(part.kind === 'recursion' && !part.enclosed ? { ...part, path: recursed(parser) } : part);
}

function nextPart(parser: Parser, callable: boolean): Part | undefined {
  switch (parser.text) {
    case '.':
      parser.advance();
      return afterDot(parser);
    case '...':
      parser.advance();
      return { kind: 'flatten' };
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

/** The part behind a dot that has been read. */
export function afterDot(parser: Parser): Part {
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
  const { start } = parser;
  const name = parser.name();
  const part: Part = parser.isPunct('(') ? { kind: 'method', name, args: parser.args() } : { kind: 'field', name };
  return parser.begunAt(start, part);
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
  const { start } = parser;
  return parser.begunAt(start, destructured(parser));
}

function destructured(parser: Parser): DestructureField {
  const name = parser.name();
  if (parser.acceptPunct(':')) return { kind: 'alias', name, value: parser.expression() };
  if (!parser.acceptPunct('.')) return { kind: 'include', name };
  if (parser.acceptPunct('*')) return { kind: 'all', name };
  if (!parser.isPunct('{')) {
    if (parser.atEnd()) parser.unexpected('an identifier');
    parser.failToken(`Unexpected token \`${parser.tokenName()}\` expected a \`*\` or a destructuring`);
  }
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
    if (instruction !== undefined) inclusive = onlyInclusive(parser);
    else if (parser.acceptWord('PATH')) instruction = { kind: 'path' };
    else if (parser.acceptWord('COLLECT')) instruction = { kind: 'collect' };
    else if (parser.acceptWord('SHORTEST')) {
      parser.expectPunct('=');
      instruction = { kind: 'shortest', target: shortestTarget(parser) };
    } else {
      const name = parser.isName() ? parser.text : parser.unexpected('an identifier');
      parser.failToken(`Unexpected instruction \`${name}\` expected \`path\`, \`collect\`, or \`shortest\``);
    }
  }
  parser.expectClose('}', openedAt);
  return {
    kind: 'recursion',
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
    ...(instruction !== undefined && { instruction }),
    ...(inclusive && { inclusive }),
    ...(parser.isPunct('(') ? { path: recursedInParentheses(parser), enclosed: true } : { path: [], enclosed: false }),
  };
}

/** The one option that may follow an instruction. */
function onlyInclusive(parser: Parser): true {
  const name = parser.isName() ? parser.text : parser.unexpected('an identifier');
  if (!parser.acceptWord('INCLUSIVE')) parser.failToken(`Unexpected option \`${name}\` expected \`inclusive\``);
  return true;
}

/** The node to find: a param or a record id. */
function shortestTarget(parser: Parser): Expression {
  if (parser.kind === 'param') return { kind: 'param', name: parser.param() };
  if (!parser.isName() || !parser.isAdjacent(':')) parser.unexpected('a param or record-id');
  return recordId(parser);
}

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
  return path;
}

// Graph steps: `->e`, `<-(a, b WHERE …)`, `->(SELECT … FROM e …)`, `<~(t FIELD f)`.

const DIRECTIONS: ReadonlyMap<string, GraphStep['direction']> = new Map([
  ['->', 'out'],
  ['<-', 'in'],
  ['<->', 'both'],
  ['<~', 'reference'],
]);

/** A step whose arrow is the current token. */
function graphStep(parser: Parser, direction: GraphStep['direction']): GraphStep {
  parser.advance();
  if (parser.isPunct('(')) return detailed(parser, direction);
  if (parser.acceptPunct('?')) return { kind: 'graph', direction, subjects: [] };
  return { kind: 'graph', direction, subjects: [subject(parser, '`?`, `(` or an identifier')] };
}

function detailed(parser: Parser, direction: GraphStep['direction']): GraphStep {
  const openedAt = parser.start;
  parser.advance();
  const outer = parser.enter();
  let selection: SelectedProjections | undefined;
  if (parser.acceptWord('SELECT')) {
    selection = selected(parser);
    parser.expectWord('FROM');
  }
  const subjects = parser.acceptPunct('?') ? [] : [subject(parser, '`?`, an identifier or a range')];
  while (subjects.length > 0 && parser.acceptPunct(',')) subjects.push(subject(parser, 'an identifier'));
  const step: GraphStep = {
    kind: 'graph',
    direction,
    subjects,
    ...(selection !== undefined && { projections: selection.projections }),
    ...whereClause(parser),
    ...splitClause(parser),
    ...groupClause(parser, selection),
    ...orderClause(parser),
    ...limitAndStart(parser),
    ...(parser.acceptWord('AS') && { alias: parser.idiom() }),
  };
  parser.leave(outer);
  parser.expectClose(')', openedAt);
  return step;
}

/** `e`, `e:1..5`, `e FIELD f`, `e:1..5 FIELD f`. */
function subject(parser: Parser, expected: string): GraphSubject {
  if (!parser.isName()) parser.unexpected(expected);
  const { start, text: table } = parser;
  const range = parser.isAdjacent(':') ? recordKeyAt(parser, parser.end + 1, table) : undefined;
  if (range === undefined) parser.name();
  // A step leads along all edges or along a range of them.
  else if (range.kind !== 'key-range') parser.unexpected('..');
  return parser.begunAt(start, {
    table,
    ...(range && { range }),
    ...(parser.acceptWord('FIELD') && { field: parser.name() }),
  });
}
