/** The envelope of a request: `{id, method, params?, session?, txn?}`. */
import { failure } from '../errors/error.js';
import { isArray, isObject, kindOf, type ObjectValue, Uuid, type Value } from '../value/value.js';

export interface RpcRequest {
  readonly method: string;
  readonly params: readonly Value[];
  /** The attached session it is meant for; the connection's own if absent. */
  readonly session: string | undefined;
  /** The transaction that it is part of. */
  readonly transaction: string | undefined;
}

const NO_PARAMS: readonly Value[] = [];
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** An id is echoed in the answer; a longer one than this isn't one. */
const LONGEST_ID = 1024;

const COUNTED = /^\d+$/;

/**
 * Whether a request in CBOR comes from the JavaScript client of the first generation (1.x): it counts its requests in text and, unlike
 * the second, never names a session.
 */
export function isOfFirstGeneration(message: Value): boolean {
  return (
    isObject(message) &&
    typeof message.id === 'string' &&
    COUNTED.test(message.id) &&
    !Object.hasOwn(message, 'session')
  );
}

/** Whether a request is about attached sessions. */
export function namesSession(message: Value): boolean {
  return isObject(message) && (!isNothing(message.session) || message.method === 'sessions');
}

/** The id to be echoed, unchanged and with its type; NULL where there is none that could be. */
export function requestId(message: Value): Value {
  if (!isObject(message)) return null;
  const { id } = message;
  if (typeof id === 'string') return id.length <= LONGEST_ID ? id : null;
  return typeof id === 'number' || typeof id === 'bigint' || id instanceof Uuid ? id : null;
}

/** @throws TesseraError `invalid_request`, `invalid_params` */
export function readRequest(message: Value): RpcRequest {
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

export function isNothing(value: Value): value is null | undefined {
  return value === undefined || value === null;
}

/** A UUID as a value or as text, in its canonical form; `undefined` for anything else. */
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
