/** The contract of built-in functions: their definition and their context. */
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import type { Work } from '../../base/work/work.js';
import type { Environment } from '../../env/environment.js';
import type { NetworkAnswer } from '../../env/network.js';
import type { Type } from '../../value/type.js';
import type { Closure, ObjectValue, RecordId, Value } from '../../value/value.js';
import type { HttpFetchRequest } from '../network/fetcher.js';
import type { StatementFiles } from './files.js';
import type { FunctionRules } from './rules.js';

/** Sends HTTP requests (`Fetcher`). */
export interface HttpClient {
  fetch(request: HttpFetchRequest, checkpoint: () => void): Promise<NetworkAnswer>;
}

/** The note of the index that found a row. */
export interface IndexNote {
  /** The score, by the number of the condition (`@1@`). */
  readonly scores?: ReadonlyMap<number, number>;
  /** The condition by which it was found, which it meets unless its text has to be looked at. */
  readonly condition?: object;
  readonly isUncertain?: true;
  /** The scan that has found it, by which is remembered what holds for all of its rows. */
  readonly scan?: object;
  /** The distance from the query vector, in the metric. */
  readonly distance?: Value;
}

/** The world as a function sees it; the executor supplies it. */
export interface FunctionContext extends Work {
  readonly environment: Environment;
  /** `$session` as a value. */
  readonly session: ObjectValue;
  readonly passwords: PasswordHasher;
  readonly passwordStrength: PasswordStrength;
  /** Requests to other servers, as far as they are allowed. */
  readonly network: HttpClient;
  /** Which functions may be called; all of them if absent. */
  readonly functions: FunctionRules | undefined;
  /** Calls a closure; missing arguments are NONE, superfluous ones are dropped. */
  call(closure: Closure, args: readonly Value[]): PromiseOrValue<Value>;
  /** Reads a record as the caller may see it; NONE when it doesn't exist or is hidden. */
  readRecord(id: RecordId): PromiseOrValue<Value>;
  /** Whether a record, or any in a range of ids, exists and may be seen. */
  hasRecord(id: RecordId): PromiseOrValue<boolean>;
  /** What a record has proved at access methods, as far as the caller may know. */
  identitiesOf(id: RecordId): PromiseOrValue<Value>;
  /** Answers a request to an endpoint of DEFINE API. @throws TesseraError `api_path`, `api_request` */
  invokeApi(path: string, request: Value): PromiseOrValue<Value>;
  /** The next number of a sequence. @throws TesseraError `sequence_missing`, `sequence_exhausted` */
  nextNumber(sequence: string): PromiseOrValue<Value>;
  /** The files of the selected database. */
  readonly files: StatementFiles;
  /** Whether the selected database has a table. */
  hasTable(name: string): PromiseOrValue<boolean>;
  /** The note of the index that found the current row; `undefined` if there is none. */
  readonly indexNote: IndexNote | undefined;
  /**
   * The terms that an analyzer of the selected database makes of a text.
   * @throws TesseraError `analyzer_missing`, `too_many_terms`, and errors of its FUNCTION
   */
  analyze(analyzer: string, text: string): PromiseOrValue<readonly string[]>;
  /** Fails when the statement was cancelled or its time is over; for functions that wait. */
  check(): void;
}

export const HASH_ALGORITHMS = ['argon2', 'bcrypt', 'pbkdf2', 'scrypt'] as const;
export type HashAlgorithm = (typeof HASH_ALGORITHMS)[number];

/** Password hashing, off the event loop and bounded in how many run at once. */
export interface PasswordHasher {
  hash(algorithm: HashAlgorithm, password: string): Promise<string>;
  /** A malformed hash is simply no match. */
  verify(algorithm: HashAlgorithm, hash: string, password: string): Promise<boolean>;
}

/** How strong a password is. */
export interface PasswordEstimate {
  /** From 0, guessed at once, to 4, out of reach. */
  readonly score: number;
  /** Guesses until it is found. */
  readonly guesses: number;
  /** What is wrong with it, in a sentence. */
  readonly warning: string | undefined;
  readonly suggestions: readonly string[];
}

/** Estimates passwords, off the event loop. */
export interface PasswordStrength {
  /**
   * `words`: what a guesser would try for this user.
   * @throws TesseraError `strength_busy` (retryable, HTTP 429)
   */
  estimate(password: string, words: readonly string[]): Promise<PasswordEstimate>;
}

export interface ParameterSpec {
  readonly name: string;
  readonly type: Type;
  readonly optional?: boolean;
  /** Takes all remaining arguments. */
  readonly rest?: boolean;
}

export interface Expectation {
  /** Said when there are too few arguments: `two arguments`. */
  readonly count: string;
  /** Said of each argument of a wrong type: `a string password`. */
  readonly each: readonly string[];
}

/** One row of a family's table: registration, argument checks, error texts and the list of functions come from it. */
export interface FunctionRow {
  /** The whole path: `string::len`. */
  readonly name: string;
  /** Other spellings, such as those of 2.x: `string::is::email`. */
  readonly aliases?: readonly string[];
  readonly parameters: readonly ParameterSpec[];
  readonly returns: string;
  /** One line. */
  readonly description: string;
  /**
   * The expectation in errors, if the reference engine words it specially; superfluous arguments are
   * let pass then.
   */
  readonly expects?: Expectation;
  /**
   * False when two calls with equal arguments may differ (time, random, session, records): such calls are never folded.
   */
  readonly deterministic?: false;
  /**
   * Characters, bytes, elements and fields that the arguments may have together. Default: `MAX_INPUT`. A larger call
   * fails with `input_too_large`. Functions with a higher limit yield on the way, or have been measured to stay within
   * a step.
   */
  readonly largest?: number;
  /** Arguments have been counted and coerced to the parameters' types. */
  run(args: readonly Value[], context: FunctionContext): PromiseOrValue<Value>;
}
