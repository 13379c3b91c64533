/** Errors of requests as such: frames, methods, parameters, headers, sizes. */
import { row } from '../row.js';

const validation = (kind: string) => () => ({ kind });

export const requestErrors = {
  internal: row({
    kind: 'Internal',
    text: () => 'There was an internal problem with the request',
    http: 500,
  }),

  // ─── Reading a request ───

  /** The input violates its format: broken JSON, CBOR or FlatBuffers, invalid UTF-8. */
  malformed_request: row<{ reason: string }>({
    kind: 'Validation',
    text: ({ reason }) => `The request could not be read: ${reason}`,
    details: validation('Parse'),
    rpc: -32700,
  }),
  /** Well-formed, but not a request. */
  invalid_request: row<{ reason: string }>({
    kind: 'Validation',
    text: ({ reason }) => `Invalid request: ${reason}`,
    details: validation('InvalidRequest'),
    rpc: -32600,
  }),
  method_not_found: row<{ name: string }>({
    kind: 'NotFound',
    text: () => 'Method not found',
    details: ({ name }) => ({ kind: 'Method', details: { name } }),
    rpc: -32601,
    http: 404,
  }),
  method_denied: row<{ name: string }>({
    kind: 'NotAllowed',
    text: ({ name }) => `Method '${name}' is not allowed to be called`,
    details: ({ name }) => ({ kind: 'Method', details: { name } }),
    rpc: -32602,
    http: 403,
  }),
  route_denied: row<{ name: string }>({
    kind: 'NotAllowed',
    text: ({ name }) => `The route '${name}' is not allowed to be used`,
    http: 403,
  }),
  query_denied: row<{ subject: string }>({
    kind: 'NotAllowed',
    text: ({ subject }) => `Queries of their own are not allowed to ${subject} users`,
    rpc: -32602,
    http: 403,
  }),
  invalid_params: row<{ expected: string }>({
    kind: 'Validation',
    text: ({ expected }) => `Expected ${expected}`,
    details: validation('InvalidParams'),
    rpc: -32603,
  }),
  transaction_missing: row({
    kind: 'Validation',
    text: () => 'Transaction not found',
    details: validation('InvalidParams'),
    rpc: -32603,
  }),

  // ─── Sessions of one connection ───

  session_missing: row<{ id: string }>({
    kind: 'NotFound',
    text: ({ id }) => `Session not found: ${id}`,
    details: ({ id }) => ({ kind: 'Session', details: { id } }),
    http: 404,
  }),
  session_exists: row<{ id: string }>({
    kind: 'AlreadyExists',
    text: ({ id }) => `Session already exists: ${id}`,
    details: ({ id }) => ({ kind: 'Session', details: { id } }),
    http: 409,
  }),
  too_many_sessions: row<{ limit: number }>({
    kind: 'Validation',
    text: ({ limit }) => `The connection has reached its limit of ${limit} attached sessions`,
    details: validation('InvalidRequest'),
    rpc: -32600,
    http: 429,
  }),

  too_many_stored_sessions: row<{ limit: number; of: 'user' | 'source' | 'server' }>({
    kind: 'NotAllowed',
    text: ({ limit, of }) => `A ${of} keeps at most ${limit} sessions that are attached over HTTP`,
    http: 429,
    retryable: true,
  }),
  stored_sessions_full: row<{ limit: number }>({
    kind: 'NotAllowed',
    text: ({ limit }) =>
      `Sessions that are attached over HTTP hold at most ${limit} bytes together. Detach some, or start the server with a larger --max-stored-session-memory`,
    http: 503,
    retryable: true,
  }),

  // ─── HTTP ───

  route_missing: row({
    kind: 'NotFound',
    text: () => 'There is nothing at this address',
    http: 404,
  }),
  http_method_unsupported: row<{ allowed: readonly string[] }>({
    kind: 'NotAllowed',
    text: ({ allowed }) => `The address answers to ${allowed.join(', ')} only`,
    http: 405,
  }),
  header_conflict: row<{ names: readonly string[] }>({
    kind: 'Validation',
    text: ({ names }) => `The headers ${names.join(' and ')} mean the same but have different values`,
  }),
  header_invalid: row<{ name: string; reason: string }>({
    kind: 'Validation',
    text: ({ name, reason }) => `The header ${name} ${reason}`,
  }),
  query_parameter_invalid: row<{ reason: string }>({
    kind: 'Validation',
    text: ({ reason }) => `The query string ${reason}`,
  }),
  unsupported_authorization: row({
    kind: 'NotAllowed',
    text: () => 'The Authorization header must be "Bearer <token>" or "Basic <base64 of user:password>"',
    details: () => ({ kind: 'Auth', details: { kind: 'InvalidAuth' } }),
    rpc: -32002,
    http: 401,
  }),
  unsupported_media_type: row<{ accepted: readonly string[] }>({
    kind: 'Validation',
    text: ({ accepted }) => `The Content-Type must be ${accepted.join(' or ')}`,
    http: 415,
  }),
  not_acceptable: row<{ offered: readonly string[] }>({
    kind: 'Validation',
    text: ({ offered }) => `The Accept header allows none of ${offered.join(', ')}`,
    http: 406,
  }),
  body_too_large: row<{ limit: number; setting: string }>({
    kind: 'Validation',
    text: ({ limit, setting }) => `The body exceeds the limit of ${limit} bytes (${setting})`,
    http: 413,
  }),
  headers_too_large: row({
    kind: 'Validation',
    text: () => 'The headers of the request are too large',
    http: 431,
  }),
  request_timeout: row({
    kind: 'Connection',
    text: () => 'The request did not come in completely within the time allowed (--request-timeout)',
    http: 408,
    retryable: true,
  }),
  graphql_disabled: row({
    kind: 'NotFound',
    text: () =>
      'GraphQL is switched off: start the server with SVC_EXPERIMENTAL_GRAPHQL=true or --allow-experimental graphql',
    http: 404,
  }),

  // ─── Imports ───

  /** The error of a statement within an import. */
  import_failed: row<{ line: number; column: number; reason: string }>({
    kind: 'Query',
    text: ({ line, column, reason }) =>
      `The import ended at line ${line}, column ${column}; what stands before is done. ${reason}`,
  }),
  transfer_timed_out: row<{ what: 'import' | 'export'; duration: string; setting: string }>({
    kind: 'Query',
    text: ({ what, duration, setting }) =>
      `The ${what} was ended since it took longer than ${duration} (${setting})${what === 'import' ? '; what was done until then stays' : ''}`,
    details: () => ({ kind: 'TimedOut' }),
    http: 408,
  }),

  // ─── WebSocket ───

  subprotocol_unsupported: row<{ supported: readonly string[] }>({
    kind: 'Validation',
    text: ({ supported }) => `None of the offered WebSocket subprotocols is supported; offer ${supported.join(' or ')}`,
  }),
  upgrade_invalid: row<{ reason: string }>({
    kind: 'Validation',
    text: ({ reason }) => `The WebSocket handshake is not valid: ${reason}`,
  }),
  upgrade_required: row({
    kind: 'Validation',
    text: () => 'A GET on this address must ask for an upgrade to a WebSocket',
    http: 426,
  }),
  origin_denied: row({
    kind: 'NotAllowed',
    text: () => 'The Origin is not on the list of allowed origins (--allow-origin)',
    http: 403,
  }),
  host_denied: row({
    kind: 'NotAllowed',
    text: () =>
      'A server without authentication is called by an address, localhost or the host of an allowed origin (--allow-origin)',
    http: 403,
  }),
  password_remembered: row({
    kind: 'NotAllowed',
    text: () =>
      'The password may be one that a browser remembers, as the request comes from a page of another site: send a token instead',
    http: 403,
  }),
  shutting_down: row({
    kind: 'Connection',
    text: () => 'The server is shutting down',
    rpc: -32001,
    http: 503,
    retryable: true,
  }),
  too_many_connections: row<{ limit: number; setting: string }>({
    kind: 'Connection',
    text: ({ limit, setting }) => `The server has reached its limit of ${limit} connections (${setting})`,
    rpc: -32001,
    http: 503,
    retryable: true,
  }),
  too_many_pipelined: row<{ limit: number }>({
    kind: 'Connection',
    text: ({ limit }) => `No more than ${limit} requests of a connection may wait for the answer to an earlier one`,
    http: 429,
    retryable: true,
  }),
  not_a_value: row<{ found: string }>({
    kind: 'Validation',
    text: ({ found }) => `Expected a value that can be stored, but found ${found}`,
    details: () => ({ kind: 'InvalidParams' }),
    rpc: -32603,
  }),
} as const;
