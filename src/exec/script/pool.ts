/** The threads for scripts: made when they are first needed, kept for the next ones, and ended with what doesn't stop by itself. */
import type { Timers } from '../../env/environment.js';
import { failure } from '../../errors/error.js';
import type { Script, ScriptHost, ScriptInterrupt, ScriptLimits, ScriptRunner } from './contract.js';
import { ScriptThread } from './thread.js';

/** Milliseconds between two looks at whether a script may go on. */
const NAP = 20;

export class ScriptPool implements ScriptRunner {
  readonly #limits: ScriptLimits;
  readonly #timers: Timers;
  readonly #idle: ScriptThread[] = [];
  readonly #queue: (() => void)[] = [];
  #busy = 0;

  constructor(limits: ScriptLimits, timers: Timers) {
    this.#limits = limits;
    this.#timers = timers;
  }

  async run(script: Script, host: ScriptHost, interrupt: ScriptInterrupt): Promise<string> {
    await this.#turn();
    const thread = this.#idle.pop() ?? new ScriptThread(this.#limits);
    const unwatch = this.#watch(thread, interrupt);
    try {
      interrupt.check();
      return await thread.run(script, host);
    } finally {
      unwatch();
      if (thread.sound) this.#idle.push(thread);
      this.#busy--;
      this.#queue.shift()?.();
    }
  }

  /** Ends the threads that wait for work. */
  close(): void {
    for (const thread of this.#idle.splice(0)) thread.stop(failure('cancelled'));
  }

  #turn(): Promise<void> | undefined {
    if (this.#busy < this.#limits.threads) {
      this.#busy++;
      return undefined;
    }
    return new Promise((resolve) => {
      this.#queue.push(() => {
        this.#busy++;
        resolve();
      });
    });
  }

  /** Stops the thread when the script's time is over, or the request may not go on. */
  #watch(thread: ScriptThread, interrupt: ScriptInterrupt): () => void {
    let left = this.#limits.time;
    let cancel = () => {};
    const nap = () => {
      const time = Math.min(NAP, left);
      cancel = this.#timers.after(time, () => {
        // On a busy machine a thread may take longer to start than a script to run.
        if (thread.ready) left -= time;
        try {
          interrupt.check();
          if (left <= 0) throw failure('script_stopped', { milliseconds: this.#limits.time });
          nap();
        } catch (error) {
          thread.stop(error);
        }
      });
    };
    nap();
    return () => cancel();
  }
}
