/** Functions and constants by their path, and JavaScript functions. */
import type { Call, Constant, Expression, ScriptFunction } from '../ast.js';
import type { Parser } from './parser.js';

/** First words of paths whose other words keep their case, since users name them. */
const USER_DEFINED = new Set(['fn', 'mod', 'ml', 'silo']);

/** `string::len(…)`, `math::pi`, `fn::greet(…)`. The first word is the current token, or `first`, which has been taken. */
export function path(parser: Parser, first = parser.name()): Call | Constant {
  const segments = [first];
  while (parser.acceptPunct('::')) segments.push(parser.name());
  const root = (segments[0] as string).toLowerCase();
  const name = USER_DEFINED.has(root) ? [root, ...segments.slice(1)].join('::') : segments.join('::').toLowerCase();
  if (parser.isPunct('(')) return call(parser, name);
  if (USER_DEFINED.has(root)) parser.unexpected('(');
  return { kind: 'constant', name };
}

/** A call of `path` whose opening parenthesis is the current token. */
export function call(parser: Parser, path: string): Call {
  return { kind: 'call', path, args: parser.args() };
}

/** `function($a, $b) { … }`: the body is JavaScript and kept as it is written. */
export function scriptFunction(parser: Parser): Expression {
  parser.advance();
  if (!parser.isPunct('(')) parser.unexpected('(');
  const args = parser.args();
  if (!parser.isPunct('{')) parser.unexpected('{');
  const start = parser.start;
  const end = scriptEnd(parser, start);
  const body = parser.source.slice(start + 1, end);
  parser.jump(end + 1);
  const script: ScriptFunction = { kind: 'script', args, body };
  return script;
}

/** Texts and comments of JavaScript, in which a brace means nothing, and the braces. */
const SCRIPT_TOKEN = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`|\/\/[^\n]*|\/\*.*?\*\/|[{}]/gs;

/** The offset of the brace that closes the one at `start`. */
function scriptEnd(parser: Parser, start: number): number {
  SCRIPT_TOKEN.lastIndex = start;
  let depth = 0;
  for (let match = SCRIPT_TOKEN.exec(parser.source); match !== null; match = SCRIPT_TOKEN.exec(parser.source)) {
    if (match[0] === '{') depth++;
    else if (match[0] === '}' && --depth === 0) return match.index;
  }
  return parser.fail(
    'Unexpected token `Eof` expected delimiter `}`',
    { start: parser.source.length - 1, end: parser.source.length },
    { start, end: start + 1, label: 'expected this delimiter to close' },
  );
}
