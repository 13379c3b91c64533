/** Counts requests by door, method and outcome. */
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../env/environment.js';
import type { RequestOutcome, ServerMetrics } from '../metrics/server-metrics.js';
import type { RequestMeter } from '../rpc/connection.js';
import { nameOfRoute } from './routes.js';

/** The door of requests that no route takes. */
const NO_ROUTE = 'none';

/** Counts HTTP requests when their answers have been sent. */
export function countAnswers(app: FastifyInstance, metrics: ServerMetrics | undefined): void {
  if (metrics === undefined) return;
  app.addHook('onResponse', ({ routeOptions, method }, reply, done) => {
    const door = routeOptions.url === undefined ? NO_ROUTE : nameOfRoute(routeOptions.url);
    metrics.request(door, method, outcomeOf(reply.statusCode), reply.elapsedTime);
    done();
  });
}

/** Counts the RPC requests of a WebSocket. */
export function socketMeter(metrics: ServerMetrics, clock: Clock): RequestMeter {
  return {
    begin(method) {
      const began = clock.monotonic();
      return (error) => {
        if (error !== undefined) metrics.requestError(error.code);
        const outcome = error === undefined ? 'ok' : outcomeOf(error.httpStatus);
        metrics.request('websocket', method, outcome, clock.monotonic() - began);
      };
    },
  };
}

function outcomeOf(status: number): RequestOutcome {
  if (status < 400) return 'ok';
  return status < 500 ? 'rejected' : 'failed';
}
