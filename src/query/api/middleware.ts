/** The built-in middleware of endpoints. */

import type { PromiseOrValue } from '../../base/promise-or-value.js';
import { failure, TesseraError } from '../../errors/error.js';
import type { Execution } from '../../runtime/execution.js';
import { Variants } from '../../runtime/variants.js';
import { Duration, isObject, type ObjectValue, type Value } from '../../value/value.js';
import { decodeBody, encodeBody, isStrategy } from './body.js';
import { API_LIMIT, limitBuckets, readApiLimit, secondsToWait, tooManyCalls } from './limit.js';
import {
  type ApiRequest,
  type ApiResponse,
  isHeaderName,
  isHeaderValue,
  isStatus,
  response,
  withHeader,
} from './message.js';

/** Answers a request in an execution. */
export type Handler = (request: ApiRequest, execution: Execution) => PromiseOrValue<ApiResponse>;

/**
 * Wraps a handler. `place` identifies the written call within its database.
 * @throws TesseraError `api_middleware`, `api_limit` for invalid arguments
 */
type Middleware = (args: readonly Value[], next: Handler, place: string) => Handler;

/** By their names in lower case. */
export const MIDDLEWARE: ReadonlyMap<string, Middleware> = new Map<string, Middleware>([
  [
    'api::timeout',
    ([duration], next) => {
      if (!(duration instanceof Duration)) throw misused('api::timeout');
      return (request, execution) => within(execution, duration, (inner) => next(request, inner));
    },
  ],
  [
    API_LIMIT,
    (args, next, place) => {
      const limit = readApiLimit(args);
      return async (request, execution) => {
        const wait = await secondsToWait(execution, limitBuckets(limit, place, execution.identity));
        return wait === undefined ? next(request, execution) : tooManyCalls(wait);
      };
    },
  ],
  [
    'api::req::body',
    ([strategy = 'auto'], next) => {
      if (!isStrategy(strategy)) throw misused('api::req::body');
      return (request, execution) => {
        const decoded = decodeBody(request, strategy);
        return 'refused' in decoded ? decoded.refused : next(decoded, execution);
      };
    },
  ],
  [
    'api::res::body',
    ([strategy = 'auto'], next) => {
      if (!isStrategy(strategy)) throw misused('api::res::body');
      return async (request, execution) => {
        const given = await next(request, execution);
        return encodeBody(request, given, strategy);
      };
    },
  ],
  [
    'api::res::status',
    ([status], next) => {
      if (typeof status !== 'number') throw misused('api::res::status');
      const isValid = isStatus(status);
      const refused = response(400, `Invalid HTTP status code: ${status}. Must be between 100 and 599`);
      return async (request, execution) => {
        const given = await next(request, execution);
        return isValid ? { ...given, status } : refused;
      };
    },
  ],
  [
    'api::res::header',
    ([name, value], next) => {
      if (typeof name !== 'string' || !isHeader(value)) throw misused('api::res::header');
      return async (request, execution) => {
        const given = await next(request, execution);
        return withHeaders(given, [[isHeaderName(name) ? name.toLowerCase() : name, value]]);
      };
    },
  ],
  [
    'api::res::headers',
    ([headers], next) => {
      if (!isObject(headers)) throw misused('api::res::headers');
      const entries = Object.entries(headers).map(([name, value]) => {
        if (!isHeader(value)) throw misused('api::res::headers');
        return [name, value] as const;
      });
      return async (request, execution) => {
        const given = await next(request, execution);
        return withHeaders(given, entries);
      };
    },
  ],
]);

function misused(name: string): TesseraError {
  return failure('api_middleware', { name });
}

/** A text, or NONE to remove a header. */
function isHeader(value: Value): value is string | undefined {
  return typeof value === 'string' || value === undefined;
}

function withHeaders(
  given: ApiResponse,
  entries: readonly (readonly [name: string, value: string | undefined])[],
): ApiResponse {
  let headers: ObjectValue = given.headers;
  for (const [name, value] of entries) {
    if (!isHeaderName(name)) return response(400, `Invalid header name: ${name}: invalid HTTP header name`);
    if (value !== undefined && !isHeaderValue(value)) {
      return response(400, `Invalid header value for ${name}: ${value}: failed to parse header value`);
    }
    headers = withHeader(headers, name.toLowerCase(), value);
  }
  return { ...given, headers };
}

/** Runs work with a timeout. If the whole request has timed out, too, that error passes through. */
async function within(
  execution: Execution,
  duration: Duration,
  work: (inner: Execution) => PromiseOrValue<ApiResponse>,
): Promise<ApiResponse> {
  const interrupt = execution.interrupt.within(duration);
  const inner: Execution = { ...execution, interrupt, variants: new Variants() };
  try {
    return await work(inner);
  } catch (error) {
    if (!(error instanceof TesseraError) || error.code !== 'timed_out') throw error;
    execution.interrupt.check();
    return response(500, 'deadline has elapsed');
  }
}
