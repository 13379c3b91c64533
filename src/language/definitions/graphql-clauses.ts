import type { InGraphql } from '../ast.js';
import type { Parser } from '../parser/parser.js';
import type { ClauseTable } from './shared-clauses.js';

/** GRAPHQL_ALIAS and GRAPHQL_DEPRECATED (3.1+), the last rows of the `ClauseTable` of what GraphQL shows. */
export const IN_GRAPHQL: ClauseTable<InGraphql> = new Map<string, (parser: Parser) => InGraphql>([
  ['GRAPHQL_ALIAS', (parser) => ({ graphqlAlias: alias(parser) })],
  ['GRAPHQL_DEPRECATED', (parser) => ({ graphqlDeprecated: parser.string() })],
]);

/** By these words ALTER drops them. */
export const GRAPHQL_DROPS = { GRAPHQL_ALIAS: 'graphqlAlias', GRAPHQL_DEPRECATED: 'graphqlDeprecated' } as const;

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
