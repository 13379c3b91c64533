/** Bounds on GraphQL requests. Every error about one names the setting that changes it. */
import { failure, type TesseraError } from '../../errors/error.js';

/**
 * A GRAPHQL config overrides `depth` and `complexity` for its database; what roles have of their own is in
 * `effective-limits.ts`.
 */
export const DEFAULT_GRAPHQL_LIMITS = {
  /** Levels of fields within each other. */
  depth: 20,
  /** Fields in an operation, with fragments counted wherever they are spread. */
  complexity: 1_000,
  /** Fields of an operation on its first level. */
  rootFields: 50,
  aliases: 100,
  directives: 100,
  /** Lexical tokens of a document. */
  tokens: 5_000,
  /** Brackets within each other. */
  nesting: 200,
  /** Values in the variables, at any depth. */
  inputs: 100_000,
  /** Conditions in all filters of a request. */
  conditions: 1_000,
  /** Records that one list gives. */
  rows: 10_000,
  /** Fields of records in an answer: rows times the fields that are asked of each. */
  values: 250_000,
  /** Milliseconds that a request may take. */
  time: 30_000,
  /** Operations that one HTTP request may send, in an array. */
  batch: 10,
} as const;
export type GraphqlLimits = { readonly [K in keyof typeof DEFAULT_GRAPHQL_LIMITS]: number };
export type GraphqlLimit = keyof GraphqlLimits;

/** The flag of `tessera start` that sets a limit. */
export const GRAPHQL_LIMIT_SETTINGS: Readonly<Record<GraphqlLimit, string>> = {
  depth: '--max-graphql-depth',
  complexity: '--max-graphql-complexity',
  rootFields: '--max-graphql-root-fields',
  aliases: '--max-graphql-aliases',
  directives: '--max-graphql-directives',
  tokens: '--max-graphql-tokens',
  nesting: '--max-graphql-nesting',
  inputs: '--max-graphql-inputs',
  conditions: '--max-graphql-conditions',
  rows: '--max-graphql-rows',
  values: '--max-graphql-values',
  time: '--max-graphql-time',
  batch: '--max-graphql-batch',
};

const UNITS: Readonly<Record<GraphqlLimit, string>> = {
  depth: 'levels of fields',
  complexity: 'fields',
  rootFields: 'fields on its first level',
  aliases: 'aliases',
  directives: 'directives',
  tokens: 'tokens',
  nesting: 'nested brackets',
  inputs: 'values in variables',
  conditions: 'conditions in filters',
  rows: 'records in one list, which must ask for no more with `limit`',
  values: 'values in its answer',
  time: 'milliseconds',
  batch: 'operations at once',
};

/** The error of a limit; `setting` where something else than the server's setting has set it. */
export function beyondLimit(
  name: GraphqlLimit,
  limit: number,
  setting: string = GRAPHQL_LIMIT_SETTINGS[name],
): TesseraError {
  return failure('graphql_limit', { what: UNITS[name], limit, setting });
}

/**
 * Bounds on introspection, which reads no records: only the size of the schema and the selection count. The query
 * that tools ask has 15 levels, 232 fields, five lists and no aliases, and no types listed within those that lie within
 * `types`: so its cost grows with the schema, not with its square. Of a large schema it takes seconds all the same, so
 * that it can't be asked many times at once.
 */
export const INTROSPECTION_LIMITS = {
  depth: { most: 20, what: 'levels of fields in introspection' },
  complexity: { most: 500, what: 'fields in introspection' },
  nestedLists: { most: 2, what: 'lists of types and fields within each other in introspection' },
  lists: { most: 10, what: 'lists of types and fields in introspection' },
  aliases: { most: 20, what: 'aliases in introspection' },
} as const;
