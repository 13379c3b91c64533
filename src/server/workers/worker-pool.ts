/** Supervises worker processes: a restart with exponential backoff, and an orderly end. */
import { type ChildProcess, fork } from 'node:child_process';
import type { Timers } from '../../env/environment.js';
import type { Log } from '../../http/base/log.js';
import type { WorkerMessage } from './messages.js';
import { WORKER_VARIABLE } from './worker-number.js';

/**
 * Milliseconds until a worker that died is started again; doubled each time that it dies early (exponential backoff).
 */
const LEAST_DELAY = 100;
const LONGEST_DELAY = 30_000;
/** A worker that has served for this many milliseconds has not died early. */
const SETTLED = 10_000;

/** Starts an operating system process for a worker: this command again, with an environment variable more. */
export type Fork = (variables: Readonly<Record<string, string>>) => ChildProcess;

export interface WorkerPoolOptions {
  readonly size: number;
  readonly timers: Timers;
  readonly log: Log;
  /** Receives each worker once it serves: the first time, and whenever it was started again. */
  readonly onReady: (worker: ChildProcess) => void;
  readonly fork?: Fork;
}

/** One of the workers, by its number, whichever process it has just now. */
interface Slot {
  readonly number: number;
  worker: ChildProcess | undefined;
  /** Number of consecutive early deaths. */
  failures: number;
  /** Cancels its next start. */
  cancel: (() => void) | undefined;
}

/** The workers of a server: started together, started again when one dies, ended together. */
export class WorkerPool {
  readonly #slots: readonly Slot[];
  readonly #timers: Timers;
  readonly #log: Log;
  readonly #onReady: (worker: ChildProcess) => void;
  readonly #fork: Fork;
  #isStopping = false;

  constructor({ size, timers, log, onReady, fork = forkCommand }: WorkerPoolOptions) {
    this.#timers = timers;
    this.#log = log;
    this.#onReady = onReady;
    this.#fork = fork;
    this.#slots = Array.from({ length: size }, (_, at) => ({
      number: at + 1,
      worker: undefined,
      failures: 0,
      cancel: undefined,
    }));
  }

  /**
   * Starts all of them, and waits until all of them serve. The first one shows whether a start is possible, before the
   * others follow.
   * @throws Error if one ends before it serves; it has said why
   */
  async start(): Promise<void> {
    const [first, ...others] = this.#slots;
    if (first !== undefined) await this.#started(first);
    await Promise.all(others.map((slot) => this.#started(slot)));
    for (const slot of this.#slots) this.#watch(slot);
  }

  /** The processes of the workers. */
  get pids(): readonly (number | undefined)[] {
    return this.#slots.map(({ worker }) => worker?.pid);
  }

  /** Lets all workers finish running requests. @throws Error if one didn't end properly */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const ends = this.#slots.map(async ({ worker, cancel }) => {
      cancel?.();
      if (worker === undefined || hasEnded(worker)) return 0;
      const ended = new Promise<number | null>((resolve) => worker.once('exit', resolve));
      worker.kill('SIGTERM');
      return ended;
    });
    const codes = await Promise.all(ends);
    if (codes.some((code) => code !== 0)) throw new Error(`workers ended with the codes ${codes.join(', ')}`);
  }

  /** Starts a process for a worker, and waits until it serves. */
  #started(slot: Slot): Promise<void> {
    const worker = this.#fork({ [WORKER_VARIABLE]: String(slot.number) });
    slot.worker = worker;
    return new Promise((resolve, reject) => {
      worker.once('message', ({ type }: WorkerMessage) => {
        if (type !== 'ready') return;
        this.#onReady(worker);
        resolve();
      });
      worker.once('exit', (code, signal) =>
        reject(new Error(`worker ${slot.number} ended at once: ${signal ?? code}`)),
      );
    });
  }

  /** Starts a worker again when it dies. */
  #watch(slot: Slot): void {
    const { worker } = slot;
    if (worker === undefined || this.#isStopping) return;
    const settled = this.#timers.after(SETTLED, () => {
      slot.failures = 0;
    });
    const onExit = (code: number | null, signal: string | null) => {
      settled();
      if (this.#isStopping) return;
      const delay = Math.min(LEAST_DELAY * 2 ** slot.failures++, LONGEST_DELAY);
      this.#log.error({ worker: slot.number, code, signal, delay }, 'A worker died, and is started again');
      slot.cancel = this.#timers.after(delay, () => {
        slot.cancel = undefined;
        this.#started(slot).then(
          () => this.#log.info({ worker: slot.number }, 'The worker serves again'),
          // Its exit is dealt with as any other.
          () => undefined,
        );
        this.#watch(slot);
      });
    };
    if (hasEnded(worker)) onExit(worker.exitCode, worker.signalCode);
    else worker.once('exit', onExit);
  }
}

function forkCommand(variables: Readonly<Record<string, string>>): ChildProcess {
  const [, command = '', ...args] = process.argv;
  return fork(command, args, { env: { ...process.env, ...variables } });
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}
