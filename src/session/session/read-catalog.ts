import type { SessionIdentity } from '../../auth/identity.js';
import type { DatabaseCatalog } from '../../catalog/definitions/database-catalog.js';
import { RequestInterrupt } from '../../exec/runtime/interrupt.js';
import type { SessionServices } from './services.js';

/** The current definitions of the selected database; `undefined` if it doesn't exist. */
export async function readCatalog(
  { engine, executor, environment }: SessionServices,
  identity: SessionIdentity,
): Promise<DatabaseCatalog | undefined> {
  const transaction = await engine.begin({ writable: false });
  try {
    const interrupt = RequestInterrupt.begin(environment);
    return await executor.execution({ transaction, identity, interrupt }).context.catalog();
  } finally {
    transaction.cancel();
  }
}
