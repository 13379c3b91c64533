/**
 * Outcomes as answers: the standard `{data, errors}`, and the results of the service, one for each root field.
 */
import { secondFactorIn } from '../../errors/second-factor.js';
import { formatElapsed } from '../../session/session/time-text.js';
import { stringifyJson } from '../../value/codecs/json.js';
import { type ObjectValue, objectFrom } from '../../value/value.js';
import type { GraphqlFailure } from '../base/errors.js';
import type { OperationResult } from '../service.js';

/** `{"errors": […], "data": {…}}`; fields are in the order of the selection. */
export function standardText({ roots, failures }: OperationResult): string {
  const parts: string[] = [];
  if (failures.length > 0)
    parts.push(`"errors":[${failures.map((each) => stringifyJson(errorValue(each))).join(',')}]`);
  if (roots !== undefined) {
    parts.push(`"data":{${roots.map(({ key, json }) => `${JSON.stringify(key)}:${json}`).join(',')}}`);
  }
  return `{${parts.join(',')}}`;
}

/** `[{"time": …, "status": "OK", "result": …}, …]`. A root field below which anything failed has the status ERR. */
export function resultsText({ roots, failures }: OperationResult): string {
  if (roots === undefined) {
    return `[${failures.map(({ message }) => resultText(0n, 'ERR', stringifyJson(message))).join(',')}]`;
  }
  const entries = roots.map(({ key, json, time }) => {
    const failed = failures.find(({ path }) => path?.[0] === key);
    return failed === undefined ? resultText(time, 'OK', json) : resultText(time, 'ERR', stringifyJson(failed.message));
  });
  return `[${entries.join(',')}]`;
}

function resultText(time: bigint, status: 'OK' | 'ERR', result: string): string {
  return `{"time":"${formatElapsed(time)}","status":"${status}","result":${result}}`;
}

/** `{message, locations, path, extensions: {code}}`; where a second factor is required, also what is due. */
export function errorValue({ message, locations, path, error }: GraphqlFailure): ObjectValue {
  return objectFrom({
    message,
    ...(locations && { locations: locations.map(({ line, column }) => objectFrom({ line, column })) }),
    ...(path && { path }),
    extensions: objectFrom({ code: error.code, ...(secondFactorIn(error) as ObjectValue | undefined) }),
  });
}
