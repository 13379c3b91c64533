/** Sessions for programs in process: statements, sign-in, live queries and transactions, with values of JavaScript. */
import { readStartTarget } from '../auth/credentials.js';
import { invariant } from '../base/invariant.js';
import { andThen, isPromise, mapInOrder, otherwise, type PromiseOrValue } from '../base/promise-or-value.js';
import { realEnvironment } from '../env/real.js';
import { asTesseraError, failure } from '../errors/error.js';
import type { Statement } from '../language/ast.js';
import { parseQuery } from '../language/parse.js';
import type {
  DatabaseSelection,
  ExportSelection,
  HeldTransaction,
  IssuedTokens,
  Notification,
  NotificationSink,
  Session,
  StartedRequest,
  StatementExecutor,
  StatementResult,
} from '../session/contract.js';
import { copyValue, StepwiseCopier } from '../value/copy.js';
import { type ObjectValue, Uuid, type Value } from '../value/value.js';
import { weightOf } from '../value/weight.js';
import { type EmbeddedFile, type FileSource, openEmbedded, putEmbedded } from './embedded-file.js';
import { fromJavaScript, objectFromJavaScript } from './from-javascript.js';
import { Subscription } from './subscription.js';
import { WatchedResult } from './watched-result.js';

export type Variables = Readonly<Record<string, unknown>>;

/** A running live query. */
export interface LiveSubscription extends AsyncDisposable {
  readonly id: Uuid;
  /** Ends it; its handler gets no further notification. */
  kill(): Promise<void>;
}

/** Receives the notifications of a live query. */
interface Listener {
  readonly deliver: NotificationSink;
  /** The session was closed. */
  closed?(): void;
}

/** Maximum attempts of a transaction on conflicts. */
const MAX_TRIES = 10;

/** Runs statements in a session or transaction. Results belong to the caller, who may modify them. */
export class StatementRunner {
  readonly #door: StatementExecutor;

  constructor(door: StatementExecutor) {
    this.#door = door;
  }

  /**
   * Runs statements and returns their values, one per statement. The type parameter isn't checked at run time.
   *
   *     const [people, five] = await db.query<[Person[], number]>('SELECT * FROM person; RETURN 5');
   *
   * @throws TesseraError the error of the first failed statement; the others have run nevertheless
   */
  async query<Results extends readonly unknown[] = Value[]>(text: string, variables: Variables = {}): Promise<Results> {
    const results = this.#run(text, variables);
    return valuesOf(isPromise(results) ? await results : results) as readonly unknown[] as Results;
  }

  /** Runs statements and returns status and duration of each. */
  async run(text: string, variables: Variables = {}): Promise<StatementResult[]> {
    return this.#run(text, variables);
  }

  #run(text: string, variables: Variables): PromiseOrValue<StatementResult[]> {
    return andThen(this.#door.query(text, objectFromJavaScript(variables)), (results) => {
      const copier = new StepwiseCopier(COPYING);
      return mapInOrder(results, (result) => own(result, copier));
    });
  }
}

function valuesOf(results: readonly StatementResult[]): Value[] {
  return results.map(({ outcome }) => {
    if (outcome.ok) return outcome.value;
    throw outcome.error;
  });
}

/** Large results are copied while the program's other work goes on. */
const COPYING = { checkpoint: () => realEnvironment.timers.nextRound() };

/** A copy that shares nothing with the store. A value that is too large without internal sharing is an error. */
function own(result: StatementResult, copier: StepwiseCopier): PromiseOrValue<StatementResult> {
  const { outcome } = result;
  if (!outcome.ok) return result;
  return otherwise<StatementResult>(
    () => andThen(copier.copy(outcome.value), (value) => ({ ...result, outcome: { ok: true, value } })),
    (thrown) => ({ ...result, outcome: { ok: false, error: asTesseraError(thrown) } }),
  );
}

/** A session in process. Its rights depend on who signs in. */
export class EmbeddedSession extends StatementRunner implements AsyncDisposable {
  readonly #session: Session;
  readonly #listeners = new Map<string, Listener>();

  constructor(session: Session) {
    super(session);
    this.#session = session;
    session.listen((notification) => this.#notify(notification));
  }

  /** Selects a namespace and a database. */
  async use(namespace: string, database: string): Promise<DatabaseSelection> {
    return this.#session.use(namespace, database);
  }

  /** Sets `$name` for all later statements. */
  set(name: string, value: unknown): void {
    const converted = fromJavaScript(value);
    void this.#session.setVariable(name, converted, weightOf(name, converted));
  }

  unset(name: string): void {
    this.#session.unsetVariable(name);
  }

  /**
   * Runs `work` in one transaction, commits it when `work` completes, and cancels it when it fails. On a conflict
   * everything is run again, a few times.
   *
   *     const answer = await db.transaction(async (transaction) => {
   *       const [[stock]] = await transaction.query<[number[]]>('SELECT VALUE stock FROM item:1');
   *       if (stock === 0) return 'sold out';
   *       await transaction.query('UPDATE item:1 SET stock -= 1');
   *       return 'yours';
   *     });
   *
   * @throws TesseraError `transaction_conflict` if every attempt conflicted; errors of `work`
   */
  async transaction<T>(work: (transaction: StatementRunner) => PromiseOrValue<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      const held = await this.#session.begin();
      const result = await orCancel(held, work);
      try {
        await held.commit();
        return result;
      } catch (error) {
        if (tries === MAX_TRIES || asTesseraError(error).code !== 'transaction_conflict') throw error;
      }
    }
  }

  /** Signs in with `{user, pass}`, `{NS, DB, user, pass}` or `{NS, DB, AC, …variables}`. */
  signIn(credentials: Variables): Promise<IssuedTokens> {
    return this.#session.signIn(objectFromJavaScript(credentials));
  }

  /** Signs up with an access method: `{NS, DB, AC, …variables}`. */
  signUp(credentials: Variables): Promise<IssuedTokens> {
    return this.#session.signUp(objectFromJavaScript(credentials));
  }

  /**
   * Begins a request at an access method with a way: `{NS, DB, AC, challenge, email, …}`, NS and DB as far as they
   * apply. `signIn` redeems it with `{NS, DB, AC, request, code}`, or `code` and `verifier`.
   * @throws TesseraError `start_malformed`, `address_invalid`, `rate_limited`, `mail_unavailable` …
   */
  async startSignIn(body: Variables): Promise<StartedRequest> {
    return this.#session.startSignIn(readStartTarget(objectFromJavaScript(body)));
  }

  /** Signs in with an access token. */
  async authenticate(token: string): Promise<void> {
    return this.#session.authenticate(token);
  }

  /** Signs in with a refresh token, which is consumed, and the access token issued with it; returns new ones. */
  refresh(tokens: Required<IssuedTokens>): Promise<IssuedTokens> {
    return this.#session.refresh(tokens);
  }

  /**
   * Exports the selected database as text in chunks: definitions, then records, from one snapshot. `import` reads it.
   *
   *     for await (const chunk of db.export({ tables: ['person'] })) file.write(chunk);
   */
  export(selection: ExportSelection = {}): AsyncGenerator<string> {
    return this.#session.export(selection);
  }

  /**
   * Runs a text, whole or in chunks, each statement once it is complete. The first failure ends it; earlier statements
   * stay.
   * @throws TesseraError `import_failed`, `parse_error`, `not_allowed`
   */
  import(text: string | AsyncIterable<string>): Promise<void> {
    return this.#session.import(typeof text === 'string' ? inOnePiece(text) : text);
  }

  /**
   * Opens a file of a bucket, if the user may get it; `undefined` if there is none.
   *
   *     const file = await db.openFile('avatars', 'ann.png');
   *     return new Response(file?.stream());
   *
   * @throws TesseraError `file_denied`, `bucket_missing`, `file_key`
   */
  openFile(bucket: string, key: string): Promise<EmbeddedFile | undefined> {
    return openEmbedded(this.#session, bucket, key);
  }

  /**
   * Puts a file, when all of its bytes have come. Its type is that of the key's ending unless it is given.
   *
   *     await db.putFile('avatars', 'ann.png', createReadStream('me.png'));
   *
   * @throws TesseraError `file_denied`, `file_too_large`, `file_type`, `bucket_full`, `too_many_uploads`, …
   */
  putFile(bucket: string, key: string, source: FileSource, type?: string): Promise<void> {
    return putEmbedded(this.#session, bucket, key, source, type);
  }

  /** Signs out. */
  invalidate(): void {
    this.#session.invalidate();
  }

  /**
   * Begins a live query, given as one `LIVE SELECT` statement. `handler` receives changes in commit order, as far as
   * the session may see them. The next change waits for its promise. It must not fail, which would end all live queries
   * of the session.
   *
   *     const people = await db.live('LIVE SELECT * FROM person WHERE age > $age', ({ action, record, result }) => …, { age: 17 });
   *     await people.kill();
   */
  async live(text: string, handler: NotificationSink, variables: Variables = {}): Promise<LiveSubscription> {
    const id = await this.#begin(text, variables);
    this.#listeners.set(id.text, { deliver: handler });
    const kill = () => this.#kill(id);
    return { id, kill, [Symbol.asyncDispose]: kill };
  }

  /**
   * Begins a live query as an async iterator:
   *
   *     for await (const { action, record, result } of await db.subscribe<Person>('LIVE SELECT * FROM person')) …
   */
  async subscribe<T = Value>(text: string, variables: Variables = {}): Promise<Subscription<T>> {
    const id = await this.#begin(text, variables);
    const subscription = new Subscription<T>(id, () => this.#kill(id));
    this.#listeners.set(id.text, subscription);
    return subscription;
  }

  /**
   * Evaluates a query or expression that only reads, and keeps its result right, as an async iterator of whole results:
   * the present one, and each later one as soon as a commit has changed it. Objects of rows that stay are shared by
   * the results.
   *
   *     for await (const people of await db.watch<Person[]>('SELECT * FROM person ORDER BY age LIMIT 10')) render(people);
   *
   * @throws TesseraError `live_result_statement`, `live_result_of_time`, …, and what the evaluation throws
   */
  async watch<T = Value>(text: string, variables: Variables = {}): Promise<WatchedResult<T>> {
    const { statements } = parseQuery(`LIVE QUERY ${text}`);
    const [statement] = statements;
    if (statement?.kind !== 'live-result' || statements.length > 1) {
      throw failure('invalid_params', { expected: 'the text of one SELECT or expression' });
    }
    const since = statement.since ?? { kind: 'literal', value: undefined };
    const answer = await this.#execute({ ...statement, since }, objectFromJavaScript(variables));
    const { id, result, versionstamp } = answer as ObjectValue;
    invariant(id instanceof Uuid && typeof versionstamp === 'string', 'a live result has an id and a versionstamp');
    const first = { result: copyValue(result), versionstamp: BigInt(versionstamp) };
    const watched = new WatchedResult<T>(id, () => this.#kill(id), first);
    this.#listeners.set(id.text, watched);
    return watched;
  }

  close(): PromiseOrValue<void> {
    this.#session.close();
    // A closed session delivers nothing more; loops over delivered changes end.
    for (const listener of this.#listeners.values()) listener.closed?.();
    this.#listeners.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #begin(text: string, variables: Variables): Promise<Uuid> {
    const { statements } = parseQuery(text);
    const [statement] = statements;
    if (statement?.kind !== 'live' || statements.length > 1) {
      throw failure('invalid_params', { expected: 'the text of one LIVE SELECT' });
    }
    const id = await this.#execute(statement, objectFromJavaScript(variables));
    invariant(id instanceof Uuid, 'a live query has an id');
    return id;
  }

  async #kill(id: Uuid): Promise<void> {
    // It may have ended by itself.
    if (!this.#listeners.delete(id.text)) return;
    await this.#execute({ kind: 'kill', id: { kind: 'literal', value: id } });
  }

  async #execute(statement: Statement, variables?: ObjectValue): Promise<Value> {
    const [result] = await this.#session.execute([statement], variables);
    if (result?.outcome.ok !== false) return result?.outcome.value;
    throw result.outcome.error;
  }

  #notify(notification: Notification): PromiseOrValue<void> {
    const { id, action, result } = notification;
    const listener = this.#listeners.get(id.text);
    if (action === 'KILLED') this.#listeners.delete(id.text);
    return listener?.deliver({ ...notification, result: copyValue(result) });
  }
}

async function orCancel<T>(
  held: HeldTransaction,
  work: (transaction: StatementRunner) => PromiseOrValue<T>,
): Promise<T> {
  try {
    return await work(new StatementRunner(held));
  } catch (error) {
    held.cancel();
    throw error;
  }
}

async function* inOnePiece(text: string): AsyncGenerator<string> {
  yield text;
}
