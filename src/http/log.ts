import type { FastifyInstance } from 'fastify';

/** The part of a logger that this room needs; pino is one. */
export interface Log {
  /** No unless there is one. */
  isLevelEnabled?(level: 'debug'): boolean;
  debug(details: object, text: string): void;
  info(details: object, text: string): void;
  warn(details: object, text: string): void;
  error(details: object, text: string): void;
}

const ignore = (): void => {};
export const SILENT: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore };

/** Tells the log of each answer, where anybody wants to read of them. Query strings hold values, and aren't told. */
export function logAnswers(app: FastifyInstance, log: Log): void {
  if (log.isLevelEnabled?.('debug') !== true) return;
  app.addHook('onResponse', ({ id, method, url }, reply, done) => {
    const milliseconds = Math.round(reply.elapsedTime * 1000) / 1000;
    log.debug({ request: id, method, path: url.split('?', 1)[0], status: reply.statusCode, milliseconds }, 'Answered');
    done();
  });
}
