/** Outcomes as answers: the standard `{data, errors}`, and the results of `spec/service.md`, one for each root field. */
import { timeText } from '../session/time-text.js';
import { stringifyJson } from '../value/json.js';
import { newObject, type ObjectValue, objectFrom, type Value } from '../value/value.js';
import type { GraphqlFailure } from './errors.js';
import type { Outcome } from './service.js';

/** `{"errors": […], "data": {…}}`; fields stand in the order in which they were asked for. */
export function standardText({ data, failures }: Outcome): string {
  const parts: string[] = [];
  if (failures.length > 0)
    parts.push(`"errors":[${failures.map((each) => stringifyJson(errorValue(each))).join(',')}]`);
  if (data !== undefined) parts.push(`"data":${jsonText(data)}`);
  return `{${parts.join(',')}}`;
}

/** `[{"time": …, "status": "OK", "result": …}, …]`. A root field below which anything failed has the status ERR. */
export function resultsText({ data, failures, times }: Outcome): string {
  if (data === undefined || data === null) {
    return `[${failures.map(({ message }) => resultText(0n, 'ERR', stringifyJson(message))).join(',')}]`;
  }
  const entries = Object.entries(data).map(([name, value]) => {
    const failed = failures.find(({ path }) => path?.[0] === name);
    const time = times.get(name) ?? 0n;
    return failed === undefined
      ? resultText(time, 'OK', jsonText(value))
      : resultText(time, 'ERR', stringifyJson(failed.message));
  });
  return `[${entries.join(',')}]`;
}

function resultText(time: bigint, status: 'OK' | 'ERR', result: string): string {
  return `{"time":"${timeText(time)}","status":"${status}","result":${result}}`;
}

/** The standard answer as a value, for transports that have formats of their own. */
export function standardValue({ data, failures }: Outcome): ObjectValue {
  const answer = newObject();
  if (failures.length > 0) answer['errors'] = failures.map(errorValue);
  if (data !== undefined) answer['data'] = toValue(data);
  return answer;
}

/** `{message, locations, path, extensions: {code}}`. */
function errorValue({ message, locations, path, error }: GraphqlFailure): ObjectValue {
  return objectFrom({
    message,
    ...(locations && { locations: locations.map(({ line, column }) => objectFrom({ line, column })) }),
    ...(path && { path }),
    extensions: objectFrom({ code: error.code }),
  });
}

/** What the library made of a selection, as opposed to a value of the database. */
function isSelection(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === null;
}

// Both descend no deeper than the document's fields; what lies within a value is bounded by the value's own writer.

function jsonText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(jsonText).join(',')}]`;
  if (!isSelection(value)) return stringifyJson(value as Value);
  const entries: string[] = [];
  for (const name in value) entries.push(`"${name}":${jsonText(value[name])}`);
  return `{${entries.join(',')}}`;
}

function toValue(value: unknown): Value {
  if (Array.isArray(value)) return value.map(toValue);
  if (!isSelection(value)) return value as Value;
  const object = newObject();
  for (const name in value) object[name] = toValue(value[name]);
  return object;
}
