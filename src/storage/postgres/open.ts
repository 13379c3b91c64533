/** Opens a store in PostgreSQL: address and options become a store and the engine over it. */
import { randomBytes } from 'node:crypto';
import type { Clock, Timers } from '../../env/environment.js';
import { realEnvironment } from '../../env/real.js';
import type { Key } from '../contract.js';
import { RemoteEngine } from '../remote/remote-engine.js';
import { readPostgresAddress } from './address.js';
import type { SqlDialect } from './dialect.js';
import { PostgresStore } from './store.js';

export interface OpenPostgresOptions {
  /** Describes the data under a key for error texts: its kind and location, without its content. */
  readonly describeKey?: (key: Key) => string;
  /** No other process may have it open meanwhile. Default: other servers may. */
  readonly exclusive?: boolean;
  /** The store must be there already; its schema isn't made. */
  readonly readOnly?: boolean;
  /** The server's dialect. Default: determined by its version. */
  readonly dialect?: SqlDialect;
  readonly clock?: Clock;
  readonly timers?: Timers;
}

/**
 * Opens the store in a PostgreSQL database, making its schema if there is none.
 * @throws TesseraError `storage_address`, `storage_denied`, `storage_in_use`, `storage_format`, `storage_unsupported`,
 * `storage_unavailable`
 */
export async function openPostgres(address: string, options: OpenPostgresOptions = {}): Promise<RemoteEngine> {
  const { clock = realEnvironment.clock, timers = realEnvironment.timers, describeKey = () => 'An entry' } = options;
  const store = await PostgresStore.open({
    ...readPostgresAddress(address),
    node: randomBytes(8).readBigInt64BE(),
    describeKey,
    timers,
    dialect: options.dialect,
    exclusive: options.exclusive,
    readOnly: options.readOnly,
  });
  return new RemoteEngine(store, { clock, timers });
}
