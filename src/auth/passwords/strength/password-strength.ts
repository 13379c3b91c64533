/** Estimates of passwords, on a thread of their own that is started by the first one and ends when it is idle. */
import { Worker } from 'node:worker_threads';
import type { Timers } from '../../../env/environment.js';
import { asTesseraError, failure, type TesseraError } from '../../../errors/error.js';
import type { PasswordEstimate, PasswordStrength } from '../../../functions/calls/contract.js';
import type { StrengthAnswer, StrengthRequest } from './estimate.js';

/** Estimates that wait, which takes up to five seconds. */
const MOST_WAITING = 16;
/** Milliseconds after the last estimate for which the thread keeps its dictionaries, some 60 MB. */
const IDLE = 60_000;
/** Milliseconds in which it must answer, its start included. */
const LONGEST = 30_000;
/** Megabytes of its heap. */
const HEAP = 256;

interface Waiting {
  readonly request: StrengthRequest;
  resolve(estimate: PasswordEstimate): void;
  reject(error: TesseraError): void;
}

/** The thread, as far as it is used. */
export interface StrengthThread {
  on(event: 'message', listener: (answer: StrengthAnswer) => void): unknown;
  on(event: 'error', listener: (error: unknown) => void): unknown;
  on(event: 'exit', listener: () => void): unknown;
  postMessage(request: StrengthRequest): void;
  ref(): void;
  unref(): void;
  terminate(): unknown;
}

export class ThreadedPasswordStrength implements PasswordStrength {
  readonly #timers: Timers;
  readonly #start: () => StrengthThread;
  #thread: StrengthThread | undefined;
  /** The first one is being estimated. */
  #waiting: Waiting[] = [];
  #cancelTimer: () => void = () => undefined;

  constructor(timers: Timers, start: () => StrengthThread = startThread) {
    this.#timers = timers;
    this.#start = start;
  }

  estimate(password: string, words: readonly string[]): Promise<PasswordEstimate> {
    if (this.#waiting.length > MOST_WAITING) return Promise.reject(failure('strength_busy', { retryAfter: 1 }));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request: { password, words }, resolve, reject });
      if (this.#waiting.length === 1) this.#next();
    });
  }

  /** Ends the thread, and with it what waits for it. */
  close(): void {
    this.#end(failure('cancelled'));
  }

  #next(): void {
    const [first] = this.#waiting;
    this.#cancelTimer();
    if (first === undefined) {
      this.#thread?.unref();
      this.#cancelTimer = this.#timers.after(IDLE, () => this.close());
      return;
    }
    this.#cancelTimer = this.#timers.after(LONGEST, () => this.#end(failure('strength_busy', { retryAfter: 1 })));
    this.#thread ??= this.#started();
    this.#thread.ref();
    this.#thread.postMessage(first.request);
  }

  #started(): StrengthThread {
    const thread = this.#start();
    const isCurrent = () => this.#thread === thread;
    thread.on('message', (answer) => {
      if (!isCurrent()) return;
      const first = this.#waiting.shift();
      if ('estimate' in answer) first?.resolve(answer.estimate);
      else first?.reject(asTesseraError(answer.reason));
      this.#next();
    });
    const failed = (cause: unknown) => {
      if (isCurrent()) this.#end(asTesseraError(cause));
    };
    thread.on('error', failed);
    thread.on('exit', () => failed('the thread that estimates passwords ended'));
    return thread;
  }

  #end(error: TesseraError): void {
    const [thread, waiting] = [this.#thread, this.#waiting];
    this.#thread = undefined;
    this.#waiting = [];
    this.#cancelTimer();
    void thread?.terminate();
    for (const each of waiting) each.reject(error);
  }
}

function startThread(): StrengthThread {
  if (RUNS_FROM_SOURCES) return new SameThread();
  return new Worker(new URL('./strength-worker.js', import.meta.url), {
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: HEAP },
  });
}

/** Node's threads can't load sources. */
const RUNS_FROM_SOURCES = import.meta.url.endsWith('.ts');

/** In place of a thread, where a program runs from sources: it holds the event loop. */
class SameThread implements StrengthThread {
  #answered: (answer: StrengthAnswer) => void = () => undefined;

  on(event: string, listener: (argument: never) => void): void {
    if (event === 'message') this.#answered = listener as (answer: StrengthAnswer) => void;
  }

  postMessage(request: StrengthRequest): void {
    void import('./estimate.js').then(({ answerTo }) => this.#answered(answerTo(request)));
  }

  ref(): void {}

  unref(): void {}

  terminate(): void {}
}
