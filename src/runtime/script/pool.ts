/**
 * The thread pool for scripts: threads are started on demand, reused, and ended with scripts that don't stop by
 * themselves.
 */
import type { Timers } from '../../env/environment.js';
import { failure } from '../../errors/error.js';
import type { Script, ScriptHost, ScriptInterrupt, ScriptLimits, ScriptRunner } from '../script-runner.js';
import { ScriptThread } from './thread.js';

/** Milliseconds between two checks of whether a script may go on. */
const NAP = 20;
/** Milliseconds in which a thread must have loaded its interpreter. */
const START = 30_000;
/** Seconds after which a client that found the queue full may try again. */
const RETRY_AFTER = 1;

/** A request that waits for a thread. */
interface Waiting {
  /** Gives it the slot of a script that has ended. */
  begin(): void;
  fail(error: unknown): void;
}

export class ScriptPool implements ScriptRunner {
  readonly limits: ScriptLimits;
  readonly #timers: Timers;
  readonly #makeThread: (limits: ScriptLimits) => ScriptThread;
  readonly #idle: ScriptThread[] = [];
  readonly #working = new Set<ScriptThread>();
  readonly #queue = new Set<Waiting>();
  /** Scripts with a slot, of which there are as many as threads. */
  #busy = 0;
  #closed = false;

  constructor(limits: ScriptLimits, timers: Timers, makeThread = (given: ScriptLimits) => new ScriptThread(given)) {
    this.limits = limits;
    this.#timers = timers;
    this.#makeThread = makeThread;
  }

  async run(script: Script, host: ScriptHost, interrupt: ScriptInterrupt): Promise<string> {
    if (this.#closed) throw failure('cancelled');
    if (this.#busy < this.limits.threads) this.#busy++;
    else await this.#turn(interrupt);
    try {
      return await this.#runOn(this.#thread(), script, host, interrupt);
    } finally {
      this.#next();
    }
  }

  /** Ends running and waiting scripts. */
  close(): void {
    this.#closed = true;
    const cancelled = failure('cancelled');
    for (const waiting of [...this.#queue]) waiting.fail(cancelled);
    for (const thread of [...this.#idle.splice(0), ...this.#working]) thread.stop(cancelled);
  }

  /** One that waits for work and lives, or a new one. */
  #thread(): ScriptThread {
    for (;;) {
      const thread = this.#idle.pop();
      if (thread === undefined) return this.#makeThread(this.limits);
      if (thread.reusable) return thread;
    }
  }

  async #runOn(thread: ScriptThread, script: Script, host: ScriptHost, interrupt: ScriptInterrupt): Promise<string> {
    this.#working.add(thread);
    const unwatch = this.#watch(thread, interrupt);
    try {
      interrupt.check();
      return await thread.run(script, host);
    } finally {
      unwatch();
      this.#working.delete(thread);
      if (thread.reusable && !this.#closed) this.#idle.push(thread);
      else thread.stop(failure('cancelled'));
    }
  }

  /** Waits for a slot, as long as the request may go on. */
  #turn(interrupt: ScriptInterrupt): Promise<void> {
    if (this.#queue.size >= this.limits.queue) throw failure('scripts_busy', { retryAfter: RETRY_AFTER });
    return new Promise((resolve, reject) => {
      const settle = (done: () => void) => {
        unwatch();
        this.#queue.delete(waiting);
        done();
      };
      const waiting: Waiting = {
        begin: () => settle(resolve),
        fail: (error) => settle(() => reject(error)),
      };
      const unwatch = this.#every(NAP, () => interrupt.check(), waiting.fail);
      this.#queue.add(waiting);
    });
  }

  /** Passes the slot to the longest waiting request, or releases it. */
  #next(): void {
    const [first] = this.#queue;
    if (first === undefined) this.#busy--;
    else first.begin();
  }

  /** Stops the thread when the script's time is over, or the request may not go on. */
  #watch(thread: ScriptThread, interrupt: ScriptInterrupt): () => void {
    let [starting, left] = [START, this.limits.time];
    const look = (elapsed: number) => {
      interrupt.check();
      // On a busy machine a thread may take longer to start than a script to run.
      if (thread.ready) left -= elapsed;
      else starting -= elapsed;
      if (left <= 0) throw failure('script_stopped', { milliseconds: this.limits.time });
      if (starting <= 0) throw failure('script_failed', { reason: 'Its thread didn’t start' });
    };
    return this.#every(Math.min(NAP, left), look, (error) => thread.stop(error));
  }

  /** Repeats the check until it throws. */
  #every(milliseconds: number, look: (elapsed: number) => void, fail: (error: unknown) => void): () => void {
    let cancel = () => {};
    const nap = () => {
      cancel = this.#timers.after(milliseconds, () => {
        try {
          look(milliseconds);
        } catch (error) {
          return fail(error);
        }
        nap();
      });
    };
    nap();
    return () => cancel();
  }
}
