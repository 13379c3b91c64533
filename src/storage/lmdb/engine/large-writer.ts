/** Writes too large for the event loop go to a worker thread, which ends when it has been idle. */
import type { Timers } from '../../../env/environment.js';
import type { Versionstamp } from '../../contract.js';
import type { EncodedChange } from '../file/packed-changes.js';
import { type WriterData, WriteThread } from './write-thread.js';

/**
 * A write of more changes than these is large: the library takes that many in some 5 ms, all in one turn of the event
 * loop.
 */
export const LARGE_WRITE = 4096;

/** Milliseconds after which a thread that has nothing to do is ended. */
const IDLE = 10_000;

/** Makes large writes on a thread, which is started for the first one and kept for others that follow soon. */
export class LargeWriter {
  readonly #data: WriterData;
  readonly #timers: Timers;
  #thread: WriteThread | undefined;
  #isPossible = true;
  /** Stops the clock of an idle thread. */
  #stopClock = (): void => {};
  /** Resolves when all idle threads have ended. */
  #ended: Promise<void> = Promise.resolve();

  constructor(data: WriterData, timers: Timers) {
    this.#data = data;
    this.#timers = timers;
  }

  /** Writes all changes, or none. Returns whether there is a thread to do so; without one nothing was begun. */
  write(changes: readonly EncodedChange[], version: number, stamp: Versionstamp | undefined): Promise<boolean> {
    return this.use((thread) => thread.write(changes, { version, stamp }));
  }

  /** The same for any work on the thread. */
  async use(work: (thread: WriteThread) => Promise<void>): Promise<boolean> {
    if (!this.#isPossible) return false;
    this.#stopClock();
    this.#thread ??= await WriteThread.start(this.#data, this.#timers);
    if (this.#thread === undefined) {
      this.#isPossible = false;
      return false;
    }
    await work(this.#thread);
    this.#stopClock = this.#timers.after(IDLE, () => this.#end());
    return true;
  }

  /** Ends the thread, which must be idle. */
  close(): Promise<void> {
    this.#stopClock();
    this.#end();
    return this.#ended;
  }

  #end(): void {
    const thread = this.#thread;
    this.#thread = undefined;
    if (thread !== undefined) this.#ended = this.#ended.then(() => thread.close());
  }
}
