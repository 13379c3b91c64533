/** The server's own log: pino, one JSON object a line. */
import { type Logger, pino } from 'pino';
import type { Configuration } from './configuration.js';
import type { RecentLines } from './recent-lines.js';

/** pino's names of our levels, where they differ. */
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
 * A log with one JSON object per line on standard error, so that standard output is free for the banner. Secrets
 * (credentials, tokens, bodies, bound values) are never passed to it; the redaction list below is a second safeguard.
 * With several processes, each line names its `worker`.
 * @param recent takes each line as well
 */
export function createLog(level: Configuration['log'], recent: RecentLines, worker?: number): Logger {
  const destination = pino.destination({ dest: 2, sync: false });
  const write = (line: string): void => {
    recent.add(line);
    destination.write(line);
  };
  return pino(
    {
      level: LEVELS[level],
      base: worker === undefined ? null : { worker },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: pino.stdSerializers.err },
      redact: {
        paths: ['*.pass', '*.password', '*.token', '*.authorization', 'pass', 'password', 'token'],
        censor: '[redacted]',
      },
    },
    { write },
  );
}
