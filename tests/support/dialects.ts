import { POSTGRES, type SqlDialect, YUGABYTE } from '../../src/storage/postgres/dialect.js';

/** The dialect of YugabyteDB as far as PostgreSQL understands it: it refuses an order of keys, and has no such settings. */
export const yugabyteOnPostgres: SqlDialect = { ...YUGABYTE, keyOrder: '', settings: POSTGRES.settings };
