/** The request envelope: `{id, method, params?, session?, txn?}`. */
import { failure } from '../errors/error.js';
import { isArray, isObject, kindOf, type ObjectValue, Uuid, type Value } from '../value/value.js';

export interface RpcRequest {
  readonly method: string;
  readonly params: readonly Value[];
  /** The attached session to use. Default: the connection's own. */
  readonly session: string | undefined;
  /** The transaction to use. */
  readonly transaction: string | undefined;
}

const NO_PARAMS: readonly Value[] = [];
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** Ids are echoed in the answer; longer ones are treated as absent. */
const LONGEST_ID = 1024;

const COUNTED = /^\d+$/;

/**
 * Whether a CBOR request comes from the JavaScript client 1.x, whose request ids are strings and which never names a
 * session.
 */
export function isOfFirstGeneration(message: Value): boolean {
  return (
    isObject(message) &&
    typeof message.id === 'string' &&
    COUNTED.test(message.id) &&
    !Object.hasOwn(message, 'session')
  );
}

/** Whether a request concerns attached sessions. */
export function namesSession(message: Value): boolean {
  return isObject(message) && (!isNothing(message.session) || message.method === 'sessions');
}

/** What an answer repeats of its request, unchanged and with their types. */
export interface Repeated {
  /** NULL if there is no valid one. */
  readonly id: Value;
  /** The session that it names, by which some clients find the call; NONE if it names none. */
  readonly session: Value;
}

export const NOTHING_REPEATED: Repeated = { id: null, session: undefined };

/** What an answer to a message repeats, whether or not it is a request. */
export function repeatedOf(message: Value): Repeated {
  if (!isObject(message)) return NOTHING_REPEATED;
  const { id, session } = message;
  return { id: isId(id) ? id : null, session: uuidText(session) === undefined ? undefined : session };
}

function isId(id: Value): boolean {
  if (typeof id === 'string') return id.length <= LONGEST_ID;
  return typeof id === 'number' || typeof id === 'bigint' || id instanceof Uuid;
}

/** Whether a client wants no answer: its id is NONE, rather than absent. */
export function wantsNoAnswer(message: Value): boolean {
  return isObject(message) && Object.hasOwn(message, 'id') && message.id === undefined;
}

/**
 * Reads a request from a decoded message.
 *
 *     readRequest(decodeCbor(bytes)) // { method: 'query', params: ['RETURN 1'], session: undefined, transaction: undefined }
 *
 * @throws TesseraError `invalid_request` if the message is no request; `invalid_params` if `params` is no array
 * @see the reference engine's RPC protocol
 */
export function readRpcRequest(message: Value): RpcRequest {
  if (!isObject(message)) throw failure('invalid_request', { reason: `expected an object, got ${kindOf(message)}` });
  const { method } = message;
  if (typeof method !== 'string') throw failure('invalid_request', { reason: '`method` must be a string' });
  return {
    method,
    params: readParams(message.params),
    session: isNothing(message.session) ? undefined : readUuid(message, 'session'),
    transaction: isNothing(message.txn) ? undefined : readUuid(message, 'txn'),
  };
}

/** Whether a value is NONE or NULL. */
export function isNothing(value: Value): value is null | undefined {
  return value === undefined || value === null;
}

/** The canonical form of a UUID given as a value or string; `undefined` for anything else. */
export function uuidText(value: Value): string | undefined {
  const text = value instanceof Uuid ? value.text : typeof value === 'string' ? value.toLowerCase() : '';
  return UUID.test(text) ? text : undefined;
}

function readParams(params: Value): readonly Value[] {
  if (isNothing(params)) return NO_PARAMS;
  if (!isArray(params)) throw failure('invalid_params', { expected: `params to be array, got ${kindOf(params)}` });
  return params;
}

function readUuid(message: ObjectValue, key: 'session' | 'txn'): string {
  const text = uuidText(message[key]);
  if (text === undefined) throw failure('invalid_request', { reason: `\`${key}\` must be a UUID` });
  return text;
}
