/** One thread for scripts, as the server sees it. */
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { isPromise, otherwise } from '../../base/promise-or-value.js';
import { asTesseraError, failure } from '../../errors/error.js';
import type {
  FromThread,
  Outcome,
  Reply,
  Script,
  ScriptHost,
  ScriptLimits,
  ScriptRunner,
  ToThread,
} from './contract.js';

/** Enough for the interpreter to find by itself that a script has used up its stack. */
const STACK_MEGABYTES = 8;

interface Pending {
  readonly host: ScriptHost;
  resolve(text: string): void;
  reject(error: unknown): void;
}

export class ScriptThread {
  readonly #worker: Worker;
  readonly #replies: MessagePort;
  readonly #signal = new Int32Array(new SharedArrayBuffer(4));
  readonly #pending = new Map<number, Pending>();
  #runs = 0;
  /** Whether its interpreter is loaded; what is run before waits for that. */
  ready = false;
  /** Whether it can take another script. */
  sound = true;

  constructor({ memory, stack }: ScriptLimits) {
    const { port1, port2 } = new MessageChannel();
    this.#replies = port1;
    port1.unref();
    this.#worker = new Worker(new URL('./worker.js', import.meta.url), {
      workerData: { memory, stack, signal: this.#signal, replies: port2 },
      transferList: [port2],
      resourceLimits: { stackSizeMb: STACK_MEGABYTES },
      env: {},
      stdout: true,
      stderr: true,
    });
    // The interpreter says there what it died of.
    this.#worker.stdout.resume();
    this.#worker.stderr.resume();
    this.#worker.on('message', (message: FromThread) => this.#take(message));
    this.#worker.on('error', (error) => this.stop(failure('internal', undefined, { cause: error })));
    this.#worker.unref();
  }

  /** Runs a script; `inner` is what scripts run on that it calls through the database. */
  run(script: Script, host: ScriptHost): Promise<string> {
    const run = this.#runs++;
    // Only what runs keeps the process alive.
    this.#worker.ref();
    return new Promise((resolve, reject) => {
      this.#pending.set(run, { host, resolve, reject });
      this.#tell({ kind: 'run', run, script });
    });
  }

  /** Ends the thread, and with `error` whatever runs on it. */
  stop(error: unknown): void {
    this.sound = false;
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
    this.#replies.close();
    void this.#worker.terminate();
  }

  #tell(message: ToThread): void {
    this.#worker.postMessage(message);
  }

  #take(message: FromThread): void {
    if (message.kind === 'ready') {
      this.ready = true;
      return;
    }
    const pending = this.#pending.get(message.run);
    if (pending === undefined) return;
    if (message.kind === 'call') this.#answer(message, pending.host);
    else this.#finish(message, pending);
  }

  #finish({ run, outcome, sound }: Extract<FromThread, { kind: 'done' }>, pending: Pending): void {
    this.#pending.delete(run);
    if (this.#pending.size === 0) this.#worker.unref();
    if (!sound) this.stop(failure('script_failed', { reason: 'The interpreter was stopped' }));
    if (outcome.ok) pending.resolve(outcome.text);
    else pending.reject(failure('script_failed', { reason: `An exception occurred: ${outcome.text}` }));
  }

  #answer({ run, call, request, input }: Extract<FromThread, { kind: 'call' }>, host: ScriptHost): void {
    const outcome = otherwise<Outcome>(
      () => {
        const answer = host.call(request, input, this.#inner);
        return isPromise(answer) ? answer.then(succeeded) : succeeded(answer);
      },
      (thrown) => ({ ok: false, text: asTesseraError(thrown).message }),
    );
    this.#reply(isPromise(outcome) ? undefined : outcome);
    if (!isPromise(outcome)) return;
    void outcome.then((settled) => {
      if (this.sound) this.#tell({ kind: 'settle', run, call, outcome: settled });
    });
  }

  /** Scripts within the script run on the same thread, in the same time, so that they never wait for one that waits for them. */
  readonly #inner: ScriptRunner = { run: (script, host) => this.run(script, host) };

  #reply(reply: Reply): void {
    this.#replies.postMessage({ reply });
    Atomics.add(this.#signal, 0, 1);
    Atomics.notify(this.#signal, 0);
  }
}

const succeeded = (text: string): Outcome => ({ ok: true, text });
