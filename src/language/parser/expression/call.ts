/** Functions and constants by their path, and JavaScript functions. */
import type { Call, Constant, Expression, ScriptFunction } from '../../ast.js';
import { isConstantName, isFunctionName, nearestName } from '../../function-names.js';
import type { Mark } from '../../source-error.js';
import type { Parser } from '../parser.js';

/** First segments of paths whose other segments are case-sensitive user-defined names. */
const USER_DEFINED = new Set(['fn', 'ml']);
/** First segments of paths of compiled functions. */
const MODULES = new Set(['mod', 'silo']);

/**
 * `string::len(…)`, `math::pi`, `fn::greet(…)`. The first segment is the current token, or `first`, which has been
 * consumed. A constant may be followed by a call, which is left to the caller.
 */
export function path(parser: Parser, first = segment(parser)): Call | Constant {
  const root = first.name.toLowerCase();
  if (MODULES.has(root)) noModules(parser, root, first);
  const segments = [first.name];
  let { end } = first;
  while (parser.acceptPunct('::')) {
    end = parser.end;
    segments.push(parser.name());
  }
  if (USER_DEFINED.has(root)) {
    const version = root === 'ml' ? parser.version() : '';
    return parser.begunAt(first.start, callOf(parser, [root, ...segments.slice(1)].join('::') + version));
  }
  const name = segments.join('::').toLowerCase();
  if (isConstantName(name)) return { kind: 'constant', name };
  return knownCall(parser, name, { start: first.start, end });
}

/** Functions of modules are known by name, and can't be run: no text may call one. */
function noModules(parser: Parser, root: string, mark: Mark): never {
  return parser.fail('Experimental capability `surrealism` is not enabled', {
    ...mark,
    label: `Use of \`${root}::\` is still experimental`,
  });
}

/** A segment of a path, with its position. */
export interface FunctionNameSegment extends Mark {
  readonly name: string;
}

/** Consumes the current token as the first segment of a path. */
export function segment(parser: Parser): FunctionNameSegment {
  const { start, end } = parser;
  return { name: parser.name(), start, end };
}

/** A call of the built-in function with a lower-case path that stands at `mark`; its arguments come next. */
export function knownCall(parser: Parser, path: string, mark: Mark): Call {
  if (isFunctionName(path)) return callOf(parser, path);
  const nearest = nearestName(path);
  const suggestion = nearest === undefined ? '' : `, did you maybe mean \`${nearest}\``;
  return parser.fail(`Invalid function/constant path${suggestion}`, mark);
}

function callOf(parser: Parser, path: string): Call {
  if (!parser.isPunct('(')) parser.unexpected('(');
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
  const mark = { start, end: parser.source.length };
  return parser.fail('Invalid JavaScript function, encountered unexpected eof', mark);
}
