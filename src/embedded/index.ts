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
  DatabaseSelection,
  IssuedTokens,
  Notification,
  NotificationSink,
  StatementResult,
} from '../session/contract.js';
import type { DatabaseOptions } from '../session/database/options.js';
import { ClientConnection } from '../session/resources/client-connection.js';
import type { ConnectionMemory } from '../session/resources/server-memory.js';
import type { EmbeddedFile, FileSource } from './embedded-file.js';
import { EmbeddedSession, type LiveSubscription, type StatementRunner, type Variables } from './embedded-session.js';
import { acquireStore, type StoreHandle } from './shared-stores.js';
import type { Change, Subscription } from './subscription.js';
import type { WatchedResult } from './watched-result.js';

export { openFileSink as openAuditFile } from '../audit/file-sink.js';
export type { AuditSink } from '../audit/sink.js';
export { TesseraError } from '../errors/error.js';
export { stringifyJson as toJson } from '../value/codecs/json.js';
export { toDisplay, toText } from '../value/text/text.js';
export * from '../value/value.js';
export type {
  AuditOptions,
  Change,
  DatabaseOptions,
  DatabaseSelection,
  EmbeddedFile,
  EmbeddedSession,
  FileSource,
  IssuedTokens,
  LiveSubscription,
  Notification,
  NotificationSink,
  StatementResult,
  StatementRunner,
  Subscription,
  Variables,
  WatchedResult,
};

/** An open store, and a session that owns it. */
export class Tessera extends EmbeddedSession {
  readonly #database: Database;
  /**
   * Memory of all sessions of a store, which counts as one connection. They may belong to different users, so that each
   * has its own transactions.
   */
  readonly #memory: ConnectionMemory;
  #release: (() => Promise<void>) | undefined;

  private constructor({ database, release }: StoreHandle) {
    const session = database.ownerSession();
    super(session);
    this.#memory = session.memory.connection;
    this.#database = database;
    this.#release = release;
  }

  /**
   * Opens a store: `memory`, or the folder of a store on disk, which is created if necessary. A folder that is already
   * open in this process, here or in the client's engine, is shared, with the options of the first; the last to close
   * closes it.
   * @throws TesseraError `storage_in_use` if another process has the folder open; `storage_unavailable`
   */
  static async open(path = 'memory', options: DatabaseOptions = {}): Promise<Tessera> {
    return new Tessera(await acquireStore(path, options));
  }

  /** Opens a guest session. */
  session(): EmbeddedSession {
    return new EmbeddedSession(this.#database.session({}, new ClientConnection(this.#memory)));
  }

  /** Ends this session, and closes the store with all its sessions unless it is shared. */
  override async close(): Promise<void> {
    await super.close();
    const release = this.#release;
    this.#release = undefined;
    await release?.();
  }
}

/** `Tessera.open`. */
export function open(path?: string, options?: DatabaseOptions): Promise<Tessera> {
  return Tessera.open(path, options);
}
