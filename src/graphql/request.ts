/** A GraphQL request as GraphQL over HTTP writes it. */
import { failure } from '../errors/error.js';
import { isArray, isObject, type ObjectValue, type Value } from '../value/value.js';

export interface GraphqlRequest {
  readonly query: string;
  readonly variables: ObjectValue | undefined;
  readonly operationName: string | undefined;
}

/**
 * Reads `{query, variables?, operationName?, extensions?}`; NULL counts as absent.
 * @throws TesseraError `graphql_request`
 */
export function readGraphqlRequest(body: Value): GraphqlRequest {
  if (isArray(body)) throw failure('graphql_request', { reason: 'several operations at once are not supported' });
  if (!isObject(body)) throw failure('graphql_request', { reason: 'the body must be an object' });
  const { query } = body;
  if (typeof query !== 'string') throw failure('graphql_request', { reason: '`query` must be a string' });
  optional(body, 'extensions', isObject, 'an object');
  return {
    query,
    variables: optional(body, 'variables', isObject, 'an object'),
    operationName: optional(body, 'operationName', (value) => typeof value === 'string', 'a string'),
  };
}

function optional<T extends Value>(
  body: ObjectValue,
  name: string,
  fits: (value: Value) => value is T,
  expected: string,
): T | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (!fits(value)) throw failure('graphql_request', { reason: `\`${name}\` must be ${expected}` });
  return value;
}
