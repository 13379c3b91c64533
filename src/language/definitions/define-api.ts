/** DEFINE API: its actions, and what is around them: middleware and permissions. */
import { quoteString } from '../../value/text/quote.js';
import { type ObjectValue, objectFrom } from '../../value/value.js';
import {
  API_METHODS,
  type ApiAction,
  type ApiMethod,
  type Call,
  type DefineApi,
  type Expression,
  type Handling,
} from '../ast.js';
import type { Parser } from '../parser/parser.js';
import { list, type Printer } from '../printer/printer.js';
import { each, type Mapper, update } from '../visitor/rebuild.js';
import {
  type ClauseRows,
  type ClauseTable,
  type DefinitionGrammar,
  mapClauses,
  readClauses,
  readersOf,
  shownCode,
  shownObject,
  shownOf,
  textOfClauses,
} from './clause.js';
import { COMMENT, comment, PERMISSIONS } from './shared-clauses.js';
import { fixedName } from './subjects.js';

/** MIDDLEWARE and PERMISSIONS, which precede the action to which they apply. */
export const HANDLING: ClauseRows<Handling> = {
  middleware: {
    unset: [],
    parse: { MIDDLEWARE: (parser) => ({ middleware: parser.commaList(() => middleware(parser)) }) },
    text: (node, printer) =>
      node.middleware.length === 0 ? undefined : `MIDDLEWARE ${list(node.middleware, printer.expression)}`,
    structure: (node, printer) => ({ middleware: shownMiddleware(node.middleware, printer) }),
    map: (calls, mapper) => each(calls, (call) => update(call, { args: each(call.args, mapper.expression) })),
  },
  permissions: PERMISSIONS,
};

/** Around what nothing is written. */
export const PLAIN_HANDLING: Handling = {
  middleware: HANDLING.middleware.unset,
  permissions: HANDLING.permissions.unset,
};

const HANDLING_READERS = readersOf(HANDLING) as ClauseTable<Partial<Handling>>;

/** Only what is written. */
export function writtenHandling(parser: Parser): Partial<Handling> {
  return readClauses(parser, HANDLING_READERS, {});
}

const CLAUSES: ClauseRows<DefineApi> = {
  handling: {
    unset: PLAIN_HANDLING,
    parse: {},
    text: ({ handling }, printer) => `FOR any ${handlingText(handling, printer)}`,
    structure: ({ handling }, printer) => ({ config: shownHandling(handling, printer) }),
    map: mapHandling,
  },
  fallback: {
    parse: {},
    text: ({ fallback }, printer) => fallback && `THEN ${actionText(fallback, printer)}`,
    structure: ({ fallback }, printer) => ({ fallback: fallback && shownCode(fallback, printer) }),
    map: (fallback, mapper) => mapper.expression(fallback),
  },
  actions: {
    unset: [],
    parse: {},
    text: ({ actions }, printer) =>
      actions.length === 0 ? undefined : actions.map((action) => methodsText(action, printer)).join(' '),
    structure: ({ actions }, printer) => ({
      actions: actions.map(({ action, handling, methods }) =>
        objectFrom({
          action: shownCode(action, printer),
          config: shownHandling(handling, printer),
          methods: [...methods],
        }),
      ),
    }),
    map: (actions, mapper) =>
      each(actions, (action) =>
        update(action, { handling: mapHandling(action.handling, mapper), action: mapper.expression(action.action) }),
      ),
  },
  comment: COMMENT,
};

export const DEFINE_API: DefinitionGrammar<DefineApi> = {
  words: ['API'],
  subject: {
    parse: (parser) => ({ name: path(parser) }),
    text: ({ name }, printer) => (typeof name === 'string' ? quoteString(name) : printer.expression(name)),
    structure: ({ name }) => ({ path: fixedName(name) }),
  },
  clauses: CLAUSES,
  read(parser, _, node) {
    const actions: ApiAction[] = [];
    while (parser.acceptWord('FOR')) {
      if (parser.acceptWord('ANY')) {
        node.handling = handling(parser);
        if (parser.acceptWord('THEN')) node.fallback = parser.expression();
      } else {
        actions.push(action(parser));
      }
    }
    node.actions = actions;
    return parser.acceptWord('COMMENT') ? { ...node, ...comment(parser, {}) } : node;
  },
};

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

/** A call of a function that may not exist, or only as middleware. */
function middleware(parser: Parser): Call {
  const names = [parser.name('a function name')];
  while (parser.acceptPunct('::')) names.push(parser.name());
  if (!parser.isPunct('(')) parser.unexpected('(');
  return { kind: 'call', path: names.join('::'), args: parser.args() };
}

function methodsText({ methods, handling, action }: ApiAction, printer: Printer): string {
  return `FOR ${methods.join(', ')} ${handlingText(handling, printer)} THEN ${actionText(action, printer)}`;
}

function handlingText(node: Handling, printer: Printer): string {
  return textOfClauses(HANDLING, node, printer, printer.expression).slice(1);
}

/** INFO shows a statement without its parentheses. */
function actionText(action: Expression, printer: Printer): string {
  const bare = action.kind === 'subquery' && !printer.secrets;
  return bare ? printer.statement(action.statement) : printer.expression(action);
}

function shownMiddleware(calls: Handling['middleware'], printer: Printer): ObjectValue | undefined {
  if (calls.length === 0) return undefined;
  return objectFrom(calls.map(({ args, path }) => [path, args.map((code) => shownCode(code, printer))] as const));
}

function shownHandling(node: Handling, printer: Printer): ObjectValue {
  return shownObject(shownOf(HANDLING, node, printer));
}

function mapHandling(node: Handling, mapper: Mapper): Handling {
  return mapClauses(HANDLING, node, mapper);
}
