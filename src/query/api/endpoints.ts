/** Endpoints of DEFINE API: matched by path, checked for permission, and run behind their middleware. */
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import { CALL } from '../../base/work/work.js';
import type { DatabaseCatalog } from '../../catalog/definitions/database-catalog.js';
import type { ApiDefinition } from '../../catalog/definitions/definition.js';
import { failure } from '../../errors/error.js';
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
import { Closure, type ObjectValue, objectFrom, type Value } from '../../value/value.js';
import { CUSTOM, callDefined } from '../expression/call-defined.js';
import { HostFunction } from '../expression/closure.js';
import { NATIVE_HEADERS } from './body.js';
import { guestsWait, tooManyCalls } from './limit.js';
import {
  type ApiRequest,
  type ApiResponse,
  REQUEST_ID,
  readApiRequest,
  readApiResponse,
  requestValue,
  response,
  responseValue,
  withHeader,
} from './message.js';
import { type Handler, MIDDLEWARE } from './middleware.js';
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

/** Middleware and permissions, and where they are written, within the database. */
interface Layer {
  readonly handling: Handling;
  readonly place: string;
}

/** The handler of a method at a path. */
interface Endpoint {
  /** The path as it is defined. */
  readonly name: string;
  readonly layers: readonly Layer[];
  readonly action: Expression;
  readonly params: ObjectValue;
}

function findEndpoint(catalog: DatabaseCatalog, parts: readonly string[], method: ApiMethod): Endpoint | undefined {
  for (const { path, definition } of routes(catalog)) {
    const params = matchPath(path, parts);
    if (params === undefined) continue;
    const config = catalog.configs.get('api')?.config;
    const { name } = definition;
    const layers: Layer[] = [
      ...(config?.kind === 'api' ? [{ handling: config, place: '' }] : []),
      { handling: definition.handling, place: name },
    ];
    const found = definition.actions.find(({ methods }) => methods.includes(method));
    if (found === undefined) return definition.fallback && { name, layers, action: definition.fallback, params };
    const { handling, action, methods } = found;
    return { name, layers: [...layers, { handling, place: `${name} ${methods.join(' ')}` }], action, params };
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
    const wait = await guestsWait(execution, endpoint.name);
    if (wait !== undefined) return answer(tooManyCalls(wait), id);
    const rules = endpoint.layers.map(({ handling }) => compileRule(handling.permissions, this.#compiler));
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

  run({ layers, action }: Endpoint, request: ApiRequest, execution: Execution): PromiseOrValue<ApiResponse> {
    const calls = layers.flatMap(({ handling, place }) =>
      handling.middleware.map((call, index) => ({ call, place: `${place} ${index}` })),
    );
    return this.#orNothing(execution, () => {
      const handler = calls.reduceRight<Handler>(
        (next, { call, place }) => this.#around(call, next, place),
        this.#action(action),
      );
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

  #around(call: Call, next: Handler, place: string): Handler {
    // They were computed when the endpoint was defined.
    const args = call.args.map((each) => constantValue(each)?.value);
    const builtIn = MIDDLEWARE.get(call.path.toLowerCase());
    if (builtIn !== undefined) return builtIn(args, next, place);
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
