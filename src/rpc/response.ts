/** Responses as values: the envelope, errors, and statement results. */
import { failure, type TesseraError } from '../errors/error.js';
import type { ErrorDetails } from '../errors/row.js';
import type { Notification, StatementResult } from '../session/contract.js';
import { formatElapsed } from '../session/session/time-text.js';
import { stringifyJson } from '../value/codecs/json.js';
import {
  isObject,
  type MutableObject,
  newObject,
  type ObjectValue,
  RecordId,
  Uuid,
  type Value,
} from '../value/value.js';
import type { Repeated } from './request.js';

/** `{id, session?, result}`. `result` is present even if it is NONE, since clients test for it. */
export function resultMessage(repeated: Repeated, result: Value): ObjectValue {
  const envelope = envelopeOf(repeated);
  envelope.result = result;
  return envelope;
}

function envelopeOf({ id, session }: Repeated): MutableObject {
  const envelope = newObject();
  envelope.id = id;
  if (session !== undefined) envelope.session = session;
  return envelope;
}

/** The table of the record that a notification of a whole result has, whose key is the id of the live query. */
const WHOLE = 'result';

/**
 * `{session?, result: {action, id, record, result, session}}`: a message that answers no request. `session` is the
 * attached one that it is for, within and outside of the result, since clients look for it in either place.
 * Notifications of live queries with SINCE have a `versionstamp`, as text, since JSON parsers in JavaScript would
 * round the number, and those of live results with an order a `position`; others have none, since some clients reject
 * unknown members. The first generation of clients
 * doesn't know KILLED, and treats an unknown message without id as a broken connection; a message with an unknown id
 * it ignores.
 */
export function notificationMessage(
  { action, id, record, result, position, versionstamp }: Notification,
  session: string | undefined,
  toFirstGeneration = false,
): ObjectValue {
  const body = newObject();
  body.action = action;
  body.id = id;
  // Clients pass on a notification only if it has a record.
  body.record = record ?? (action === 'KILLED' ? undefined : new RecordId(WHOLE, id));
  body.result = result;
  body.session = session === undefined ? undefined : new Uuid(session);
  if (position !== undefined) body.position = position;
  if (versionstamp !== undefined) body.versionstamp = String(versionstamp);
  const envelope = newObject();
  if (toFirstGeneration && action === 'KILLED') envelope.id = body.id;
  if (session !== undefined) envelope.session = body.session;
  envelope.result = body;
  return envelope;
}

/** A response where a request has only one, so that it needs no id: over HTTP. */
export function withoutId(response: ObjectValue): ObjectValue {
  const envelope = newObject();
  for (const name of Object.keys(response)) if (name !== 'id') envelope[name] = response[name];
  return envelope;
}

/** `{id, session?, error: {code, message, kind, details?}}`. */
export function errorMessage(repeated: Repeated, error: TesseraError): ObjectValue {
  const body = newObject();
  body.code = error.rpcCode;
  body.message = error.message;
  addKind(body, error);
  const envelope = envelopeOf(repeated);
  envelope.error = body;
  return envelope;
}

/** `[{result, status, time, type?, kind?, details?}, …]`. */
export function statementResults(results: readonly StatementResult[]): ObjectValue[] {
  return results.map(statementResult);
}

/**
 * `statementResults` as JSON text. Most results are written as they come, without an object around each that is only
 * there to be printed.
 * @throws TesseraError `answer_too_large` for one of more than `limit` characters
 */
export function statementResultsJson(results: readonly StatementResult[], limit: number): string {
  let text = '[';
  for (const result of results) {
    text += text.length === 1 ? statementResultJson(result) : `,${statementResultJson(result)}`;
    if (text.length > limit) throw failure('answer_too_large', { limit });
  }
  return `${text}]`;
}

function statementResultJson(entry: StatementResult): string {
  const { outcome, time, type } = entry;
  if (!outcome.ok || type !== undefined) return stringifyJson(statementResult(entry));
  return `{"result":${stringifyJson(outcome.value)},"status":"OK","time":"${formatElapsed(time)}"}`;
}

function statementResult({ outcome, time, type }: StatementResult): ObjectValue {
  const entry = newObject();
  entry.result = outcome.ok ? outcome.value : outcome.error.message;
  entry.status = outcome.ok ? 'OK' : 'ERR';
  entry.time = formatElapsed(time);
  if (!outcome.ok) addKind(entry, outcome.error);
  if (type !== undefined) entry.type = type;
  return entry;
}

function addKind(target: MutableObject, { kind, details }: TesseraError): void {
  target.kind = kind;
  if (details !== undefined) target.details = detailsValue(details);
}

/** `{kind: 'Auth', details: {kind: 'NotAllowed', …}}` as a value. */
function detailsValue({ kind, details }: ErrorDetails): ObjectValue {
  const value = newObject();
  value.kind = kind;
  if (details !== undefined) value.details = plainValue(details);
  return value;
}

/** The catalogue's details are plain objects whose leaves are values. */
function plainValue(detail: unknown): Value {
  if (typeof detail !== 'object' || detail === null || isObject(detail as Value)) return detail as Value;
  if (Object.getPrototypeOf(detail) !== Object.prototype) return detail as Value;
  const value = newObject();
  for (const [key, inner] of Object.entries(detail)) value[key] = plainValue(inner);
  return value;
}
