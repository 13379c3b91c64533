import { API_METHODS, type ApiAction, type ApiMethod, type Call, type DefineApi, type Handling } from '../ast.js';
import type { Parser } from '../parser/parser.js';
import { type ClauseTable, clauses, comment, mode, permission } from './shared-clauses.js';

type Node = Partial<Handling>;

/** MIDDLEWARE and PERMISSIONS, which precede the action to which they apply. */
const HANDLING_CLAUSES: ClauseTable<Node> = new Map<string, (parser: Parser, node: Node) => Partial<Node>>([
  ['MIDDLEWARE', (parser) => ({ middleware: parser.commaList(() => middleware(parser)) })],
  ['PERMISSIONS', (parser) => ({ permissions: permission(parser) })],
]);

/** Around what nothing is written. */
export const PLAIN_HANDLING: Handling = { middleware: [], permissions: { kind: 'full' } };

export function defineApi(parser: Parser): DefineApi {
  const head = mode(parser);
  const name = path(parser);
  let around = PLAIN_HANDLING;
  let fallback: DefineApi['fallback'];
  const actions: ApiAction[] = [];
  while (parser.acceptWord('FOR')) {
    if (parser.acceptWord('ANY')) {
      around = handling(parser);
      if (parser.acceptWord('THEN')) fallback = parser.expression();
    } else {
      actions.push(action(parser));
    }
  }
  const rest = parser.acceptWord('COMMENT') ? comment(parser, {}) : {};
  return {
    kind: 'define-api',
    ...head,
    name,
    handling: around,
    ...(fallback !== undefined && { fallback }),
    actions,
    ...rest,
  };
}

function path(parser: Parser): DefineApi['name'] {
  const given = parser.expression();
  return given.kind === 'literal' && typeof given.value === 'string' ? given.value : given;
}

function action(parser: Parser): ApiAction {
  const methods = parser.commaList(() => method(parser));
  const around = handling(parser);
  parser.expectWord('THEN');
  return { methods, handling: around, action: parser.expression() };
}

function method(parser: Parser): ApiMethod {
  const found = API_METHODS.find((name) => parser.isWord(name.toUpperCase()));
  if (found === undefined) return parser.unexpected('one of `DELETE`, `GET`, `PATCH`, `POST`, `PUT` or `TRACE`');
  parser.advance();
  return found;
}

function handling(parser: Parser): Handling {
  return { ...PLAIN_HANDLING, ...writtenHandling(parser) };
}

/** Only what is written. */
export function writtenHandling(parser: Parser): Partial<Handling> {
  return clauses<Node>(parser, HANDLING_CLAUSES, {});
}

/** A call of a function that may not exist, or only as middleware. */
function middleware(parser: Parser): Call {
  const names = [parser.name('a function name')];
  while (parser.acceptPunct('::')) names.push(parser.name());
  if (!parser.isPunct('(')) parser.unexpected('(');
  return { kind: 'call', path: names.join('::'), args: parser.args() };
}
