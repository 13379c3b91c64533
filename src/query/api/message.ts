/** Requests and responses of endpoints as values, and the errors of malformed ones. */
import { failure } from '../../errors/error.js';
import { API_METHODS, type ApiMethod } from '../../language/ast.js';
import { isObject, kindOf, newObject, type ObjectValue, objectFrom, type Value } from '../../value/value.js';

export interface ApiRequest {
  readonly body: Value;
  readonly context: ObjectValue;
  readonly headers: ObjectValue;
  readonly method: ApiMethod;
  readonly params: ObjectValue;
  readonly query: ObjectValue;
}

export interface ApiResponse {
  readonly body: Value;
  readonly context: ObjectValue;
  /** Texts, by names in lower case. */
  readonly headers: ObjectValue;
  readonly status: number;
}

/** The header with the request's id. */
export const REQUEST_ID = 'x-surreal-request-id';

const NOTHING: ObjectValue = objectFrom({});

/** A response without headers and context. */
export function response(status: number, body: Value): ApiResponse {
  return { body, context: NOTHING, headers: NOTHING, status };
}

/**
 * Reads the request of an API endpoint from an object; `method` is `get` and all else empty unless given.
 *
 *     readApiRequest(objectFrom({ method: 'post', body: 'x' }))   // { method: 'post', body: 'x', headers: {}, … }
 *
 * @throws TesseraError `api_request`
 */
export function readApiRequest(value: Value): ApiRequest {
  if (!isObject(value)) throw failure('api_request', { reason: `Expected object, got ${kindName(value)}` });
  const method = 'method' in value && value['method'] !== undefined ? value['method'] : 'get';
  if (!isMethod(method)) throw wrong('method', 'Failed to decode ApiMethod, no variants matched');
  const id = value['request_id'];
  if (id !== undefined && typeof id !== 'string') throw wrong('request_id', `Expected string, got ${kindName(id)}`);
  return {
    body: value['body'],
    context: objectIn(value, 'context'),
    headers: headersIn(objectIn(value, 'headers')),
    method,
    params: objectIn(value, 'params'),
    query: queryIn(objectIn(value, 'query')),
  };
}

function wrong(field: string, reason: string) {
  return failure('api_request', { reason: `Failed to deserialize field '${field}' on type 'ApiRequest': ${reason}` });
}

function isMethod(value: Value): value is ApiMethod {
  return API_METHODS.some((method) => method === value);
}

function objectIn(value: ObjectValue, field: string): ObjectValue {
  if (!(field in value)) return NOTHING;
  const found = value[field];
  if (!isObject(found)) throw wrong(field, `Expected object, got ${kindName(found)}`);
  return found;
}

function headersIn(given: ObjectValue): ObjectValue {
  const headers = newObject();
  for (const [name, value] of Object.entries(given)) {
    if (typeof value !== 'string') throw wrong('headers', `Expected object, got ${kindName(value)}`);
    if (!isHeaderName(name)) throw wrong('headers', 'invalid HTTP header name');
    if (!isHeaderValue(value)) throw wrong('headers', 'failed to parse header value');
    headers[name.toLowerCase()] = value;
  }
  return headers;
}

function queryIn(query: ObjectValue): ObjectValue {
  for (const value of Object.values(query)) {
    if (typeof value === 'string') continue;
    throw wrong('query', `Failed to convert to object: Expected string, got ${kindName(value)}`);
  }
  return query;
}

/** Numbers of all kinds are accepted. */
function kindName(value: Value): string {
  const kind = kindOf(value);
  return kind === 'int' || kind === 'float' || kind === 'decimal' ? 'number' : kind;
}

/** A request as middleware and actions see it. */
export function requestValue(request: ApiRequest, id: string): ObjectValue {
  const { body, context, headers, method, params, query } = request;
  const named = withHeader(headers, REQUEST_ID, id);
  return objectFrom({ body, context, headers: named, method, params, query, request_id: id });
}

/** The response in a value; `undefined` if it isn't one. */
export function readApiResponse(value: Value): ApiResponse | undefined {
  if (!isObject(value)) return undefined;
  const status = 'status' in value ? value['status'] : 200;
  const headers = 'headers' in value ? value['headers'] : NOTHING;
  const context = 'context' in value ? value['context'] : NOTHING;
  if (typeof status !== 'number' || !Number.isInteger(status) || !isStatus(status)) return undefined;
  if (!isObject(headers) || !isObject(context)) return undefined;
  const named = newObject();
  for (const [name, text] of Object.entries(headers)) {
    if (typeof text !== 'string' || !isHeaderName(name) || !isHeaderValue(text)) return undefined;
    named[name.toLowerCase()] = text;
  }
  return { body: value['body'], context, headers: named, status };
}

/** A response as middleware sees it. */
export function responseValue({ body, context, headers, status }: ApiResponse, id: string): ObjectValue {
  return objectFrom({ body, context, headers: withHeader(headers, REQUEST_ID, id), request_id: id, status });
}

/** The headers with one set; NONE removes it. */
export function withHeader(headers: ObjectValue, name: string, value: string | undefined): ObjectValue {
  const next = newObject();
  const names = new Set([...Object.keys(headers), name]);
  for (const each of [...names].sort()) {
    const text = each === name ? value : headers[each];
    if (text !== undefined) next[each] = text;
  }
  return next;
}

/** Status codes as HTTP has them. */
export function isStatus(status: number): boolean {
  return status >= 100 && status <= 599;
}

export function isHeaderName(name: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name);
}

/** No control characters, which could end the header and begin another. */
export function isHeaderValue(value: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}
