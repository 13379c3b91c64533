import type { Network } from '../../src/env/network.js';
import { realEnvironment } from '../../src/env/real.js';
import type { Session } from '../../src/session/contract.js';
import { type OpenDatabase, openDatabase } from '../../src/session/database/database.js';
import type { DatabaseOptions } from '../../src/session/database/options.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import type { Value } from '../../src/value/value.js';
import { StubbedEnvironment } from './environment.js';

/** A database in memory with its owner at `test` / `test`, for tests of signing in. */
export interface Owned {
  /** Its clock stands still until the test moves it; what waits, waits for real. */
  readonly environment: StubbedEnvironment;
  readonly database: OpenDatabase;
  readonly owner: Session;
  /** The value of the last statement, run as owner; the first error is thrown. */
  value(text: string): Promise<Value>;
}

export interface OwnedOptions extends DatabaseOptions {
  readonly engine?: MemoryEngine;
  readonly internet?: Network;
}

/** Failed sign-ins are answered at once. */
export async function openOwned({
  engine = new MemoryEngine(),
  internet,
  ...options
}: OwnedOptions = {}): Promise<Owned> {
  const environment = new StubbedEnvironment();
  const { clock, random } = environment;
  const network = internet ?? environment.network;
  const database = await openDatabase(engine, {
    environment: { ...realEnvironment, clock, random, network },
    authentication: { failureDelay: { minimum: 0, step: 1, maximum: 1 } },
    ...options,
  });
  const owner = database.ownerSession();
  await owner.use('test', 'test');
  const value = async (text: string): Promise<Value> => {
    const results = await owner.query(text);
    for (const { outcome } of results) if (!outcome.ok) throw outcome.error;
    const last = results.at(-1)?.outcome;
    return last?.ok ? last.value : undefined;
  };
  return { environment, database, owner, value };
}
