/**
 * Tessera in process: the whole engine without a server.
 *
 *     import { open } from 'tesseradb';
 *
 *     const db = await open('memory');            // or a folder: open('./data')
 *     await db.use('shop', 'music');
 *     await db.query('CREATE person:ada SET name = $name', { name: 'Ada' });
 *     const [people] = await db.query('SELECT * FROM person');
 *     await db.close();
 */
import type { AuditOptions } from '../audit/audit-log.js';
import { invariant } from '../base/invariant.js';
import type { PromiseOrValue } from '../base/promise-or-value.js';
import { failure } from '../errors/error.js';
import type { Statement } from '../language/ast.js';
import { parseQuery } from '../language/parse.js';
import type {
  Database,
  IssuedTokens,
  Notification,
  NotificationSink,
  SelectedPlace,
  Session,
  StatementResult,
} from '../session/contract.js';
import { type DatabaseOptions, openDatabase } from '../session/database.js';
import { openEngine } from '../storage/engines/open.js';
import { type ObjectValue, Uuid, type Value } from '../value/value.js';
import { objectFromJavaScript } from './from-javascript.js';

export { openFileSink as openAuditFile } from '../audit/file-sink.js';
export type { AuditSink } from '../audit/sink.js';
export { TesseraError } from '../errors/error.js';
export { toDisplay, toText } from '../value/text/text.js';
export * from '../value/value.js';
export type {
  AuditOptions,
  DatabaseOptions,
  IssuedTokens,
  Notification,
  NotificationSink,
  SelectedPlace,
  StatementResult,
};

type Variables = Readonly<Record<string, unknown>>;

/**
 * Opens a store: `memory`, or the folder of a store on disk, which is made if it doesn't exist.
 * @throws TesseraError `storage_unavailable` when another process has the folder open
 */
export async function open(path = 'memory', options: DatabaseOptions = {}): Promise<Tessera> {
  const database = await openDatabase(await openEngine(path), options);
  return new Tessera(database);
}

/** A live query that was begun. */
export interface LiveSubscription {
  readonly id: Uuid;
  /** Ends it; its handler is told nothing more. */
  kill(): Promise<void>;
}

/** A session in process. What it may do depends on who signs in. */
export class EmbeddedSession {
  readonly #session: Session;
  readonly #handlers = new Map<string, NotificationSink>();

  constructor(session: Session) {
    this.#session = session;
    session.listen((notification) => this.#notify(notification));
  }

  /** Selects a namespace and a database. */
  async use(namespace: string, database: string): Promise<SelectedPlace> {
    return this.#session.use(namespace, database);
  }

  /**
   * Runs statements and gives their values, one for each.
   * @throws TesseraError the error of the first statement that failed; the others have run nevertheless
   */
  async query(text: string, variables: Variables = {}): Promise<Value[]> {
    const results = await this.#session.query(text, objectFromJavaScript(variables));
    return results.map(({ outcome }) => {
      if (outcome.ok) return outcome.value;
      throw outcome.error;
    });
  }

  /** Runs statements and tells of each whether it succeeded, and how long it took. */
  async run(text: string, variables: Variables = {}): Promise<StatementResult[]> {
    return this.#session.query(text, objectFromJavaScript(variables));
  }

  /** Signs in with `{user, pass}`, `{NS, DB, user, pass}` or `{NS, DB, AC, …variables}`. */
  signIn(credentials: Variables): Promise<IssuedTokens> {
    return this.#session.signIn(objectFromJavaScript(credentials));
  }

  signUp(credentials: Variables): Promise<IssuedTokens> {
    return this.#session.signUp(objectFromJavaScript(credentials));
  }

  /** Signs in with an access token. */
  async authenticate(token: string): Promise<void> {
    return this.#session.authenticate(token);
  }

  /** Forgets who is signed in. */
  invalidate(): void {
    this.#session.invalidate();
  }

  /**
   * Begins a live query, from the text of one `LIVE SELECT`. `handler` is told of changes in the order of commits, as whoever is signed in may
   * see them. The next change waits until it is done with the last; it must not fail, or all live queries of the session end.
   *
   *     const people = await db.live('LIVE SELECT * FROM person WHERE age > $age', ({ action, record, result }) => …, { age: 17 });
   *     await people.kill();
   */
  async live(text: string, handler: NotificationSink, variables: Variables = {}): Promise<LiveSubscription> {
    const { statements } = parseQuery(text);
    const [statement] = statements;
    if (statement?.kind !== 'live' || statements.length > 1) {
      throw failure('invalid_params', { expected: 'the text of one LIVE SELECT' });
    }
    const id = await this.#execute(statement, objectFromJavaScript(variables));
    invariant(id instanceof Uuid, 'a live query has an id');
    this.#handlers.set(id.text, handler);
    return {
      id,
      kill: async () => {
        // Not an error when it has ended of itself.
        if (!this.#handlers.delete(id.text)) return;
        await this.#execute({ kind: 'kill', id: { kind: 'literal', value: id } });
      },
    };
  }

  async #execute(statement: Statement, variables?: ObjectValue): Promise<Value> {
    const [result] = await this.#session.execute([statement], variables);
    if (result?.outcome.ok !== false) return result?.outcome.value;
    throw result.outcome.error;
  }

  #notify(notification: Notification): PromiseOrValue<void> {
    const { id, action } = notification;
    const handler = this.#handlers.get(id.text);
    if (action === 'KILLED') this.#handlers.delete(id.text);
    return handler?.(notification);
  }

  close(): void {
    this.#session.close();
  }
}

/** An open store, and a session that owns it. */
export class Tessera extends EmbeddedSession {
  readonly #database: Database;

  constructor(database: Database) {
    super(database.ownerSession());
    this.#database = database;
  }

  /** A session that nobody has signed in to yet. */
  session(): EmbeddedSession {
    return new EmbeddedSession(this.#database.session({}));
  }

  /** Ends all sessions and closes the store. */
  override async close(): Promise<void> {
    super.close();
    await this.#database.close();
  }
}
