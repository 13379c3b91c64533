/** The runner of users' JavaScript, and its limits. */
import type { PromiseOrValue } from '../base/promise-or-value.js';

/** Bounds of one script, those that it calls through the database included. */
export interface ScriptLimits {
  /** Bytes of its interpreter, at least `LEAST_SCRIPT_MEMORY`. */
  readonly memory: number;
  /** Bytes of its stack. */
  readonly stack: number;
  /** Milliseconds that it may take in all, waiting included, once its thread has started. */
  readonly time: number;
  /** How many may run at a time, each on a thread of its own; others wait. */
  readonly threads: number;
  /** How many may wait for a thread; further ones are refused. */
  readonly queue: number;
  /** Bytes, in the form of `wire.ts`, of one value that goes in or comes out. */
  readonly value: number;
}

/** The interpreter doesn't run in less. */
export const LEAST_SCRIPT_MEMORY = 16 * 2 ** 20;

export const DEFAULT_SCRIPT_LIMITS: ScriptLimits = {
  memory: 32 * 2 ** 20,
  stack: 256 * 2 ** 10,
  time: 5_000,
  threads: 2,
  queue: 256,
  value: 4 * 2 ** 20,
};

/** Scripts that call each other through the database share one interpreter, of which each takes some 300 KiB. */
export const MAX_NESTED_SCRIPTS = 24;

/** Calls of one script that may be under way at a time: those that it doesn't wait for. */
export const MAX_PENDING_CALLS = 1_000;

/** One call of a script: the body of a function, and its `this` and arguments in the form of `wire.ts`. */
export interface Script {
  readonly body: string;
  readonly input: string;
}

/** The calls of a script to the database. Texts in and out are in the form of `wire.ts`. */
export interface ScriptHost {
  /** `check` throws once the script has been stopped; what the call does must ask it now and then. */
  call(request: HostRequest, input: string, runner: ScriptRunner, check: () => void): PromiseOrValue<string>;
}

/** A built-in function; a value by its path; a statement. */
export type HostRequest = 'function' | 'value' | 'query';

export interface ScriptRunner {
  readonly limits: ScriptLimits;
  /**
   * Runs a script and returns its result, once all calls that it made have ended.
   * @throws TesseraError `script_failed`, `script_stopped`, `scripts_busy`, `computation_too_deep`, and whatever
   * `interrupt` throws
   * meanwhile
   */
  run(script: Script, host: ScriptHost, interrupt: ScriptInterrupt): Promise<string>;
}

/** The interrupt of the statement, as far as scripts need it. */
export interface ScriptInterrupt {
  /** Throws when the statement may not go on. */
  check(): void;
}

/** How a call or a script ended: with a result, or with an error's text. */
export interface Outcome {
  readonly ok: boolean;
  readonly text: string;
}

/** Messages to the thread. */
export type ToThread =
  | { readonly kind: 'run'; readonly run: number; readonly script: Script }
  /** The answer to a call that had to be waited for. */
  | { readonly kind: 'settle'; readonly run: number; readonly call: number; readonly outcome: Outcome };

/** Messages of the thread. */
export type FromThread =
  /** The interpreter is loaded. */
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'call';
      readonly run: number;
      readonly call: number;
      readonly request: HostRequest;
      readonly input: string;
    }
  | { readonly kind: 'done'; readonly run: number; readonly outcome: Outcome; readonly interpreter: InterpreterState }
  /** The interpreter has no memory left for another script beside those that it runs. */
  | { readonly kind: 'refused'; readonly run: number };

/**
 * - `sound`: another script may run.
 * - `exhausted`: it ran out of memory. What runs may go on, another script may not.
 * - `broken`: it threw something that isn't a JavaScript error. Nothing may go on.
 */
export type InterpreterState = 'sound' | 'exhausted' | 'broken';

/** The answer to a call, for which the thread stands still: `undefined` if it has to be waited for. */
export type Reply = Outcome | undefined;

export interface ThreadData {
  readonly memory: number;
  readonly stack: number;
  /** The longest text that it may send. */
  readonly value: number;
  /** Changes when a reply has been sent. */
  readonly signal: Int32Array<SharedArrayBuffer>;
}
