/** Counts and traces requests by door, method and outcome. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Durations } from '../../metrics/families.js';
import type { RequestOutcome } from '../../metrics/server-metrics.js';
import type { Failure, MeteredRequest, RequestMeter } from '../../tracing/request-meter.js';
import { numberedId, RequestTrace } from '../../tracing/request-trace.js';
import { readTraceParent } from '../../tracing/trace-parent.js';
import type { Span } from '../../tracing/tracer.js';
import type { Context } from '../base/context.js';
import { nameOfRoute } from './routes.js';

/** The door of requests that no route takes. */
const NO_ROUTE = 'none';
/** Node's channel for answers that have been sent, of all HTTP servers of the process. */
const ANSWERED = 'http.server.response.finish';
/** The class under which an answer is counted. */
const COUNTED = Symbol('counted');

interface CountedAnswer extends ServerResponse {
  [COUNTED]?: { readonly door: string; readonly method: string; readonly began: number };
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set where requests are traced. */
    span: Span | undefined;
  }
}

/**
 * Counts HTTP requests when their answers have been sent. Node itself says so, at a fifth of the cost of Fastify's hook
 * `onResponse`, which adds two listeners to each answer and takes them away again. Call the returned function with each
 * request that begins.
 */
export function countAnswers(
  app: FastifyInstance,
  { metrics, environment }: Pick<Context, 'metrics' | 'environment'>,
): ((request: FastifyRequest, reply: FastifyReply) => void) | undefined {
  if (metrics === undefined) return undefined;
  const { clock } = environment;
  const doors = new Map<string | undefined, string>();
  const count = (message: unknown) => {
    const { response, server } = message as { readonly response: CountedAnswer; readonly server: unknown };
    const counted = response[COUNTED];
    if (counted === undefined || server !== app.server) return;
    metrics.request(counted.door, counted.method, outcomeOf(response.statusCode), clock.monotonic() - counted.began);
  };
  subscribe(ANSWERED, count);
  app.addHook('onClose', async () => {
    unsubscribe(ANSWERED, count);
  });
  return (request, reply) => {
    const route = request.routeOptions.url;
    let door = doors.get(route);
    if (door === undefined) {
      door = doorOf(route);
      doors.set(route, door);
    }
    (reply.raw as CountedAnswer)[COUNTED] = { door, method: request.method, began: clock.monotonic() };
  };
}

/** Begins a span for each HTTP request, as a part of what the header `traceparent` names. */
export function traceAnswers(app: FastifyInstance, { tracer }: Pick<Context, 'tracer'>): void {
  app.decorateRequest('span', undefined);
  if (tracer === undefined) return;
  app.addHook('onRequest', (request, reply, done) => {
    const { method, headers, routeOptions } = request;
    const door = doorOf(routeOptions.url);
    const span = tracer.begin(`${method} ${door}`, readTraceParent(headers['traceparent']), {
      'http.request.method': method,
      'http.route': routeOptions.url ?? '',
      'tessera.request.id': request.id,
    });
    request.span = span;
    // Also where the client has gone away before the answer.
    reply.raw.once('close', () => {
      const { statusCode } = reply;
      span.end(statusCode < 500 ? undefined : String(statusCode), { 'http.response.status_code': statusCode });
    });
    done();
  });
}

/** Counts and traces the requests of a WebSocket, which is opened by `request`. */
export function socketMeter(
  context: Context,
  request: IncomingMessage,
  door: 'websocket' | 'graphql_websocket',
): RequestMeter {
  return new SocketMeter(context, request, door);
}

class SocketMeter implements RequestMeter {
  readonly #context: Context;
  readonly #door: string;
  readonly #header: string | string[] | undefined;
  readonly #connection: string;
  /** Where answers without an error are counted, by method. */
  readonly #answered = new Map<string, Durations>();
  #count = 0;

  constructor(context: Context, request: IncomingMessage, door: string) {
    this.#context = context;
    this.#door = door;
    this.#header = request.headers['traceparent'];
    this.#connection = context.requestId(request);
  }

  begin(method: string): MeteredRequest {
    const { tracer } = this.#context;
    const number = ++this.#count;
    const span = tracer?.begin(`${this.#door} ${method}`, readTraceParent(this.#header), {
      'rpc.method': method,
      'tessera.request.id': numberedId(this.#connection, number),
    });
    return new SocketRequest(this, method, new RequestTrace(this.#connection, this.#header, span, number), this.now());
  }

  now(): number {
    return this.#context.environment.clock.monotonic();
  }

  /** A request that began at `began` is answered. */
  count(method: string, began: number, error: Failure | undefined): void {
    const { metrics } = this.#context;
    if (metrics === undefined) return;
    const milliseconds = this.now() - began;
    if (error !== undefined) {
      metrics.requestError(error.code);
      metrics.request(this.#door, method, outcomeOf(error.httpStatus), milliseconds);
      return;
    }
    let answered = this.#answered.get(method);
    if (answered === undefined) {
      answered = metrics.answers(this.#door, method);
      this.#answered.set(method, answered);
    }
    answered.record(milliseconds / 1000);
  }
}

class SocketRequest implements MeteredRequest {
  readonly #meter: SocketMeter;
  readonly #method: string;
  readonly #began: number;
  readonly trace: RequestTrace;

  constructor(meter: SocketMeter, method: string, trace: RequestTrace, began: number) {
    this.#meter = meter;
    this.#method = method;
    this.#began = began;
    this.trace = trace;
  }

  end(error?: Failure): void {
    this.trace.span?.end(error?.code);
    this.#meter.count(this.#method, this.#began, error);
  }
}

function doorOf(route: string | undefined): string {
  return route === undefined ? NO_ROUTE : nameOfRoute(route);
}

function outcomeOf(status: number): RequestOutcome {
  if (status < 400) return 'ok';
  return status < 500 ? 'rejected' : 'failed';
}
