/** Advisory lock on a store in PostgreSQL, so that a copy never runs beside a server. */
import { failure } from '../../errors/error.js';
import { type ConnectionSettings, PostgresConnection, type PreparedStatement } from './connection.js';
import { storageError } from './errors.js';
import { literal } from './identifiers.js';

const TRUE = '\x01';

export interface StoreLockOptions {
  readonly schema: string;
  readonly mode: 'shared' | 'exclusive';
  prepare(connection: PostgresConnection): Promise<void>;
}

/**
 * The lock that each process holds on the store that it has open: shared by servers, exclusive for a copy. It is an
 * advisory lock on a connection of its own, which PostgreSQL releases when the connection ends. Without it the store
 * doesn't commit.
 */
export class StoreLock {
  readonly #settings: ConnectionSettings;
  readonly #schema: string;
  readonly #prepare: StoreLockOptions['prepare'];
  readonly #statement: PreparedStatement;
  #connection: PostgresConnection | undefined;
  #locking: Promise<void> | undefined;
  #isClosed = false;

  /** `prepare` readies its connection, before the lock is taken. */
  constructor(settings: ConnectionSettings, { schema, mode, prepare }: StoreLockOptions) {
    this.#settings = settings;
    this.#schema = schema;
    this.#prepare = prepare;
    const lock = mode === 'shared' ? 'pg_try_advisory_lock_shared' : 'pg_try_advisory_lock';
    const text = `SELECT ${lock}(hashtext('tessera server'), hashtext(${literal(schema)}))`;
    this.#statement = { name: 'lock', text };
  }

  /**
   * Checks that the lock is held, and tries to take it again if its connection was lost.
   * @throws TesseraError `storage_in_use` another process holds it, `storage_unavailable`
   */
  async hold(): Promise<void> {
    if (this.#connection?.isUsable) return;
    this.#locking ??= this.#lock().finally(() => {
      this.#locking = undefined;
    });
    await this.#locking;
  }

  /** Releases it, so that another process may open the store at once. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#connection?.close();
  }

  async #lock(): Promise<void> {
    let connection: PostgresConnection | undefined;
    try {
      connection = await PostgresConnection.open(this.#settings, { onLost: () => undefined });
      await this.#prepare(connection);
      const [row] = await connection.query(this.#statement);
      this.#connection = connection;
      if (row?.[0] === TRUE && !this.#isClosed) return;
      connection.destroy();
    } catch (error) {
      connection?.destroy();
      throw storageError(error);
    }
    throw failure('storage_in_use', { store: `store in the schema ${this.#schema}` });
  }
}
