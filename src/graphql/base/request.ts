/** A GraphQL request as GraphQL over HTTP writes it. */
import { failure } from '../../errors/error.js';
import { parseJson } from '../../value/codecs/json.js';
import { isObject, newObject, type ObjectValue, type Value } from '../../value/value.js';

export interface GraphqlRequest {
  readonly query?: string | undefined;
  /** The id of a trusted document instead of `query`, in the terms of GraphQL over HTTP. */
  readonly documentId?: string | undefined;
  /** The same as Apollo's persisted query, whose clients send the text as well if the id is unknown. */
  readonly persistedQuery?: string | undefined;
  readonly variables: ObjectValue | undefined;
  readonly operationName: string | undefined;
  /** Where nothing may be written, as by GET: subscriptions are queries, too. */
  readonly only?: 'query';
}

/**
 * Reads `{query, variables?, operationName?, extensions?}`; NULL counts as absent. Instead of `query` there may be
 * `documentId: "…"`, or `extensions: {persistedQuery: {version: 1, sha256Hash: "…"}}`.
 * @throws TesseraError `graphql_request`
 */
export function readGraphqlRequest(body: Value): GraphqlRequest {
  if (!isObject(body)) throw failure('graphql_request', { reason: 'the body must be an object' });
  const query = optional(body, 'query', isText, 'a string');
  const documentId = optional(body, 'documentId', isText, 'a string');
  const persistedQuery = persistedHash(optional(body, 'extensions', isObject, 'an object'));
  if (query !== undefined && documentId !== undefined) {
    throw failure('graphql_request', { reason: 'say either `query` or `documentId`' });
  }
  if (query === undefined && documentId === undefined && persistedQuery === undefined) {
    throw failure('graphql_request', { reason: '`query` must be a string' });
  }
  return {
    query,
    documentId,
    persistedQuery,
    variables: optional(body, 'variables', isObject, 'an object'),
    operationName: optional(body, 'operationName', isText, 'a string'),
  };
}

function persistedHash(extensions: ObjectValue | undefined): string | undefined {
  const persisted = extensions?.['persistedQuery'];
  const hash = isObject(persisted) ? persisted['sha256Hash'] : undefined;
  return isText(hash) ? hash : undefined;
}

function isText(value: Value): value is string {
  return typeof value === 'string';
}

/** Those parameters of a query string that are JSON. */
const JSON_PARAMETERS: ReadonlySet<string> = new Set(['variables', 'extensions']);

/**
 * The same from the query string of a GET, which may only read: `?query={person{id}}&variables={"a":1}`. What is empty
 * counts as absent.
 * @throws TesseraError `graphql_request`, `json_invalid`
 */
export function readGraphqlParameters(parameters: ObjectValue): GraphqlRequest {
  const body = newObject();
  for (const [name, text] of Object.entries(parameters)) {
    if (typeof text !== 'string' || text === '') continue;
    body[name] = JSON_PARAMETERS.has(name) ? parseJson(text) : text;
  }
  return { ...readGraphqlRequest(body), only: 'query' };
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
