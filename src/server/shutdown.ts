/** Ends the process on signals, and handles uncaught errors. */
import type { Log } from '../http/base/log.js';

/** The terminal and npm may both deliver a signal; only a later one counts as a second request. */
const SAME_SIGNAL = 500;

/**
 * Ends the process where writes may be under way. `process.exit` waits for the writer's thread, which may hang in
 * LMDB's writing lock: the process would keep its folder. A store is safe from such an end.
 */
export function endAtOnce(): void {
  // Buffers of the log are written by those who listen for this.
  process.emit('exit', 1);
  process.kill(process.pid, 'SIGKILL');
}

/**
 * Closes on SIGINT or SIGTERM and exits with 0. If closing fails or takes longer than `timeout` milliseconds, or on a
 * second signal, the process ends at once.
 */
export function exitOnSignals(close: () => Promise<void>, timeout: number, log: Log): void {
  let first: number | undefined;
  const onSignal = (signal: string): void => {
    const now = performance.now();
    if (first !== undefined) {
      if (now - first > SAME_SIGNAL) endAtOnce();
      return;
    }
    first = now;
    log.info({ signal }, 'Stopping');
    setTimeout(() => {
      log.warn({ timeout }, 'What was under way did not end in time');
      endAtOnce();
    }, timeout).unref();
    close().then(
      () => process.exit(0),
      (error) => {
        log.error({ error }, 'The server could not be closed properly');
        endAtOnce();
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
