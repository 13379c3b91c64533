/**
 * Writes changes that are too many for one turn of the event loop: the library takes all changes of a transaction at
 * once, a microsecond each. A thread, which has the same data file open, gets them in parts and commits them as one
 * transaction.
 *
 * The library shares one environment of LMDB among the threads of a process, so that all of them see the same table of
 * readers and the same meta pages. There is no other writer meanwhile: `GroupWriter` writes one group at a time.
 */
import { Worker } from 'node:worker_threads';
import type { Timers } from '../../../env/environment.js';
import type { ArchiveLocation } from '../../archive/shared-archive.js';
import type { Versionstamp } from '../../contract.js';
import { type EncodedChange, packChanges } from '../file/packed-changes.js';

/** The identity of the file, wherever it may be moved. */
export interface FileIdentity {
  readonly dev: bigint;
  readonly ino: bigint;
}

export interface WriterData {
  readonly path: string;
  readonly file: FileIdentity;
  readonly sync: boolean;
  /** Whether the file has a log of commits. */
  readonly hasLog?: boolean;
  /** The folder of the archive, if any. */
  readonly archive?: ArchiveLocation | undefined;
}

/** The new state of the store after a write. */
export interface WriteResult {
  readonly version: number;
  /** The last assigned versionstamp, if it is a new one. */
  readonly stamp: Versionstamp | undefined;
  /** The group for the log of commits, if there is one. */
  readonly logged?: Uint8Array;
}

/** The thread answers each message when it has done what that asks for; one answer more says that it has begun. */
export type ToWriter =
  /** Answered when no other process writes. */
  | { readonly kind: 'begin' }
  /** The first ones begin a transaction, if there is none. */
  | { readonly kind: 'changes'; readonly bytes: Uint8Array }
  | { readonly kind: 'commit'; readonly result: WriteResult }
  | { readonly kind: 'abort' }
  | { readonly kind: 'close' };

/** Maximum number of parts in transit: the thread works while this one does other things. */
const MOST_UNDER_WAY = 8;

export class WriteThread {
  readonly #worker: Worker;
  readonly #timers: Timers;
  readonly #exit: Promise<void>;
  #unanswered = 1;
  /** A writer that waits for answers, until at most so many messages are unanswered. */
  #waiting: { readonly most: number; resolve(): void; reject(error: unknown): void } | undefined;
  /** Why it has ended. */
  #end: { readonly error: unknown } | undefined;

  private constructor(data: WriterData, timers: Timers) {
    this.#timers = timers;
    const file = new URL('./write-worker.js', import.meta.url);
    this.#worker = new Worker(file, { workerData: data, env: {}, execArgv: [] });
    this.#worker.on('message', () => this.#answered());
    this.#worker.on('error', (error) => this.#ended(error));
    this.#exit = new Promise((resolve) => {
      this.#worker.on('exit', () => {
        this.#ended(new Error('the thread that writes ended'));
        resolve();
      });
    });
  }

  /**
   * `undefined` if no thread can be started: the program runs from sources, the data file has been moved,
   * or the system has no more threads.
   */
  static async start(data: WriterData, timers: Timers): Promise<WriteThread | undefined> {
    try {
      const thread = new WriteThread(data, timers);
      await thread.#answers(0);
      return thread;
    } catch {
      return undefined;
    }
  }

  /** Begins a transaction, so that no other process writes until `write` or `abort` has ended it. */
  async begin(): Promise<void> {
    this.#worker.ref();
    this.#send({ kind: 'begin' });
    await this.#answers(0);
  }

  async abort(): Promise<void> {
    this.#send({ kind: 'abort' });
    await this.#answers(0);
    this.#worker.unref();
  }

  /** Writes all changes, or none. Called for one write at a time; after an error the thread has ended. */
  async write(changes: readonly EncodedChange[], result: WriteResult): Promise<void> {
    this.#worker.ref();
    for (let from = 0; from < changes.length; ) {
      const { bytes, end } = packChanges(changes, from);
      this.#send({ kind: 'changes', bytes }, [bytes.buffer]);
      from = end;
      await this.#answers(MOST_UNDER_WAY);
      await this.#timers.nextRound();
    }
    this.#send({ kind: 'commit', result });
    await this.#answers(0);
    // It keeps the process alive only while it has work.
    this.#worker.unref();
  }

  /** Ends it; it must be idle. */
  async close(): Promise<void> {
    this.#worker.ref();
    this.#send({ kind: 'close' });
    await this.#exit;
  }

  #send(message: ToWriter, transfer: ArrayBuffer[] = []): void {
    this.#unanswered++;
    this.#worker.postMessage(message, transfer);
  }

  /** Waits until no more than `most` messages are unanswered. */
  #answers(most: number): Promise<void> {
    if (this.#end !== undefined) return Promise.reject(this.#end.error);
    if (this.#unanswered <= most) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#waiting = { most, resolve, reject };
    });
  }

  #answered(): void {
    this.#unanswered--;
    if (this.#waiting === undefined || this.#unanswered > this.#waiting.most) return;
    this.#waiting.resolve();
    this.#waiting = undefined;
  }

  #ended(error: unknown): void {
    this.#end ??= { error };
    this.#waiting?.reject(this.#end.error);
    this.#waiting = undefined;
  }
}
