/** Errors of the GraphQL library as ours: each gets a stable code, and what isn't meant for clients gets no further. */
import { GraphQLError } from 'graphql';
import type { ErrorCode } from '../errors/catalogue.js';
import { asTesseraError, failure, TesseraError } from '../errors/error.js';

/** At which stage the library found fault, for errors that don't come from us. */
export type Stage = Extract<
  ErrorCode,
  'graphql_syntax' | 'graphql_invalid' | 'graphql_operation' | 'graphql_variables' | 'graphql_result'
>;

/** An error of a request, with its place in the document and in the answer. */
export interface GraphqlFailure {
  readonly error: TesseraError;
  /** As it is told: the text of `error`, perhaps with the library's words about its place before it. */
  readonly message: string;
  readonly locations?: readonly { readonly line: number; readonly column: number }[];
  readonly path?: readonly (string | number)[];
}

/** `report` takes what is nobody's fault but ours, which clients aren't told. */
export function failureOf(error: GraphQLError, stage: Stage, report?: (error: TesseraError) => void): GraphqlFailure {
  const ours = ownError(error, stage, report);
  return {
    error: ours,
    message: ours.code === 'internal' ? ours.message : error.message,
    ...(error.locations && { locations: error.locations }),
    ...(error.path && { path: error.path }),
  };
}

/** What the library threw, as a failure of the request. @throws what is ours, or nobody's */
export function thrownFailure(thrown: unknown, stage: Stage): GraphqlFailure {
  if (thrown instanceof GraphQLError) return failureOf(thrown, stage);
  throw thrown;
}

function ownError(error: GraphQLError, stage: Stage, report?: (error: TesseraError) => void): TesseraError {
  let cause: Error | undefined = error;
  // The library wraps what resolvers and scalars throw, sometimes twice.
  while (cause instanceof GraphQLError && cause.originalError !== undefined) cause = cause.originalError;
  if (cause instanceof TesseraError) return cause;
  const isLibrary = cause instanceof GraphQLError || cause.message.startsWith('Cannot return null for non-nullable');
  if (isLibrary) return failure(stage, { message: error.message });
  const internal = asTesseraError(cause);
  report?.(internal);
  return internal;
}
