/** One thread for scripts, as the server sees it. */
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { andThen, isPromise, otherwise } from '../../base/promise-or-value.js';
import { asTesseraError, failure } from '../../errors/error.js';
import {
  type FromThread,
  MAX_NESTED_SCRIPTS,
  type Outcome,
  type Reply,
  type Script,
  type ScriptHost,
  type ScriptLimits,
  type ScriptRunner,
  type ToThread,
} from '../script-runner.js';

/** Enough for the interpreter to find by itself that a script has used up its stack. */
const STACK_MEGABYTES = 8;

/** A script under way. */
interface Run {
  readonly host: ScriptHost;
  /** How many of its calls are under way, and how long their inputs are together. */
  calls: number;
  waiting: number;
  resolve(text: string): void;
  reject(error: unknown): void;
}

export class ScriptThread {
  readonly #limits: ScriptLimits;
  readonly #worker: Worker;
  readonly #replies: MessagePort;
  readonly #signal = new Int32Array(new SharedArrayBuffer(4));
  readonly #runs = new Map<number, Run>();
  #lastRun = 0;
  #exhausted = false;
  /** Why it was ended. */
  #end: { readonly error: unknown } | undefined;
  /** Whether its interpreter is loaded; what is run before waits for that. */
  ready = false;

  constructor(limits: ScriptLimits) {
    this.#limits = limits;
    const { memory, stack, value } = limits;
    const { port1, port2 } = new MessageChannel();
    this.#replies = port1;
    port1.unref();
    this.#worker = new Worker(new URL('./worker.js', import.meta.url), {
      workerData: { memory, stack, value, signal: this.#signal, replies: port2 },
      transferList: [port2],
      resourceLimits: { stackSizeMb: STACK_MEGABYTES },
      env: {},
      stdout: true,
      stderr: true,
    });
    // The interpreter reports fatal errors there.
    this.#worker.stdout.resume();
    this.#worker.stderr.resume();
    this.#worker.on('message', (message: FromThread) => this.#take(message));
    this.#worker.on('error', (error) => this.stop(ended(error)));
    this.#worker.on('messageerror', (error) => this.stop(ended(error)));
    this.#worker.on('exit', () => this.stop(ended()));
    this.#worker.unref();
  }

  /** Whether another script may run on it: nothing runs, it lives, and its interpreter has never been out of memory. */
  get reusable(): boolean {
    return this.#end === undefined && !this.#exhausted && this.#runs.size === 0;
  }

  run(script: Script, host: ScriptHost): Promise<string> {
    if (this.#end !== undefined) return Promise.reject(this.#end.error);
    if (this.#runs.size > MAX_NESTED_SCRIPTS) return Promise.reject(failure('computation_too_deep'));
    const run = this.#lastRun++;
    // Only running scripts keep the process alive.
    this.#worker.ref();
    return new Promise((resolve, reject) => {
      this.#runs.set(run, { host, calls: 0, waiting: 0, resolve, reject });
      this.#post({ kind: 'run', run, script });
    });
  }

  /** Ends the thread, and with `error` whatever runs on it, once none of its calls is under way. */
  stop(error: unknown): void {
    if (this.#end !== undefined) return;
    this.#end = { error };
    this.#replies.close();
    void this.#worker.terminate();
    for (const [id, run] of this.#runs) this.#rejectIdle(id, run);
  }

  #post(message: ToThread): void {
    this.#worker.postMessage(message);
  }

  #take(message: FromThread): void {
    if (message.kind === 'ready') {
      this.ready = true;
      return;
    }
    const run = this.#runs.get(message.run);
    if (run === undefined || this.#end !== undefined) return;
    if (message.kind === 'call') this.#answer(message, run);
    else if (message.kind === 'refused') this.#refused(message.run, run);
    else this.#done(message, run);
  }

  /** Nested in another script the nesting is too deep; alone it needs too much memory itself. */
  #refused(id: number, run: Run): void {
    this.#exhausted = true;
    this.#finish(id, run, this.#runs.size > 1 ? failure('computation_too_deep') : thrown(OUT_OF_MEMORY));
  }

  #done({ run: id, outcome, interpreter }: Extract<FromThread, { kind: 'done' }>, run: Run): void {
    if (interpreter !== 'sound') this.#exhausted = true;
    this.#finish(id, run, outcome.ok ? outcome.text : thrown(outcome.text));
    if (interpreter === 'broken') this.stop(thrown(outcome.text));
  }

  #finish(id: number, run: Run, result: string | Error): void {
    this.#runs.delete(id);
    if (this.#runs.size === 0) this.#worker.unref();
    if (typeof result === 'string') run.resolve(result);
    else run.reject(result);
  }

  /** Of a thread that has ended: rejects a script none of whose calls is under way. */
  #rejectIdle(id: number, run: Run): void {
    if (this.#end === undefined || run.calls > 0 || !this.#runs.delete(id)) return;
    run.reject(this.#end.error);
  }

  #answer({ run: id, call, request, input }: Extract<FromThread, { kind: 'call' }>, run: Run): void {
    run.calls++;
    run.waiting += input.length;
    const outcome = otherwise<Outcome>(
      () => {
        if (run.waiting > this.#limits.memory) throw failure('script_failed', { reason: TOO_MUCH_WAITS });
        return andThen(run.host.call(request, input, this.#inner, this.#check), succeeded);
      },
      (error) => ({ ok: false, text: asTesseraError(error).message }),
    );
    const settled = (): void => {
      run.calls--;
      run.waiting -= input.length;
    };
    if (!isPromise(outcome)) {
      settled();
      this.#reply(outcome);
      return;
    }
    this.#reply(undefined);
    void outcome.then((found) => {
      settled();
      if (this.#end === undefined) this.#post({ kind: 'settle', run: id, call, outcome: found });
      else this.#rejectIdle(id, run);
    });
  }

  /**
   * Scripts within the script run on the same thread, in the same time, so that they never wait for one that waits for
   * them.
   */
  get #inner(): ScriptRunner {
    return { limits: this.#limits, run: (script, host) => this.run(script, host) };
  }

  readonly #check = (): void => {
    if (this.#end !== undefined) throw this.#end.error;
  };

  #reply(reply: Reply): void {
    if (this.#end !== undefined) return;
    this.#replies.postMessage({ reply });
    Atomics.add(this.#signal, 0, 1);
    Atomics.notify(this.#signal, 0);
  }
}

const OUT_OF_MEMORY = 'InternalError: out of memory';
const TOO_MUCH_WAITS = 'Its calls under way hold more than its memory (--script-memory)';

const succeeded = (text: string): Outcome => ({ ok: true, text });
const thrown = (text: string) => failure('script_failed', { reason: `An exception occurred: ${text}` });
const ended = (cause?: unknown) => failure('script_failed', { reason: 'Its thread ended' }, { cause });
