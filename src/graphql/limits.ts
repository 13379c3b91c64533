/** Bounds on GraphQL requests. Every error about one names the setting that changes it. */
import { failure, type TesseraError } from '../errors/error.js';

/** A GRAPHQL config overrides `depth` and `complexity` for its database. */
export const DEFAULT_GRAPHQL_LIMITS = {
  /** Levels of fields within each other. */
  depth: 20,
  /** Fields in an operation, with fragments counted wherever they are spread. */
  complexity: 1_000,
  aliases: 100,
  directives: 100,
  /** Lexical tokens of a document. */
  tokens: 5_000,
  /** Brackets within each other. */
  nesting: 200,
  /** Conditions in all filters of a request. */
  conditions: 1_000,
  /** Fields of records in an answer: rows times the fields that are asked of each. */
  values: 1_000_000,
  /** Operations that one HTTP request may send, in an array. */
  batch: 10,
} as const;
export type GraphqlLimits = { readonly [K in keyof typeof DEFAULT_GRAPHQL_LIMITS]: number };

/** The flag of `tessera start` that sets a limit. */
export const GRAPHQL_LIMIT_SETTINGS: Readonly<Record<keyof GraphqlLimits, string>> = {
  depth: '--max-graphql-depth',
  complexity: '--max-graphql-complexity',
  aliases: '--max-graphql-aliases',
  directives: '--max-graphql-directives',
  tokens: '--max-graphql-tokens',
  nesting: '--max-graphql-nesting',
  conditions: '--max-graphql-conditions',
  values: '--max-graphql-values',
  batch: '--max-graphql-batch',
};

const UNITS: Readonly<Record<keyof GraphqlLimits, string>> = {
  depth: 'levels of fields',
  complexity: 'fields',
  aliases: 'aliases',
  directives: 'directives',
  tokens: 'tokens',
  nesting: 'nested brackets',
  conditions: 'conditions in filters',
  values: 'values in its answer',
  batch: 'operations at once',
};

/** The error of a limit; `setting` where something else than the server's setting has set it. */
export function beyondLimit(
  name: keyof GraphqlLimits,
  limit: number,
  setting: string = GRAPHQL_LIMIT_SETTINGS[name],
): TesseraError {
  return failure('graphql_limit', { what: UNITS[name], limit, setting });
}
