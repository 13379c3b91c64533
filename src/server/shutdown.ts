/** Ends the process on signals, and handles uncaught errors. */
import type { Log } from '../http/log.js';

/** The terminal and npm may both deliver a signal; only a later one counts as a second request. */
const SAME_SIGNAL = 500;

/**
 * Closes on SIGINT or SIGTERM and exits with 0; with 1 if closing takes longer than `timeout` milliseconds, or on a
 * second signal.
 */
export function exitOnSignals(close: () => Promise<void>, timeout: number, log: Log): void {
  let first: number | undefined;
  const onSignal = (signal: string): void => {
    const now = performance.now();
    if (first !== undefined) {
      if (now - first > SAME_SIGNAL) process.exit(1);
      return;
    }
    first = now;
    log.info({ signal }, 'Stopping');
    setTimeout(() => {
      log.warn({ timeout }, 'What was under way did not end in time');
      process.exit(1);
    }, timeout).unref();
    close().then(
      () => process.exit(0),
      (error) => {
        log.error({ error }, 'The server could not be closed properly');
        process.exit(1);
      },
    );
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
}

/**
 * Logs uncaught errors, which are bugs, without ending the process: otherwise a request that triggers one would deny
 * service to everyone. Uncommitted work is not stored.
 */
export function surviveUncaught(log: Log): void {
  process.on('uncaughtException', (error) => log.error({ error }, 'An exception was not caught'));
  process.on('unhandledRejection', (error) => log.error({ error }, 'A rejection was not handled'));
}
