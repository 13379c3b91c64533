/** Runs the tests of a file: each on a store of its own, which begins as the preparation has left it. */
import { asTesseraError, TesseraError } from '../../errors/error.js';
import { StatementStream } from '../../language/statement-stream.js';
import type { Session, StatementResult } from '../../session/contract.js';
import { type OpenDatabase, openDatabase } from '../../session/database/database.js';
import type { MemoryEngine } from '../../storage/memory/memory.js';
import { equals } from '../../value/order.js';
import { toText } from '../../value/text/text.js';
import { isArray, isObject, newObject, objectFrom, type Value } from '../../value/value.js';
import type { ResultExpectation, RowExpectation, Test, TestFile, TestStep, Who } from './test-file.js';

/** The database of all tests. */
export const PLACE = { namespace: 'test', database: 'test' } as const;

export interface TestOutcome {
  readonly file: TestFile;
  readonly test: Test;
  /** What isn't as expected; absent if it has passed. */
  readonly fault?: TestFault;
}

export interface TestFault {
  /** The first line of the statements, counted from 1. */
  readonly from: number;
  /** The line of the one that failed, or of what is expected of them. */
  readonly line: number;
  /** As whom it ran: `user:ann via account`. */
  readonly who: string;
  readonly expected: string;
  readonly found: string;
}

/** `empty` has the schema, and is left as it is. */
export async function runTestFile(file: TestFile, empty: MemoryEngine): Promise<TestOutcome[]> {
  const prepared = empty.fork();
  const fault = await runTestSteps(file.preparation, prepared);
  const outcomes: TestOutcome[] = [];
  for (const test of file.tests) {
    const found = fault ?? (await runTestSteps(test.steps, prepared.fork()));
    outcomes.push({ file, test, ...(found !== undefined && { fault: found }) });
  }
  return outcomes;
}

/** Returns what isn't as expected. */
async function runTestSteps(steps: readonly TestStep[], engine: MemoryEngine): Promise<TestFault | undefined> {
  const database = await openDatabase(engine, { guests: true });
  const runner = new StepRunner(database);
  try {
    for (const step of steps) await runner.run(step);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof Mismatch) return thrown.fault;
    throw thrown;
  } finally {
    // The engine is only closed for itself: forks of it go on.
    await database.close();
  }
}

class Mismatch extends Error {
  constructor(readonly fault: TestFault) {
    super(fault.found);
  }
}

const AS_OWNER: Who = { role: 'owner' };

class StepRunner {
  readonly #database: OpenDatabase;
  #session: Session | undefined;
  #who = describe(AS_OWNER);
  /** The line of the step. */
  #from = 0;

  constructor(database: OpenDatabase) {
    this.#database = database;
  }

  async run(step: TestStep): Promise<void> {
    this.#from = step.line;
    if (step.kind === 'as') {
      this.#who = describe(step.who);
      this.#session = await this.#attempt(step.line, `to run as ${this.#who}`, () => this.#open(step.who));
    } else if (step.kind === 'statements') await this.#runStatements(step);
    else await this.#signIn(step);
  }

  async #open(who: Who): Promise<Session> {
    if ('record' in who) return this.#database.sessionOf({ kind: 'record', databasePath: PLACE, ...who });
    const { role } = who;
    const session =
      role === 'owner'
        ? this.#database.ownerSession()
        : await this.#database.sessionOf(
            role === 'guest' ? { kind: 'guest', databasePath: PLACE } : { kind: 'role', databasePath: PLACE, role },
          );
    await session.use(PLACE.namespace, PLACE.database);
    return session;
  }

  async #signIn({ kind, line, access, variables, results }: Extract<TestStep, { access: string }>): Promise<void> {
    this.#who = `${kind} via ${access}`;
    const session = this.#database.session({});
    const { namespace, database } = PLACE;
    const body = objectFrom({ ...(isObject(variables) && variables), NS: namespace, DB: database, AC: access });
    const enter = () => (kind === 'signup' ? session.signUp(body) : session.signIn(body));
    const [wanted] = results;
    if (wanted?.kind === 'error') {
      this.#compare(wanted, await failureOf(enter));
      this.#session = await this.#open({ role: 'guest' });
    } else {
      await this.#attempt(line, 'to be signed in', enter);
      this.#session = session;
    }
  }

  async #runStatements({ line, text, results, rows }: Extract<TestStep, { text: string }>): Promise<void> {
    this.#session ??= await this.#open(AS_OWNER);
    const session = this.#session;
    let found: readonly StatementResult[];
    try {
      found = await session.query(text, newObject());
    } catch (error) {
      const [wanted] = results;
      if (wanted?.kind === 'error') return this.#compare(wanted, asTesseraError(error));
      const { position } = error instanceof TesseraError ? error : {};
      throw this.#fault(line + (position?.line ?? 1) - 1, 'statements that run', shown(asTesseraError(error)));
    }
    const beyond = results[found.length];
    if (beyond !== undefined) throw this.#fault(beyond.line, 'another result', `${found.length} results`);
    const first = found.length - results.length;
    for (const [at, { outcome }] of found.entries()) {
      const wanted = results[at - first];
      if (wanted !== undefined) this.#compare(wanted, outcome.ok ? outcome.value : outcome.error);
      else if (!outcome.ok) throw this.#fault(line + lineOf(text, at) - 1, 'no error', shown(outcome.error));
    }
    const last = found.at(-1)?.outcome;
    if (last?.ok) for (const each of rows) this.#compareRows(each, last.value);
  }

  #compare(wanted: ResultExpectation, found: Value | TesseraError): void {
    if (wanted.kind === 'value') {
      if (!(found instanceof TesseraError) && equals(wanted.value, found)) return;
      throw this.#fault(wanted.line, toText(wanted.value), shown(found));
    }
    const { line, text } = wanted;
    if (found instanceof TesseraError && `${found.code}: ${found.message}`.includes(text)) return;
    throw this.#fault(line, `the error ${text}`, shown(found));
  }

  #compareRows({ line, records, areSeen }: RowExpectation, found: Value): void {
    const rows = isArray(found) ? found : found === undefined ? [] : [found];
    if (records.length === 0 && rows.length > 0) throw this.#fault(line, 'to see nothing', toText(found));
    const seen = new Set(rows.map((row) => toText(isObject(row) ? row['id'] : row)));
    for (const record of records) {
      if (seen.has(toText(record)) === areSeen) continue;
      throw this.#fault(line, `${areSeen ? 'to see' : 'not to see'} ${toText(record)}`, toText(found));
    }
  }

  async #attempt<T>(line: number, expected: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.#fault(line, expected, shown(asTesseraError(error)));
    }
  }

  #fault(line: number, expected: string, found: string): Mismatch {
    return new Mismatch({ from: this.#from, line, who: this.#who, expected, found });
  }
}

function describe(who: Who): string {
  return 'record' in who ? `${toText(who.record)} via ${who.access}` : who.role;
}

/** What work fails with; NONE if it doesn't. */
async function failureOf(work: () => Promise<unknown>): Promise<TesseraError | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return asTesseraError(error);
  }
}

function shown(found: Value | TesseraError): string {
  return found instanceof TesseraError ? `the error ${found.code}: ${found.message.trimEnd()}` : toText(found);
}

/** The line of a statement within its text, counted from 1. */
function lineOf(text: string, index: number): number {
  const stream = new StatementStream();
  stream.push(text);
  stream.end();
  return [...stream.statements()][index]?.position.line ?? 1;
}
