/** The logger that this room expects, and the log of responses. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { RequestTrace } from '../../tracing/request-trace.js';

/** The part of a logger that this room needs; pino is one. */
export interface Log {
  /** Default: no. */
  isLevelEnabled?(level: 'debug'): boolean;
  debug(details: object, text: string): void;
  info(details: object, text: string): void;
  warn(details: object, text: string): void;
  error(details: object, text: string): void;
}

const ignore = (): void => {};
export const SILENT: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore };

/** What lines of the log and spans about an HTTP request are marked with. */
export function traceOf({ id, headers, span }: FastifyRequest): RequestTrace {
  return new RequestTrace(id, headers['traceparent'], span);
}

/** Logs each response, if that level is enabled. Query strings are omitted, since they contain values. */
export function logAnswers(app: FastifyInstance, log: Log): void {
  if (log.isLevelEnabled?.('debug') !== true) return;
  app.addHook('onResponse', (request, reply, done) => {
    const { id, method, url } = request;
    const milliseconds = Math.round(reply.elapsedTime * 1000) / 1000;
    const [path] = url.split('?', 1);
    const trace = traceOf(request).traceId;
    log.debug({ request: id, trace, method, path, status: reply.statusCode, milliseconds }, 'Answered');
    done();
  });
}
