import { type Logger, pino } from 'pino';
import type { Configuration } from './configuration.js';

/** The names that pino has for our levels; the others are the same. */
const LEVELS: Readonly<Record<Configuration['log'], string>> = {
  none: 'silent',
  error: 'error',
  warn: 'warn',
  info: 'info',
  debug: 'debug',
  trace: 'trace',
  full: 'trace',
};

/**
 * A log of one JSON object a line, on standard error, so that standard output is free for what people read. What could hold a secret
 * (credentials, tokens, bodies, bound values) is never handed to it; the list below is the second lock on that door.
 */
export function createLog(level: Configuration['log']): Logger {
  return pino(
    {
      level: LEVELS[level],
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: pino.stdSerializers.err },
      redact: {
        paths: ['*.pass', '*.password', '*.token', '*.authorization', 'pass', 'password', 'token'],
        censor: '[redacted]',
      },
    },
    pino.destination({ dest: 2, sync: false }),
  );
}
