/**
 * Differences between databases that speak PostgreSQL's protocol. All must guarantee what a commit relies on:
 * everything after the lock of a head sees all commits under it.
 */
import { failure } from '../../errors/error.js';
import type { PostgresConnection, PreparedStatement } from './connection.js';

export interface SqlDialect {
  /** Follows the column in the primary key of a table whose keys are read in order. */
  readonly keyOrder: '' | ' ASC';
  /** Whether tables have settings for how pages and large values are stored. */
  readonly hasStorageSettings: boolean;
  /** Whether one transaction may make several tables and functions, all or none. */
  readonly hasTransactionalDefinitions: boolean;
  /**
   * Whether a table can be locked against new rows. Otherwise the rows are locked, and transactions that add one change
   * the row of the root.
   */
  readonly hasTableLocks: boolean;
  /** Statements that prepare a new connection. */
  readonly settings: string;
  /** By SQLSTATE: whether an error answer to a commit guarantees that nothing of it was or will be applied. */
  isRefusal(sqlState: string): boolean;
  /** @throws TesseraError `storage_unsupported` if the server's settings don't suffice; Error of the server */
  check(connection: PostgresConnection): Promise<void>;
}

/**
 * Commits rest on each statement seeing what was committed before it, whatever the default of the database is. To
 * compile a plan takes seconds, and its estimates of arrays are far too high.
 */
const SETTINGS =
  "SET client_min_messages TO warning; SET default_transaction_isolation TO 'read committed'; SET jit TO off";

export const POSTGRES: SqlDialect = {
  keyOrder: '',
  hasStorageSettings: true,
  hasTransactionalDefinitions: true,
  hasTableLocks: true,
  settings: SETTINGS,
  isRefusal: () => true,
  check: async () => undefined,
};

/** Ours (`commit-function.ts`), and class 42: statements that the server didn't begin. */
const REFUSALS = /^(TS|42)/;
const EFFECTIVE_ISOLATION: PreparedStatement = {
  name: 'effective_isolation',
  text: 'SELECT yb_get_effective_transaction_isolation_level()',
};

/**
 * YugabyteDB, after its documentation (architecture/transactions, explore/transactions); not tried on it.
 *
 * A statement of READ COMMITTED that meets a row which was changed since it began is undone and done again as a whole,
 * with all that the function called by it did. So what follows the lock of a head that others have changed sees their
 * commits, whether or not each statement of the function has its own snapshot. A statement that only locks a head, and
 * changes nothing of it, may go unnoticed.
 */
export const YUGABYTE: SqlDialect = {
  // Without it they are spread by a hash.
  keyOrder: ' ASC',
  hasStorageSettings: false,
  hasTransactionalDefinitions: false,
  // A preview, off by default.
  hasTableLocks: false,
  // Whatever the defaults of the database are: reads see all that was committed before them, on any of its servers.
  settings: `${SETTINGS}; SET yb_read_from_followers TO off; SET yb_read_after_commit_visibility TO strict`,
  // A commit goes over its network, and may have been made although its answer is an error.
  isRefusal: (sqlState) => REFUSALS.test(sqlState),
  async check(connection) {
    await connection.run(SETTINGS);
    const [row] = await connection.query(EFFECTIVE_ISOLATION);
    if (row?.[0] === 'read committed') return;
    const reason = 'READ COMMITTED is off; set yb_enable_read_committed_isolation=true for its TServers';
    throw failure('storage_unsupported', { database: 'YugabyteDB', reason });
  },
};

/** By the beginning or a part of `version()`; the first match counts. */
const VERSIONS: readonly (readonly [
  pattern: RegExp,
  SqlDialect | { readonly database: string; readonly reason: string },
])[] = [
  [/^PostgreSQL (1[5-9]|[2-9]\d)\.\d+-YB-/, YUGABYTE],
  [/-YB-/, { database: 'YugabyteDB', reason: 'this is older than 2025.1' }],
  [
    /^CockroachDB/,
    { database: 'CockroachDB', reason: 'it has no session locks, and its functions lack what commits need' },
  ],
  [/Redshift/, { database: 'Amazon Redshift', reason: 'it keeps no order of keys' }],
  [/^PostgreSQL (1[2-9]|[2-9]\d)/, POSTGRES],
  [/^PostgreSQL/, { database: 'PostgreSQL', reason: 'this is older than version 12' }],
];

/**
 * The dialect of a server with this version text.
 * @param version the result of `SELECT version()`
 * @throws TesseraError `storage_unsupported` for databases that can't hold a store
 */
export function dialectOf(version: string): SqlDialect {
  const found = VERSIONS.find(([pattern]) => pattern.test(version))?.[1];
  if (found === undefined)
    throw failure('storage_unsupported', { database: version.slice(0, 40), reason: 'it is unknown' });
  if ('reason' in found) throw failure('storage_unsupported', found);
  return found;
}

const VERSION: PreparedStatement = { name: 'version', text: 'SELECT version()' };

/**
 * Determines the server's dialect, and checks its settings.
 * @throws TesseraError `storage_unsupported`; Error of the server or the network
 */
export async function recognizeDialect(connection: PostgresConnection): Promise<SqlDialect> {
  const [row] = await connection.query(VERSION);
  const dialect = dialectOf(row?.[0] ?? '');
  await dialect.check(connection);
  return dialect;
}
