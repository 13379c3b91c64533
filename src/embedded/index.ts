/**
 * Tessera in process: the whole engine without a server.
 *
 *     import { Tessera } from 'tesseradb';
 *
 *     const db = await Tessera.open('memory');            // or a folder: Tessera.open('./data')
 *     await db.use('shop', 'music');
 *     await db.query('CREATE person:ada SET name = $name', { name: 'Ada' });
 *     const [people] = await db.query<[Person[]]>('SELECT * FROM person');
 *     await db.close();
 */
import type { AuditOptions } from '../audit/audit-log.js';
import type {
  Database,
  IssuedTokens,
  Notification,
  NotificationSink,
  SelectedPlace,
  StatementResult,
} from '../session/contract.js';
import { type DatabaseOptions, openDatabase } from '../session/database.js';
import { openEngine } from '../storage/engines/open.js';
import { EmbeddedSession, type LiveSubscription, type StatementRunner, type Variables } from './embedded-session.js';
import type { Change, Subscription } from './subscription.js';

export { openFileSink as openAuditFile } from '../audit/file-sink.js';
export type { AuditSink } from '../audit/sink.js';
export { TesseraError } from '../errors/error.js';
export { stringifyJson as toJson } from '../value/json.js';
export { toDisplay, toText } from '../value/text/text.js';
export * from '../value/value.js';
export type {
  AuditOptions,
  Change,
  DatabaseOptions,
  EmbeddedSession,
  IssuedTokens,
  LiveSubscription,
  Notification,
  NotificationSink,
  SelectedPlace,
  StatementResult,
  StatementRunner,
  Subscription,
  Variables,
};

/** An open store, and a session that owns it. */
export class Tessera extends EmbeddedSession {
  readonly #database: Database;

  constructor(database: Database) {
    super(database.ownerSession());
    this.#database = database;
  }

  /**
   * Opens a store: `memory`, or the folder of a store on disk, which is made if it doesn't exist.
   * @throws TesseraError `storage_in_use` when another process has the folder open, `storage_unavailable`
   */
  static async open(path = 'memory', options: DatabaseOptions = {}): Promise<Tessera> {
    const engine = await openEngine(path);
    try {
      return new Tessera(await openDatabase(engine, options));
    } catch (error) {
      await engine.close();
      throw error;
    }
  }

  /** A session that nobody has signed in to yet. */
  session(): EmbeddedSession {
    return new EmbeddedSession(this.#database.session({}));
  }

  /** Ends all sessions and closes the store. */
  override async close(): Promise<void> {
    await super.close();
    await this.#database.close();
  }
}

/** `Tessera.open`. */
export function open(path?: string, options?: DatabaseOptions): Promise<Tessera> {
  return Tessera.open(path, options);
}
