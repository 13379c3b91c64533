/**
 * A thread on which scripts run, each in an interpreter of its own inside WebAssembly: it has no part of Node, and neither its memory
 * nor its time is the server's. The thread knows nothing of the database; it hands texts to and fro. What doesn't stop by itself
 * is ended with the thread.
 */
import { readFileSync } from 'node:fs';
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import releaseSync from '@jitl/quickjs-wasmfile-release-sync';
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSDeferredPromise,
  type QuickJSHandle,
  type QuickJSSyncVariant,
  type VmFunctionImplementation,
} from 'quickjs-emscripten-core';
import {
  type FromThread,
  type HostRequest,
  LEAST_SCRIPT_MEMORY,
  type Outcome,
  type Reply,
  type Script,
  type ThreadData,
  type ToThread,
} from './contract.js';

/** As far as it is used here; its types come with those of browsers only. */
declare const WebAssembly: {
  readonly Memory: new (pages: {
    readonly initial: number;
    readonly maximum: number;
  }) => { readonly buffer: ArrayBuffer };
};

/** Bytes of a page of WebAssembly. */
const PAGE = 65_536;

const port = parentPort as MessagePort;
const { memory, stack, signal, replies } = workerData as ThreadData & { readonly replies: MessagePort };
const prelude = readFileSync(new URL('./prelude.js', import.meta.url), 'utf8');
// What the interpreter counts itself leaves out most of what it allocates.
const wasmMemory = new WebAssembly.Memory({ initial: LEAST_SCRIPT_MEMORY / PAGE, maximum: Math.floor(memory / PAGE) });
// Its types are those of its CommonJS form, which is an object around this one.
const variant = releaseSync as unknown as QuickJSSyncVariant;
const interpreter = await newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmMemory }));

const send = (message: FromThread) => port.postMessage(message);
const failed = (text: string): Outcome => ({ ok: false, text });

/** One script under way. */
class Run {
  readonly #id: number;
  readonly #context: QuickJSContext;
  readonly #waiting = new Map<number, QuickJSDeferredPromise>();
  readonly #handles: QuickJSHandle[] = [];
  #result: QuickJSHandle | undefined;
  #calls = 0;

  constructor(id: number) {
    this.#id = id;
    const runtime = interpreter.newRuntime();
    runtime.setMaxStackSize(stack);
    this.#context = runtime.newContext();
  }

  begin({ body, input }: Script): void {
    this.#guarded(() => {
      const context = this.#context;
      const inside = this.#own(context.unwrapResult(context.evalCode(prelude, 'surrealdb', { type: 'module' })));
      const ask = this.#own(context.newFunction('ask', this.#ask));
      context.unwrapResult(context.callFunction(this.#own(context.getProp(inside, 'prepare')), inside, ask)).dispose();
      const source = `(async function() {${body}\n})`;
      const script = this.#own(
        context.unwrapResult(context.evalCode(source, 'script', { type: 'global', strict: true })),
      );
      const invoke = this.#own(context.getProp(inside, 'invoke'));
      this.#result = this.#own(
        context.unwrapResult(context.callFunction(invoke, inside, script, this.#own(context.newString(input)))),
      );
    });
  }

  /** The answer to a call that had to be waited for. */
  settle(call: number, { ok, text }: Outcome): void {
    const promise = this.#waiting.get(call);
    if (promise === undefined) return;
    this.#waiting.delete(call);
    this.#guarded(() => {
      const context = this.#context;
      const value = ok ? context.newString(text) : context.newError(text);
      (ok ? promise.resolve : promise.reject)(value);
      value.dispose();
      promise.dispose();
    });
  }

  /** Asks the database and stands still until it has said whether it has to be waited for. */
  readonly #ask: VmFunctionImplementation<QuickJSHandle> = (requestHandle, inputHandle) => {
    const context = this.#context;
    const call = this.#calls++;
    const request = context.getString(requestHandle as QuickJSHandle) as HostRequest;
    const input = context.getString(inputHandle as QuickJSHandle);
    send({ kind: 'call', run: this.#id, call, request, input });
    const reply = awaitReply();
    if (reply === undefined) {
      const promise = context.newPromise();
      this.#waiting.set(call, promise);
      return promise.handle.dup();
    }
    if (reply.ok) return context.newString(reply.text);
    return { error: context.newError(reply.text) };
  };

  /** Does a step, and what follows from it; ends the run when that is all. */
  #guarded(step: () => void): void {
    try {
      step();
      const jobs = this.#context.runtime.executePendingJobs();
      if (jobs.error) throw this.#context.dump(this.#own(jobs.error));
      const outcome = this.#outcome();
      if (outcome !== undefined) this.#end(outcome);
    } catch (error) {
      this.#end(failed(error instanceof Error ? errorText(error) : String(error)));
    }
  }

  #outcome(): Outcome | undefined {
    const context = this.#context;
    const state = context.getPromiseState(this.#result as QuickJSHandle);
    if (state.type === 'pending') {
      return this.#waiting.size > 0 ? undefined : failed('The function waits for a promise that never settles');
    }
    if (state.type === 'fulfilled') return { ok: true, text: context.getString(this.#own(state.value)) };
    const reason: unknown = context.dump(this.#own(state.error));
    return failed(typeof reason === 'string' ? reason : errorText(reason as Partial<Error>));
  }

  #end(outcome: Outcome): void {
    runs.delete(this.#id);
    send({ kind: 'done', run: this.#id, outcome, sound: this.#dispose() });
  }

  /** Whether everything could be freed: an interpreter that was torn out of its work by a lack of stack keeps parts of it. */
  #dispose(): boolean {
    try {
      const { runtime } = this.#context;
      for (const promise of this.#waiting.values()) promise.dispose();
      for (const handle of this.#handles) handle.dispose();
      this.#context.dispose();
      runtime.dispose();
      return true;
    } catch {
      return false;
    }
  }

  #own(handle: QuickJSHandle): QuickJSHandle {
    this.#handles.push(handle);
    return handle;
  }
}

const errorText = ({ name, message }: Partial<Error>): string =>
  name === undefined || name === 'Error' ? (message ?? 'unknown') : `${name}: ${message}`;

function awaitReply(): Reply {
  for (;;) {
    const seen = Atomics.load(signal, 0);
    const received = receiveMessageOnPort(replies) as { readonly message: { readonly reply: Reply } } | undefined;
    if (received !== undefined) return received.message.reply;
    Atomics.wait(signal, 0, seen);
  }
}

const runs = new Map<number, Run>();

port.on('message', (message: ToThread) => {
  if (message.kind === 'settle') {
    runs.get(message.run)?.settle(message.call, message.outcome);
  } else {
    const run = new Run(message.run);
    runs.set(message.run, run);
    run.begin(message.script);
  }
});

send({ kind: 'ready' });
