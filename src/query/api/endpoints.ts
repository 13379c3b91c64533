/** Endpoints of DEFINE API: matched by path, checked for permission, and run behind their middleware. */
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import { CALL } from '../../base/work/work.js';
import type { DatabaseCatalog } from '../../catalog/definitions/database-catalog.js';
import type { ApiDefinition } from '../../catalog/definitions/definition.js';
import { failure, TesseraError } from '../../errors/error.js';
import { uuidV4 } from '../../functions/identifiers.js';
import type { ApiMethod, Call, Expression, Handling } from '../../language/ast.js';
import { constantValue } from '../../language/constant-value.js';
import { withDefinerRightsCap } from '../../runtime/authorization/definer-rights-cap.js';
import { isQueryError, isSafeToExpose } from '../../runtime/authorization/error-redaction.js';
import { admits, compileRule, type Rule, UNCHECKED } from '../../runtime/authorization/permission.js';
import { deeper, isTooDeep, withStackGuard } from '../../runtime/depth.js';
import type { ApiEndpoints, Execution } from '../../runtime/execution.js';
import { type Compiler, Frame } from '../../runtime/frame.js';
import { Scope } from '../../runtime/scope.js';
import { Variants } from '../../runtime/variants.js';
import { Closure, Duration, isObject, type ObjectValue, objectFrom, type Value } from '../../value/value.js';
import { CUSTOM, callDefined } from '../expression/call-defined.js';
import { HostFunction } from '../expression/closure.js';
import { decodeBody, encodeBody, isStrategy, NATIVE_HEADERS } from './body.js';
import {
  type ApiRequest,
  type ApiResponse,
  isHeaderName,
  isHeaderValue,
  isStatus,
  REQUEST_ID,
  readApiRequest,
  readApiResponse,
  requestValue,
  response,
  responseValue,
  withHeader,
} from './message.js';
import { type ApiPath, bySpecificity, matchPath, parseApiPath, splitPath } from './path.js';

/** The compiled endpoints of a database; those with more specific paths come first. */
interface Route {
  readonly path: ApiPath;
  readonly definition: ApiDefinition;
}

const routesOf = new WeakMap<DatabaseCatalog['apis'], readonly Route[]>();

function routes({ apis }: DatabaseCatalog): readonly Route[] {
  let found = routesOf.get(apis);
  if (found === undefined) {
    found = [...apis.values()]
      .map((definition) => ({ path: parseApiPath(definition.name), definition }))
      .sort((left, right) => bySpecificity(left.path, right.path));
    routesOf.set(apis, found);
  }
  return found;
}

/** The handler of a method at a path. */
interface Endpoint {
  readonly handlings: readonly Handling[];
  readonly action: Expression;
  readonly params: ObjectValue;
}

function findEndpoint(catalog: DatabaseCatalog, parts: readonly string[], method: ApiMethod): Endpoint | undefined {
  for (const { path, definition } of routes(catalog)) {
    const params = matchPath(path, parts);
    if (params === undefined) continue;
    const config = catalog.configs.get('api')?.config;
    const handlings = [...(config?.kind === 'api' ? [config] : []), definition.handling];
    const found = definition.actions.find(({ methods }) => methods.includes(method));
    if (found !== undefined) return { handlings: [...handlings, found.handling], action: found.action, params };
    return definition.fallback && { handlings, action: definition.fallback, params };
  }
  return undefined;
}

/**
 * An endpoint is code of the schema's owner and runs as events do, with permissions off; its PERMISSIONS determine who
 * may call it. A failure within it becomes an answer, and its writes are rolled back.
 */
export class Endpoints implements ApiEndpoints {
  readonly #compiler: Compiler;

  constructor(compiler: Compiler) {
    this.#compiler = compiler;
  }

  async invoke(execution: Execution, path: string, given: Value): Promise<Value> {
    const parts = splitPath(path);
    const asked = readApiRequest(given);
    const id = uuidV4(execution.services.environment.random).text;
    const catalog = await execution.context.catalog();
    const endpoint = catalog && findEndpoint(catalog, parts, asked.method);
    if (endpoint === undefined) return answer(response(404, 'Not found'), id);
    const rules = endpoint.handlings.map(({ permissions }) => compileRule(permissions, this.#compiler));
    const may = await mayAsk(execution, rules);
    if (!may) return answer(response(403, 'Permission denied: You are not allowed to access this resource'), id);
    const inner: Execution = { ...deeper(withDefinerRightsCap(execution)), checks: UNCHECKED };
    const request = {
      ...asked,
      headers: objectFrom({ ...NATIVE_HEADERS, ...asked.headers }),
      params: endpoint.params,
    };
    const invocation = new Invocation(id, execution.checks.view, this.#compiler);
    const answered = await withStackGuard(async () => {
      await inner.interrupt.checkpoint(CALL);
      return invocation.run(endpoint, request, inner);
    });
    return answer({ ...answered, headers: withHeader(answered.headers, REQUEST_ID, id) }, id);
  }
}

/** The caller's response, without the context. */
function answer({ body, headers, status }: ApiResponse, id: string): ObjectValue {
  return objectFrom({ body, headers, request_id: id, status });
}

async function mayAsk(execution: Execution, [rule, ...rest]: readonly Rule[]): Promise<boolean> {
  if (rule === undefined || !execution.checks.view) return true;
  const may = await admits(rule, execution, undefined);
  return may && mayAsk(execution, rest);
}

/** One request to an endpoint. */
class Invocation {
  constructor(
    readonly id: string,
    /**
     * Whether something may be hidden from the caller: the error of a failed action is then redacted unless it is a
     * THROW.
     */
    readonly redactsErrors: boolean,
    readonly compiler: Compiler,
  ) {}

  run({ handlings, action }: Endpoint, request: ApiRequest, execution: Execution): PromiseOrValue<ApiResponse> {
    const calls = handlings.flatMap(({ middleware }) => middleware);
    return this.#orNothing(execution, () => {
      const handler = calls.reduceRight<Handler>((next, call) => this.#around(call, next), this.#action(action));
      return handler(request, execution);
    });
  }

  #action(action: Expression): Handler {
    const evaluate = this.compiler.expression(action);
    return (request, execution) =>
      this.#orFailure(execution, async () => {
        const scope = new Scope();
        scope.set('request', requestValue(request, this.id));
        const value = await evaluate(new Frame(execution, scope));
        return readApiResponse(value) ?? response(500, 'Failed to convert public value to ApiResponse');
      });
  }

  #around(call: Call, next: Handler): Handler {
    // They were computed when the endpoint was defined.
    const args = call.args.map((each) => constantValue(each)?.value);
    const builtIn = MIDDLEWARE.get(call.path.toLowerCase());
    if (builtIn !== undefined) return builtIn(args, next);
    if (!call.path.startsWith(CUSTOM)) throw failure('api_middleware', { name: call.path });
    return (request, execution) => this.#custom(call.path, args, request, execution, next);
  }

  /** A user's function gets the request, the next handler, and then the written arguments. */
  async #custom(
    path: string,
    args: readonly Value[],
    request: ApiRequest,
    execution: Execution,
    next: Handler,
  ): Promise<ApiResponse> {
    const goOn = new HostFunction(async (inner, [given]) => {
      const done = await this.#next(given, inner, next);
      return responseValue(done, this.id);
    });
    const given = [requestValue(request, this.id), new Closure('|$request: any| $request', goOn), ...args];
    const value = await callDefined(path.slice(CUSTOM.length), given, new Frame(execution, new Scope()), this.compiler);
    const done = readApiResponse(value);
    if (done === undefined) throw failure('api_middleware', { name: path });
    return done;
  }

  #next(given: Value, execution: Execution, next: Handler): PromiseOrValue<ApiResponse> {
    let request: ApiRequest;
    try {
      request = readApiRequest(given);
    } catch (error) {
      if (isQueryError(error)) return response(400, 'Failed to parse request in final action handler');
      throw error;
    }
    return next(request, execution);
  }

  /** Answers with the error of an action. */
  #orFailure(execution: Execution, work: () => PromiseOrValue<ApiResponse>): PromiseOrValue<ApiResponse> {
    return this.#undoing(execution, work, (error) => {
      const hidden = this.redactsErrors && !isSafeToExpose(error);
      return hidden ? failure('stored_code_failed', { what: 'endpoint' }).message : error.message;
    });
  }

  /** Middleware that fails answers without a body. */
  #orNothing(execution: Execution, work: () => PromiseOrValue<ApiResponse>): PromiseOrValue<ApiResponse> {
    return this.#undoing(execution, work, () => undefined);
  }

  async #undoing(
    execution: Execution,
    work: () => PromiseOrValue<ApiResponse>,
    bodyOf: (error: Error) => Value,
  ): Promise<ApiResponse> {
    const { context } = execution;
    const start = context.transaction.savepoint();
    try {
      return await work();
    } catch (error) {
      // Endpoints that call each other end together: one that called another again would take for ever.
      if (!isQueryError(error) || (execution.depth > 1 && isTooDeep(error))) throw error;
      context.transaction.rollback(start);
      context.catalogChanged();
      return response(500, bodyOf(error));
    }
  }
}

// The middleware of endpoints: the built-in kinds, and functions of users.

/** Answers a request in an execution. */
type Handler = (request: ApiRequest, execution: Execution) => PromiseOrValue<ApiResponse>;

/**
 * Wraps a handler.
 * @throws TesseraError `api_middleware` for invalid arguments
 */
type Middleware = (args: readonly Value[], next: Handler) => Handler;

const MIDDLEWARE: ReadonlyMap<string, Middleware> = new Map<string, Middleware>([
  [
    'api::timeout',
    ([duration], next) => {
      if (!(duration instanceof Duration)) throw misused('api::timeout');
      return (request, execution) => within(execution, duration, (inner) => next(request, inner));
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
