/** Clauses that several kinds of definitions have: the mode, comments, changefeeds, permissions, those of GraphQL. */
import { quoteString } from '../../value/text/quote.js';
import { Duration, objectFrom, type Value } from '../../value/value.js';
import type { Changefeed, ComputedClauses, DefinitionClauses, InGraphql, Permission } from '../ast.js';
import { nanoseconds } from '../parser/expression/literal.js';
import type { Parser } from '../parser/parser.js';
import { codeText, durationText } from '../printer/clauses.js';
import { clause, type Printer } from '../printer/printer.js';
import type { Mapper } from '../visitor/rebuild.js';
import { update } from '../visitor/rebuild.js';
import { type ClauseOf, type ShownMembers, shownCode } from './clause.js';

/**
 * `OVERWRITE`, `IF NOT EXISTS` or nothing.
 *
 *     mode(parser)   // of `IF NOT EXISTS $name`: { mode: 'if-not-exists' }
 */
export function mode(parser: Parser): { mode?: 'overwrite' | 'if-not-exists' } {
  if (parser.acceptWord('OVERWRITE')) return { mode: 'overwrite' };
  if (!parser.acceptWord('IF')) return {};
  parser.expectWord('NOT');
  parser.expectWord('EXISTS');
  return { mode: 'if-not-exists' };
}

// ─── COMMENT ───

/** A string, or in DEFINE an expression. */
export const COMMENT: ClauseOf<DefinitionClauses, 'comment'> = {
  parse: { COMMENT: comment },
  altered: { parse: { COMMENT: fixedComment } },
  text: commentText,
  structure: ({ comment }) => ({ comment }),
};

/** What follows COMMENT of DEFINE. */
export function comment(
  parser: Parser,
  { computedClauses }: { readonly computedClauses?: ComputedClauses },
): { comment?: string; computedClauses?: ComputedClauses } {
  const given = parser.expression();
  if (given.kind === 'literal' && typeof given.value === 'string') return { comment: given.value };
  return { computedClauses: { ...computedClauses, comment: given } };
}

/** What follows COMMENT where it must be a string. */
export function fixedComment(parser: Parser): { comment: string } {
  return { comment: parser.string() };
}

function commentText({ comment, computedClauses }: DefinitionClauses, printer: Printer): string | undefined {
  if (computedClauses?.comment !== undefined) return `COMMENT ${printer.expression(computedClauses.comment)}`;
  return clause('COMMENT', comment, quoteString);
}

// ─── CHANGEFEED ───

/** `CHANGEFEED 3d INCLUDE ORIGINAL`. */
export const CHANGEFEED: ClauseOf<{ readonly changefeed?: Changefeed }, 'changefeed'> = {
  parse: { CHANGEFEED: (parser) => ({ changefeed: changefeed(parser) }) },
  text: (node) =>
    clause('CHANGEFEED', node.changefeed, ({ retention, original }) => {
      return `${durationText(retention)}${original ? ' INCLUDE ORIGINAL' : ''}`;
    }),
  structure: ({ changefeed: feed }) => ({
    changefeed: feed && objectFrom({ expiry: new Duration(feed.retention), original: feed.original }),
  }),
};

function changefeed(parser: Parser): Changefeed {
  const retention = nanoseconds(parser);
  const original = parser.acceptWord('INCLUDE');
  if (original) parser.expectWord('ORIGINAL');
  return { retention, original };
}

// ─── PERMISSIONS ───

export const FULL: Permission = { kind: 'full' };
const NO: Permission = { kind: 'none' };

/** `PERMISSIONS NONE`, `FULL` or `WHERE …`, for what has one action. */
export const PERMISSIONS: ClauseOf<{ readonly permissions: Permission }, 'permissions'> = {
  unset: FULL,
  parse: { PERMISSIONS: (parser) => ({ permissions: permission(parser) }) },
  text: ({ permissions: granted }, printer) => `PERMISSIONS ${permissionText(granted, printer)}`,
  structure: ({ permissions: granted }, printer) => ({ permissions: shownPermission(granted, printer) }),
  map: mapPermission,
};

/** `NONE`, `FULL` or `WHERE expr`. */
export function permission(parser: Parser): Permission {
  if (parser.acceptWord('NONE')) return NO;
  if (parser.acceptWord('FULL')) return FULL;
  if (!parser.acceptWord('WHERE')) parser.unexpected("'NONE', 'FULL', or 'WHERE'");
  return { kind: 'where', condition: parser.expression() };
}

/** One permission: `NONE`, `FULL` or `WHERE …`. */
export function permissionText(granted: Permission, printer: Printer): string {
  return granted.kind === 'where' ? `WHERE ${codeText(granted.condition, printer)}` : granted.kind.toUpperCase();
}

/** FULL is true, NONE is false, and a condition is its text. */
export function shownPermission(granted: Permission, printer: Printer): Value {
  return granted.kind === 'where' ? shownCode(granted.condition, printer) : granted.kind === 'full';
}

export function mapPermission(granted: Permission, mapper: Mapper): Permission {
  return granted.kind === 'where' ? update(granted, { condition: mapper.expression(granted.condition) }) : granted;
}

/** Permissions of one action each. */
type PermissionsOf<Action extends string> = Readonly<Record<Action, Permission>>;

/** The same permission for all actions. */
export function allActions<Action extends string>(
  actions: readonly Action[],
  granted: Permission,
): PermissionsOf<Action> {
  return Object.fromEntries(actions.map((action) => [action, granted])) as PermissionsOf<Action>;
}

/** The rest of `PERMISSIONS …` over several actions; those that a list leaves out get `rest`. */
export function permissions<Action extends string>(
  parser: Parser,
  actions: readonly Action[],
  rest: 'none' | 'full',
): PermissionsOf<Action> {
  if (parser.acceptWord('NONE')) return allActions(actions, NO);
  if (parser.acceptWord('FULL')) return allActions(actions, FULL);
  if (!parser.isWord('FOR')) parser.unexpected("'NONE', 'FULL' or 'FOR'");
  const result: Record<Action, Permission> = { ...allActions(actions, { kind: rest }) };
  while (parser.acceptWord('FOR')) {
    const named = parser.commaList(() => {
      const action = actions.find((name) => parser.isWord(name.toUpperCase()));
      if (action === undefined) return wrongAction(parser, actions);
      parser.advance();
      return action;
    });
    const granted = permission(parser);
    for (const action of named) result[action] = granted;
    parser.acceptPunct(',');
  }
  return result;
}

function wrongAction(parser: Parser, actions: readonly string[]): never {
  if (parser.isWord('DELETE')) parser.failToken("Can't define permission DELETE for fields");
  const words = actions.map((action) => `'${action.toUpperCase()}'`);
  return parser.unexpected(`${words.slice(0, -1).join(', ')} or ${words.at(-1)}`);
}

/**
 * Permissions of one action each, equal ones together, in the order of the actions. One word is enough for `uniform`
 * ones.
 */
export function permissionsText<Action extends string>(
  granted: PermissionsOf<Action>,
  actions: readonly Action[],
  uniform: readonly string[],
  printer: Printer,
): string {
  const groups = new Map<string, Action[]>();
  for (const action of actions) {
    const text = permissionText(granted[action], printer);
    const group = groups.get(text);
    if (group === undefined) groups.set(text, [action]);
    else group.push(action);
  }
  const [only] = groups.keys();
  if (groups.size === 1 && only !== undefined && uniform.includes(only)) return `PERMISSIONS ${only}`;
  const parts = [...groups].map(([text, group]) => `FOR ${group.join(', ')} ${text}`);
  return `PERMISSIONS ${parts.join(', ')}`;
}

export function shownPermissions(granted: PermissionsOf<string>, printer: Printer): Value {
  const actions = Object.keys(granted).sort();
  return objectFrom(
    actions.map((action) => [action, shownPermission(granted[action] as Permission, printer)] as const),
  );
}

export function mapPermissions<P extends PermissionsOf<string>>(granted: P, mapper: Mapper): P {
  const mapped = Object.entries(granted).map(([action, each]) => [action, mapPermission(each, mapper)]);
  return update<P>(granted, Object.fromEntries(mapped) as P);
}

// ─── GraphQL (3.1+) ───

/** The clauses of what GraphQL shows. */
export const IN_GRAPHQL: {
  readonly [M in keyof InGraphql]-?: ClauseOf<InGraphql, M>;
} = {
  graphqlAlias: {
    parse: { GRAPHQL_ALIAS: (parser) => ({ graphqlAlias: alias(parser) }) },
    text: ({ graphqlAlias }) => clause('GRAPHQL_ALIAS', graphqlAlias, quoteString),
    structure: ({ graphqlAlias }): ShownMembers => ({ graphql_alias: graphqlAlias }),
  },
  graphqlDeprecated: {
    parse: { GRAPHQL_DEPRECATED: (parser) => ({ graphqlDeprecated: parser.string() }) },
    text: ({ graphqlDeprecated }) => clause('GRAPHQL_DEPRECATED', graphqlDeprecated, quoteString),
    structure: ({ graphqlDeprecated }) => ({ graphql_deprecated: graphqlDeprecated }),
  },
};

/** A name in GraphQL. Those that begin with two underscores are kept for introspection. */
const NAME = /^(?!__)[_A-Za-z][_0-9A-Za-z]*$/;

function alias(parser: Parser): string {
  if (parser.kind === 'string' && !NAME.test(parser.text)) {
    parser.failToken(
      'Expected a name in GraphQL: letters from A to Z, digits and `_`, beginning neither with a digit nor with `__`',
    );
  }
  return parser.string();
}
