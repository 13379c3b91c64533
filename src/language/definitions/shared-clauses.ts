/** Common clauses of definitions: the mode for existing names, comments, permissions, lifetimes. */

import { Duration } from '../../value/value.js';
import type { Changefeed, ComputedClauses, Durations, Expression, Permission } from '../ast.js';
import { nanoseconds } from '../parser/expression/literal.js';
import type { Parser } from '../parser/parser.js';

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

/** `IF EXISTS`, if it is there. */
export function ifExists(parser: Parser): boolean {
  if (!parser.acceptWord('IF')) return false;
  parser.expectWord('EXISTS');
  return true;
}

/**
 * Clauses in any order: each word with what reads its clause, the word itself being taken. The last of a kind counts.
 */
export type ClauseTable<Node> = ReadonlyMap<string, (parser: Parser, node: Node) => Partial<Node>>;

/** Reads clauses in any order into `node`, as long as the table has a reader for the next word. */
export function clauses<Node extends object>(parser: Parser, table: ClauseTable<Node>, node: Node): Node {
  for (let read = table.get(parser.word); read !== undefined; read = table.get(parser.word)) {
    parser.advance();
    Object.assign(node, read(parser, node));
  }
  return node;
}

/**
 * COMMENT of a definition, as a row of a `ClauseTable`: a string, or an expression. The last one counts.
 *
 *     new Map([['VALUE', readValue], ['COMMENT', comment]])   // `DEFINE PARAM … COMMENT 'text'`
 */
export function comment(
  parser: Parser,
  { computedClauses }: { readonly computedClauses?: ComputedClauses },
): { comment?: string; computedClauses?: ComputedClauses } {
  const given = parser.expression();
  if (given.kind === 'literal' && typeof given.value === 'string') return { comment: given.value };
  return { computedClauses: { ...computedClauses, comment: given } };
}

/** COMMENT where it must be a string. */
export function fixedComment(parser: Parser): { comment: string } {
  return { comment: parser.string() };
}

/** The rest of `CHANGEFEED 1h [INCLUDE ORIGINAL]`. */
export function changefeed(parser: Parser): Changefeed {
  const retention = nanoseconds(parser);
  const original = parser.acceptWord('INCLUDE');
  if (original) parser.expectWord('ORIGINAL');
  return { retention, original };
}

/** `NONE`, `FULL` or `WHERE expr`. */
export function permission(parser: Parser): Permission {
  if (parser.acceptWord('NONE')) return { kind: 'none' };
  if (parser.acceptWord('FULL')) return { kind: 'full' };
  if (!parser.acceptWord('WHERE')) parser.unexpected("'NONE', 'FULL', or 'WHERE'");
  return { kind: 'where', condition: parser.expression() };
}

/** The rest of `PERMISSIONS …` over several actions; those that a list leaves out get `rest`. */
export function permissions<Action extends string>(
  parser: Parser,
  actions: readonly Action[],
  rest: Permission['kind'] & ('none' | 'full'),
): Record<Action, Permission> {
  const all = (permission: Permission) =>
    Object.fromEntries(actions.map((action) => [action, permission])) as Record<Action, Permission>;
  if (parser.acceptWord('NONE')) return all({ kind: 'none' });
  if (parser.acceptWord('FULL')) return all({ kind: 'full' });
  if (!parser.isWord('FOR')) parser.unexpected("'NONE', 'FULL' or 'FOR'");
  const result = all({ kind: rest });
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

type Lifetimes = { readonly durations: Durations; readonly computedClauses?: ComputedClauses };

/** The lifetimes that a definition knows, with the words for them in errors. */
const LIFETIMES = {
  user: { kinds: ['token', 'session'], words: '`TOKEN` or `SESSION`' },
  access: { kinds: ['grant', 'token', 'session'], words: 'GRANT, TOKEN or SESSIONS' },
} as const;

/** DURATION, as a row of a `ClauseTable`: `FOR TOKEN 1h, FOR SESSION NONE`. */
export function durations(
  parser: Parser,
  { durations: before, computedClauses }: Lifetimes,
  of: keyof typeof LIFETIMES,
): Lifetimes {
  const fixed: { -readonly [K in keyof Durations]: Durations[K] } = { ...before };
  const computed: { -readonly [K in keyof Durations]?: Expression } = { ...computedClauses?.durations };
  if (!parser.isWord('FOR')) parser.unexpected('FOR');
  while (parser.acceptWord('FOR')) {
    const { kinds, words } = LIFETIMES[of];
    const kind = kinds.find((name) => parser.isWord(name.toUpperCase()));
    if (kind === undefined) return parser.unexpected(words);
    parser.advance();
    const given = parser.expression();
    const value = given.kind === 'literal' ? given.value : given;
    if (value === undefined) fixed[kind] = undefined;
    else if (value instanceof Duration) fixed[kind] = value.nanoseconds;
    else computed[kind] = given;
    parser.acceptPunct(',');
  }
  if (Object.keys(computed).length === 0) return { durations: fixed };
  return { durations: fixed, computedClauses: { ...computedClauses, durations: computed } };
}
