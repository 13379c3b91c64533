/** A store in PostgreSQL, as `RemoteEngine` uses one: connections, commits, the log, checks and metrics. */
import { failure } from '../../errors/error.js';
import type { Family } from '../../metrics/families.js';
import type { CopySupport, Key, Versionstamp } from '../contract.js';
import {
  type CommitGroup,
  type CommitOutcome,
  GroupTooOld,
  type HeadStamps,
  type LogPage,
  type LogSlice,
  OutcomeUnknown,
  type RemoteStore,
  type StoreSnapshot,
} from '../remote/store.js';
import { StoredValues } from '../stored-values.js';
import { int8, int8Of } from './binary.js';
import { clearStage, outcomesOf, type ReadyCommit, readyCommit, settleGroup } from './commit.js';
import type { BinaryParameter, BinaryRow, PostgresConnection, PreparedStatement } from './connection.js';
import { POSTGRES, recognizeDialect, type SqlDialect } from './dialect.js';
import { isAnswer, isRefusal, isTooOld, storageError } from './errors.js';
import { identifier } from './identifiers.js';
import { LOG_TIMEOUT, nodeName, PostgresLog, pruneLog } from './log.js';
import { PostgresMetrics } from './metrics.js';
import { ConnectionPool, type PoolSettings } from './pool.js';
import { ReadTransactions } from './read-transaction.js';
import { prepareSchema } from './schema.js';
import { PostgresSnapshot } from './snapshot.js';
import { StoreLock } from './store-lock.js';

const REVISION: PreparedStatement = {
  name: 'revision',
  text: "SELECT md5(string_agg(id || ':' || stamp, ',' ORDER BY id)) FROM head",
};
const LAST_STAMP: PreparedStatement = { name: 'last_stamp', text: 'SELECT max(stamp) FROM head' };
const RAISE_STAMP: PreparedStatement = {
  name: 'raise_stamp',
  text: 'UPDATE head SET stamp = $1::bigint WHERE stamp < $1::bigint',
};

/** The interface of copies besides transactions. `query` runs one statement by itself. */
function copySupport(
  query: (statement: PreparedStatement, parameters?: readonly BinaryParameter[]) => Promise<readonly BinaryRow[]>,
): CopySupport {
  return {
    revision: async () => (await query(REVISION)).map(([revision]) => revision).join(),
    lastStamp: async () => {
      const [row] = await query(LAST_STAMP);
      return int8Of(row![0]!);
    },
    raiseStamp: async (stamp) => {
      await query(RAISE_STAMP, [int8(stamp)]);
    },
  };
}

/** As LMDB's, so that a store can be copied from one engine to the other. */
const MAX_KEY_LENGTH = 1_978;

/** About what fits into one row of the log. */
const MOST_LOGGED_KEYS = 10_000;

const CHECK: PreparedStatement = {
  name: 'check',
  text: "SELECT pg_is_in_recovery(), current_setting('transaction_read_only')",
};

const TIME: PreparedStatement = {
  name: 'time',
  text: 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint',
};

/** With their indexes and what is stored out of line. */
const SIZE: PreparedStatement = {
  name: 'size',
  text: "SELECT sum(pg_total_relation_size(name))::bigint FROM unnest(ARRAY['entry', 'head', 'log']::regclass[]) AS name",
};

/** Planning takes as long as running. Plans are made while the tables may be empty, and kept when they have grown. */
const SETTINGS_OF_COMMITS = 'SET plan_cache_mode TO force_generic_plan; SET enable_seqscan TO off';

export interface PostgresOptions extends PoolSettings {
  /** The schema in which the tables are. */
  readonly schema: string;
  /**
   * Milliseconds after which a commit without an answer counts as one whose connection was lost; those of other nodes
   * it waits for, too.
   */
  readonly commitTimeout: number;
  /** Milliseconds after which a read without an answer fails, and its connection is cut. */
  readonly readTimeout: number;
  /** Milliseconds for which the log of commits is kept. */
  readonly logRetention: number;
  /** The most connections for snapshots. */
  readonly connections: number;
  /** A random number that identifies the commits of this process. */
  readonly node: bigint;
  /** No other process may have it open meanwhile. */
  readonly exclusive?: boolean | undefined;
  /** The store must be there already; its schema isn't made. */
  readonly readOnly?: boolean | undefined;
  /** What the server speaks. Default: it is asked. */
  readonly dialect?: SqlDialect | undefined;
  /** Names a key in error messages. */
  readonly describeKey: (key: Key) => string;
}

/** A store in a PostgreSQL database. */
export class PostgresStore implements RemoteStore {
  readonly name = 'postgres';
  readonly maxKeyLength = MAX_KEY_LENGTH;
  readonly mostLoggedKeys = MOST_LOGGED_KEYS;
  readonly node: string;
  readonly #options: PostgresOptions;
  readonly #snapshots: ConnectionPool;
  readonly #reads: ReadTransactions;
  readonly #commits: ConnectionPool;
  readonly #logs: ConnectionPool;
  readonly #log: PostgresLog;
  readonly #values: StoredValues;
  readonly #lock: StoreLock;
  readonly #counted = new PostgresMetrics();
  readonly metrics: readonly Family[];
  #dialect: SqlDialect;
  #known: Versionstamp = 0n;

  private constructor(options: PostgresOptions) {
    this.#options = options;
    this.node = nodeName(options.node);
    this.#dialect = options.dialect ?? POSTGRES;
    const prepare = (connection: PostgresConnection) =>
      connection.run(`SET search_path TO ${identifier(options.schema)}; ${this.#dialect.settings}`);
    const prepareCommits = async (connection: PostgresConnection) => {
      await prepare(connection);
      await connection.run(SETTINGS_OF_COMMITS);
    };
    this.#snapshots = new ConnectionPool(options, options.connections, prepare, this.#counted.pool('reads'));
    this.#commits = new ConnectionPool(options, 4, prepareCommits, this.#counted.pool('commits'));
    const patience = { ...options, connectTimeout: Math.min(options.connectTimeout, LOG_TIMEOUT) };
    this.#logs = new ConnectionPool(patience, 1, prepare, this.#counted.pool('log'));
    this.#log = new PostgresLog(this.#logs);
    this.metrics = this.#counted.families(
      { reads: this.#snapshots, commits: this.#commits, log: this.#logs },
      async () => {
        const [row] = await this.#query(SIZE);
        return Number(int8Of(row![0]!));
      },
    );
    this.#values = new StoredValues(true, options.describeKey);
    const { timers, readTimeout: timeout } = options;
    this.#reads = new ReadTransactions({ pool: this.#snapshots, timers, values: this.#values, timeout });
    this.#lock = new StoreLock(options, {
      schema: options.schema,
      mode: options.exclusive ? 'exclusive' : 'shared',
      // The first connection of all.
      prepare: async (connection) => {
        if (options.dialect === undefined) this.#dialect = await recognizeDialect(connection);
      },
    });
  }

  /**
   * Opens the store for one server, making the schema where there is none, unless it is `readOnly`.
   * @throws TesseraError `storage_in_use`, `storage_format`, `storage_unsupported`, `storage_unavailable`
   */
  static async open(options: PostgresOptions): Promise<PostgresStore> {
    const store = new PostgresStore(options);
    try {
      await store.#lock.hold();
      const connection = await store.#commits.take();
      try {
        const place = { schema: options.schema, dialect: store.#dialect };
        await prepareSchema(connection, place, options.readOnly === true);
      } finally {
        store.#commits.give(connection);
      }
    } catch (error) {
      await store.close();
      throw storageError(error);
    }
    return store;
  }

  readonly copying: CopySupport = copySupport((statement, parameters) => this.#query(statement, parameters));

  get known(): Versionstamp {
    return this.#known;
  }

  #notice(stamp: Versionstamp): void {
    if (stamp > this.#known) this.#known = stamp;
  }

  snapshot(): StoreSnapshot {
    const { readTimeout: timeout } = this.#options;
    return new PostgresSnapshot({ transactions: this.#reads, values: this.#values, timeout });
  }

  async apply(group: CommitGroup): Promise<readonly CommitOutcome[]> {
    const { connection, commit } = await this.#ready(group);
    const written = this.#counted.beginWrite();
    try {
      const timeout = this.#options.commitTimeout + commit.extraTime;
      const [row] = await connection.query(commit.statement, commit.parameters, timeout);
      const outcomes = outcomesOf(group, row!);
      written(outcomes);
      for (const outcome of outcomes) if (typeof outcome === 'bigint') this.#notice(outcome);
      return outcomes;
    } catch (error) {
      if (isTooOld(error)) throw new GroupTooOld('too old', { cause: error });
      const isRefused = isRefusal(error, this.#dialect);
      this.#counted.notWritten(group.commits.length, isRefused ? 'failed' : 'unknown');
      if (isRefused) throw storageError(error);
      if (isAnswer(error)) throw new OutcomeUnknown(storageError(error));
      // Those that were opened before are likely to be lost, too.
      this.#commits.discardIdle();
      throw new OutcomeUnknown(failure('storage_unavailable', { reason: 'the connection was lost' }, { cause: error }));
    } finally {
      clearStage(connection, commit);
      this.#commits.give(connection);
    }
  }

  async #ready(group: CommitGroup): Promise<{ readonly connection: PostgresConnection; readonly commit: ReadyCommit }> {
    let connection: PostgresConnection | undefined;
    try {
      await this.#lock.hold();
      connection = await this.#commits.take();
      const { node, commitTimeout: timeout } = this.#options;
      const commit = await readyCommit(connection, node, group, {
        dialect: this.#dialect,
        timeout,
        staged: (bytes) => this.#counted.staged(bytes),
      });
      return { connection, commit };
    } catch (error) {
      this.#counted.notWritten(group.commits.length, 'failed');
      if (connection !== undefined) this.#commits.give(connection);
      throw storageError(error);
    }
  }

  async settle(group: CommitGroup): Promise<readonly CommitOutcome[] | 'not applied'> {
    try {
      const connection = await this.#commits.take();
      try {
        return await settleGroup(connection, this.#options.node, group, this.#options.commitTimeout);
      } finally {
        this.#commits.give(connection);
      }
    } catch (error) {
      throw storageError(error);
    }
  }

  async headsAbove(above: Versionstamp): Promise<HeadStamps> {
    const answer = await this.#log.headsAbove(above);
    for (const stamp of answer.stamps.values()) this.#notice(stamp);
    return answer;
  }

  log(slices: readonly LogSlice[]): Promise<LogPage> {
    return this.#log.page(slices);
  }

  async prune(): Promise<boolean> {
    try {
      const connection = await this.#commits.take();
      try {
        return await pruneLog(connection, this.#options.logRetention);
      } finally {
        this.#commits.give(connection);
      }
    } catch (error) {
      throw storageError(error);
    }
  }

  async time(): Promise<bigint> {
    const [row] = await this.#query(TIME);
    return int8Of(row![0]!) * 1_000_000n;
  }

  async check(): Promise<void> {
    const [row] = await this.#query(CHECK);
    if (row?.[0] !== '\0') throw failure('storage_unavailable', { reason: 'the server is a standby' });
  }

  /** Runs one statement by itself. @throws TesseraError `storage_unavailable` */
  async #query(
    statement: PreparedStatement,
    parameters: readonly BinaryParameter[] = [],
  ): Promise<readonly BinaryRow[]> {
    try {
      const connection = await this.#commits.take();
      try {
        return await connection.query(statement, parameters, this.#options.commitTimeout);
      } finally {
        this.#commits.give(connection);
      }
    } catch (error) {
      throw storageError(error);
    }
  }

  async close(): Promise<void> {
    this.#snapshots.close();
    this.#commits.close();
    this.#logs.close();
    await this.#lock.close();
  }
}
