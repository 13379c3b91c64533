import cluster, { type Worker } from 'node:cluster';
import type { Timers } from '../../env/environment.js';
import type { Log } from '../../http/log.js';
import { WORKER_VARIABLE, type WorkerReady } from './worker.js';

/** A worker that died is started again after so many milliseconds; after twice as many each time that it dies soon. */
const LEAST_DELAY = 100;
const LONGEST_DELAY = 30_000;
/** One that has served for so many milliseconds has not died soon. */
const SETTLED = 10_000;

/** Starts an operating system process for a worker. */
export type Fork = (variables: Readonly<Record<string, string>>) => Worker;

export interface WorkerPoolOptions {
  readonly size: number;
  readonly timers: Timers;
  readonly log: Log;
  readonly fork?: Fork;
}

/** One of the workers, by its number, whichever process it has just now. */
interface Slot {
  readonly number: number;
  worker: Worker | undefined;
  /** How often it has died soon, one time after the other. */
  failures: number;
  /** Cancels its next start. */
  cancel: (() => void) | undefined;
}

/** The workers of a server: started together, started again when one dies, ended together. */
export class WorkerPool {
  readonly #slots: readonly Slot[];
  readonly #timers: Timers;
  readonly #log: Log;
  readonly #fork: Fork;
  #isStopping = false;

  constructor({ size, timers, log, fork = (variables) => cluster.fork(variables) }: WorkerPoolOptions) {
    this.#timers = timers;
    this.#log = log;
    this.#fork = fork;
    this.#slots = Array.from({ length: size }, (_, at) => ({
      number: at + 1,
      worker: undefined,
      failures: 0,
      cancel: undefined,
    }));
  }

  /**
   * Starts all of them, and answers their URL once all of them serve. The first one shows whether a start is possible,
   * before the others follow.
   * @throws Error if one ends before it serves; it has said why
   */
  async start(): Promise<string> {
    const [first, ...others] = this.#slots;
    const url = first === undefined ? '' : await this.#started(first);
    await Promise.all(others.map((slot) => this.#started(slot)));
    for (const slot of this.#slots) this.#watch(slot);
    return url;
  }

  /** The processes of the workers. */
  get pids(): readonly (number | undefined)[] {
    return this.#slots.map(({ worker }) => worker?.process.pid);
  }

  /** Has all of them end what is under way. @throws Error if one didn't end as it should */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const ends = this.#slots.map(async ({ worker, cancel }) => {
      cancel?.();
      if (worker === undefined || worker.isDead()) return 0;
      const ended = new Promise<number | null>((resolve) => worker.once('exit', resolve));
      worker.process.kill('SIGTERM');
      return ended;
    });
    const codes = await Promise.all(ends);
    if (codes.some((code) => code !== 0)) throw new Error(`workers ended with the codes ${codes.join(', ')}`);
  }

  /** Starts a process for a worker, and waits until it serves. */
  #started(slot: Slot): Promise<string> {
    const worker = this.#fork({ [WORKER_VARIABLE]: String(slot.number) });
    slot.worker = worker;
    return new Promise((resolve, reject) => {
      worker.once('message', ({ url }: WorkerReady) => resolve(url));
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
    if (worker.isDead()) onExit(worker.process.exitCode, worker.process.signalCode);
    else worker.once('exit', onExit);
  }
}
