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
import type { Value } from '../value/value.js';
import { objectFromJavaScript } from './from-javascript.js';

export { TesseraError } from '../errors/error.js';
export { toDisplay, toText } from '../value/text/text.js';
export * from '../value/value.js';
export type { DatabaseOptions, IssuedTokens, Notification, NotificationSink, SelectedPlace, StatementResult };

type Variables = Readonly<Record<string, unknown>>;

/**
 * Opens a store: `memory`, or the folder of a store on disk, which is made if it doesn't exist.
 * @throws TesseraError `storage_unavailable` when another process has the folder open
 */
export async function open(path = 'memory', options: DatabaseOptions = {}): Promise<Tessera> {
  const database = await openDatabase(await openEngine(path), options);
  return new Tessera(database);
}

/** A session in process. What it may do depends on who signs in. */
export class EmbeddedSession {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
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
   * Takes what live queries see from now on; without, `LIVE SELECT` fails. To be called once for each session. The next notification waits
   * until the handler is done with the last.
   *
   *     db.subscribe(({ action, record, result }) => console.log(action, record, result));
   *     await db.query('LIVE SELECT * FROM person');
   */
  subscribe(handler: NotificationSink): void {
    this.#session.listen(handler);
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
