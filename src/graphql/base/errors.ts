/** Errors of the GraphQL library as ours: each gets a stable code, and internal errors don't reach clients. */
import { type FieldNode, GraphQLError, type Token } from 'graphql';
import type { ErrorCode } from '../../errors/catalogue.js';
import { asTesseraError, failure, type TesseraError } from '../../errors/error.js';

/** At which stage the library found fault, for errors that don't come from us. */
export type Stage = Extract<
  ErrorCode,
  'graphql_syntax' | 'graphql_invalid' | 'graphql_operation' | 'graphql_variables' | 'graphql_result'
>;

/** An error of a request, with its place in the document and in the answer. */
export interface GraphqlFailure {
  readonly error: TesseraError;
  /** The message sent: that of `error`, possibly with the library's description of its location before it. */
  readonly message: string;
  readonly locations?: readonly { readonly line: number; readonly column: number }[];
  readonly path?: readonly (string | number)[];
}

/** An error that the library reports about a document or about variables. */
export function failureOf(error: GraphQLError, stage: Stage): GraphqlFailure {
  const ours = tesseraError(error, stage);
  return {
    error: ours,
    message: ours.code === 'internal' ? ours.message : shortened(error.message),
    ...(error.locations && { locations: error.locations }),
    ...(error.path && { path: error.path }),
  };
}

/** An error at a field. */
export function fieldFailure(
  error: TesseraError,
  nodes: readonly FieldNode[],
  path: readonly (string | number)[],
): GraphqlFailure {
  const locations = nodes.flatMap(({ loc }) => (loc === undefined ? [] : [locationOf(loc.startToken)]));
  return { error, message: shortened(error.message, LONGEST_OF_FIELD), locations, path };
}

function locationOf({ line, column }: Token) {
  return { line, column };
}

/**
 * The library repeats whole values and names in its texts, up to dozens of times: the answer would be larger than any
 * request.
 */
const LONGEST_MESSAGE = 1_000;

/**
 * Maximum length of an error message at a field, which may occur at many: messages thrown by functions or ASSERT may be
 * long.
 */
const LONGEST_OF_FIELD = 10_000;
/** Of a value that is named in an error. */
const LONGEST_VALUE = 100;

function shortened(text: string, longest = LONGEST_MESSAGE): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

/** A value as an error names it. */
export function namedInError(text: string): string {
  return shortened(text, LONGEST_VALUE);
}

/**
 * Converts an error of the library to a failure of the request.
 * @throws any other error
 */
export function thrownFailure(thrown: unknown, stage: Stage): GraphqlFailure {
  if (thrown instanceof GraphQLError) return failureOf(thrown, stage);
  throw thrown;
}

/** Any thrown value as an error of ours; errors of the library get the code of the stage. */
export function tesseraError(thrown: unknown, stage: Stage): TesseraError {
  let cause = thrown;
  // The library wraps what scalars throw, sometimes twice.
  while (cause instanceof GraphQLError && cause.originalError !== undefined) cause = cause.originalError;
  return cause instanceof GraphQLError ? failure(stage, { message: shortened(cause.message) }) : asTesseraError(cause);
}
