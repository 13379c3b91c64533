/** Counts and traces requests by door, method and outcome. */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { RequestOutcome } from '../metrics/server-metrics.js';
import type { RequestMeter } from '../tracing/request-meter.js';
import { RequestTrace } from '../tracing/request-trace.js';
import { readTraceParent } from '../tracing/trace-parent.js';
import type { Span } from '../tracing/tracer.js';
import type { Context } from './context.js';
import { nameOfRoute } from './routes.js';

/** The door of requests that no route takes. */
const NO_ROUTE = 'none';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set where requests are traced. */
    span: Span | undefined;
  }
}

/** Counts HTTP requests when their answers have been sent. */
export function countAnswers(app: FastifyInstance, { metrics }: Pick<Context, 'metrics'>): void {
  if (metrics === undefined) return;
  app.addHook('onResponse', ({ routeOptions, method }, reply, done) => {
    metrics.request(doorOf(routeOptions.url), method, outcomeOf(reply.statusCode), reply.elapsedTime);
    done();
  });
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
  { metrics, tracer, requestId, environment: { clock } }: Context,
  request: IncomingMessage,
  door: 'websocket' | 'graphql_websocket',
): RequestMeter {
  const header = request.headers['traceparent'];
  const connection = requestId(request);
  let count = 0;
  return {
    begin(method) {
      const began = clock.monotonic();
      const id = `${connection}.${++count}`;
      const span = tracer?.begin(`${door} ${method}`, readTraceParent(header), {
        'rpc.method': method,
        'tessera.request.id': id,
      });
      return {
        trace: new RequestTrace(id, header, span),
        end(error) {
          span?.end(error?.code);
          if (metrics === undefined) return;
          if (error !== undefined) metrics.requestError(error.code);
          const outcome = error === undefined ? 'ok' : outcomeOf(error.httpStatus);
          metrics.request(door, method, outcome, clock.monotonic() - began);
        },
      };
    },
  };
}

function doorOf(route: string | undefined): string {
  return route === undefined ? NO_ROUTE : nameOfRoute(route);
}

function outcomeOf(status: number): RequestOutcome {
  if (status < 400) return 'ok';
  return status < 500 ? 'rejected' : 'failed';
}
