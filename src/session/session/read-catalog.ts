import type { SessionIdentity } from '../../auth/identity.js';
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import { RequestInterrupt } from '../../exec/runtime/interrupt.js';
import type { Transaction } from '../../storage/contract.js';
import type { CatalogSnapshot, HeldTransaction } from '../contract.js';
import type { SessionServices } from './services.js';

/** Reads the current definitions of the selected database. `hold` makes a held transaction of the snapshot. */
export async function readCatalog(
  { engine, executor, environment }: SessionServices,
  identity: SessionIdentity,
  hold: (transaction: Transaction) => PromiseOrValue<HeldTransaction>,
): Promise<CatalogSnapshot> {
  const transaction = await engine.begin({ writable: false });
  let isOurs = true;
  const release = () => {
    if (isOurs) transaction.cancel();
    isOurs = false;
  };
  try {
    const interrupt = RequestInterrupt.begin(environment);
    const catalog = await executor.execution({ transaction, identity, interrupt }).context.catalog();
    const handOver = () =>
      andThen(hold(transaction), (held) => {
        isOurs = false;
        return held;
      });
    return { catalog, hold: handOver, release };
  } catch (error) {
    release();
    throw error;
  }
}
