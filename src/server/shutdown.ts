/** The end of the process: signals, and what nobody caught. */
import type { Log } from '../http/log.js';

/** A signal may reach us twice, from the terminal and from npm. Only one that comes later than this is a second wish. */
const SAME_SIGNAL = 500;

/**
 * Closes on SIGINT or SIGTERM and exits with 0; with 1 when closing takes longer than `timeout` milliseconds, or at a second signal.
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
 * What nobody caught is a bug of ours, and is logged. It doesn't end the process: a request that finds such a bug would be a way to take
 * the server away from everybody else, and what was not committed is not stored.
 */
export function surviveUncaught(log: Log): void {
  process.on('uncaughtException', (error) => log.error({ error }, 'An exception was not caught'));
  process.on('unhandledRejection', (error) => log.error({ error }, 'A rejection was not handled'));
}
