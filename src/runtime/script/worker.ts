/**
 * A thread on which scripts run, each in an interpreter of its own inside WebAssembly: it has no part of Node, and
 * neither its memory nor its time is the server's. The thread knows nothing of the database; it hands texts to and fro.
 * What doesn't stop by itself is ended with the thread.
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
  type VmCallResult,
  type VmFunctionImplementation,
} from 'quickjs-emscripten-core';
import {
  type FromThread,
  type HostRequest,
  MAX_PENDING_CALLS,
  type Outcome,
  type Reply,
  type Script,
  type ThreadData,
  type ToThread,
} from '../script-runner.js';

/** The used part of it; its types come only with those of browsers. */
declare const WebAssembly: {
  readonly Memory: new (pages: {
    readonly initial: number;
    readonly maximum: number;
  }) => { readonly buffer: ArrayBuffer; grow(pages: number): number };
};

/** Bytes of a page of WebAssembly. */
const PAGE = 65_536;

/**
 * The interpreter's memory, which notes when there was no more. A script can catch the error that it gets then, and
 * what the interpreter was doing may be left half done, so that no other script should find it.
 *
 * It is all there from the beginning (the system gives pages as they are first used): the library's views of the memory
 * would be those of before wherever it grew within a call.
 */
class InterpreterMemory extends WebAssembly.Memory {
  exhausted = false;

  constructor(bytes: number) {
    const pages = Math.floor(bytes / PAGE);
    super({ initial: pages, maximum: pages });
  }

  /** Called where an allocation needs more than there is. */
  override grow(pages: number): number {
    this.exhausted = true;
    return super.grow(pages);
  }
}

const port = parentPort as MessagePort;
const { memory, stack, value: longest, signal, replies } = workerData as ThreadData & { readonly replies: MessagePort };
const prelude = readFileSync(new URL('./prelude.js', import.meta.url), 'utf8');
// What the interpreter counts itself leaves out most of what it allocates.
const wasmMemory = new InterpreterMemory(memory);
// Its types are those of its CommonJS form, which is an object around this one.
const variant = releaseSync as unknown as QuickJSSyncVariant;
const interpreter = await newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmMemory }));

const send = (message: FromThread) => port.postMessage(message);
const failed = (text: string): Outcome => ({ ok: false, text });
const TOO_LARGE = `The value is larger than ${longest} bytes (--script-value)`;

const OUT_OF_MEMORY = 'InternalError: out of memory';

/** An error thrown by a script, or by the interpreter for it. */
class ScriptError extends Error {}

/** One script under way. */
class Run {
  readonly #id: number;
  readonly #context: QuickJSContext;
  readonly #waiting = new Map<number, QuickJSDeferredPromise>();
  readonly #handles: QuickJSHandle[] = [];
  #result: QuickJSHandle | undefined;
  #calls = 0;
  /** A fatal error during a call, which the interpreter can't pass on. */
  #fault: unknown;

  constructor(id: number) {
    this.#id = id;
    const runtime = interpreter.newRuntime();
    runtime.setMaxStackSize(stack);
    this.#context = runtime.newContext();
  }

  begin({ body, input }: Script): void {
    this.#guarded(() => {
      const context = this.#context;
      const inside = this.#unwrap(context.evalCode(prelude, 'surrealdb', { type: 'module' }));
      const ask = this.#own(context.newFunction('ask', this.#ask));
      this.#unwrap(context.callFunction(this.#own(context.getProp(inside, 'prepareScript')), inside, ask));
      const given = this.#own(context.newString(input));
      // Objects made without enough memory are incomplete.
      if (wasmMemory.exhausted) return this.#refuse();
      const source = `(async function() {${body}\n})`;
      const script = this.#unwrap(context.evalCode(source, 'script', { type: 'global', strict: true }));
      const invoke = this.#own(context.getProp(inside, 'invoke'));
      this.#result = this.#unwrap(context.callFunction(invoke, inside, script, given));
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

  /** Calls the database and blocks until it has replied whether the call has to be waited for. */
  readonly #ask: VmFunctionImplementation<QuickJSHandle> = (requestHandle, inputHandle) => {
    const context = this.#context;
    try {
      const input = context.getString(inputHandle as QuickJSHandle);
      if (input.length > longest) return { error: context.newError(TOO_LARGE) };
      if (this.#waiting.size >= MAX_PENDING_CALLS) return { error: context.newError('Too many calls are under way') };
      const call = this.#calls++;
      const request = context.getString(requestHandle as QuickJSHandle) as HostRequest;
      send({ kind: 'call', run: this.#id, call, request, input });
      const reply = awaitReply();
      if (reply === undefined) {
        const promise = context.newPromise();
        this.#waiting.set(call, promise);
        return promise.handle.dup();
      }
      if (reply.ok) return context.newString(reply.text);
      return { error: context.newError(reply.text) };
    } catch (fault) {
      // The library would make an error of JavaScript of it, which the script may catch.
      this.#fault = fault;
      throw fault;
    }
  };

  /** Runs a step and its pending jobs; ends the run when there are no more. */
  #guarded(step: () => void): void {
    try {
      step();
      if (!runs.has(this.#id)) return;
      const jobs = this.#context.runtime.executePendingJobs();
      if (jobs.error) throw this.#errorOf(this.#own(jobs.error));
      if (this.#fault !== undefined) throw this.#fault;
      const outcome = this.#outcome();
      if (outcome !== undefined) this.#end(outcome);
    } catch (error) {
      if (error instanceof ScriptError && this.#fault === undefined) this.#end(failed(error.message));
      else endBroken(this.#id);
    }
  }

  /** `undefined` while calls are under way, whether the script waits for them or not: they act within its statement. */
  #outcome(): Outcome | undefined {
    if (this.#waiting.size > 0) return undefined;
    const context = this.#context;
    const state = context.getPromiseState(this.#result as QuickJSHandle);
    if (state.type === 'pending') return failed('The function waits for a promise that never settles');
    if (state.type === 'rejected') {
      const { message } = this.#errorOf(this.#own(state.error));
      // Without memory for an error the interpreter throws null.
      return failed(wasmMemory.exhausted && message === 'null' ? OUT_OF_MEMORY : message);
    }
    const text = context.getString(this.#own(state.value));
    return text.length > longest ? failed(TOO_LARGE) : { ok: true, text };
  }

  #refuse(): void {
    runs.delete(this.#id);
    if (this.#dispose()) send({ kind: 'refused', run: this.#id });
    else endBroken(this.#id);
  }

  #end(outcome: Outcome): void {
    runs.delete(this.#id);
    const interpreter = !this.#dispose() ? 'broken' : wasmMemory.exhausted ? 'exhausted' : 'sound';
    if (interpreter === 'broken') runs.clear();
    send({ kind: 'done', run: this.#id, outcome, interpreter });
  }

  /**
   * Whether everything could be freed: an interpreter that was torn out of its work by a lack of stack keeps parts of
   * it.
   */
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

  #unwrap(result: VmCallResult<QuickJSHandle>): QuickJSHandle {
    if (result.error) throw this.#errorOf(this.#own(result.error));
    return this.#own(result.value);
  }

  #errorOf(handle: QuickJSHandle): ScriptError {
    return new ScriptError(errorText(this.#context.dump(handle)));
  }

  #own(handle: QuickJSHandle): QuickJSHandle {
    this.#handles.push(handle);
    return handle;
  }
}

/** The text of a thrown value, which may be anything that JSON can express. */
function errorText(thrown: unknown): string {
  if (typeof thrown === 'string') return thrown;
  // There was no memory left to make an error.
  if (typeof thrown !== 'object' || thrown === null) return OUT_OF_MEMORY;
  const { name, message } = thrown as { readonly name?: unknown; readonly message?: unknown };
  const text = typeof message === 'string' ? message : 'unknown';
  return typeof name !== 'string' || name === 'Error' ? text : `${name}: ${text}`;
}

/** The error isn't a JavaScript error: the interpreter, which all scripts of the thread share, isn't used again. */
function endBroken(run: number): void {
  runs.clear();
  const text = wasmMemory.exhausted ? OUT_OF_MEMORY : 'InternalError: the interpreter failed';
  send({ kind: 'done', run, outcome: failed(text), interpreter: 'broken' });
}

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
    begin(message.run, message.script);
  }
});

function begin(id: number, script: Script): void {
  if (wasmMemory.exhausted) {
    send({ kind: 'refused', run: id });
    return;
  }
  try {
    const run = new Run(id);
    runs.set(id, run);
    run.begin(script);
  } catch {
    endBroken(id);
  }
}

send({ kind: 'ready' });
