import { type Dialect, POSTGRES, YUGABYTE } from '../../src/storage/engines/postgres/dialect.js';

/** The dialect of YugabyteDB as far as PostgreSQL understands it: it refuses an order of keys, and has no such settings. */
export const yugabyteOnPostgres: Dialect = { ...YUGABYTE, keyOrder: '', settings: POSTGRES.settings };
