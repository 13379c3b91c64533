import type { FastifyInstance } from 'fastify';

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

/** Logs each response, if that level is enabled. Query strings are omitted, since they contain values. */
export function logAnswers(app: FastifyInstance, log: Log): void {
  if (log.isLevelEnabled?.('debug') !== true) return;
  app.addHook('onResponse', ({ id, method, url }, reply, done) => {
    const milliseconds = Math.round(reply.elapsedTime * 1000) / 1000;
    log.debug({ request: id, method, path: url.split('?', 1)[0], status: reply.statusCode, milliseconds }, 'Answered');
    done();
  });
}
