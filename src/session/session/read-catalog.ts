import type { SessionIdentity } from '../../auth/identity.js';
import { andThen } from '../../base/promise-or-value.js';
import { RequestInterrupt } from '../../runtime/interrupt.js';
import type { CatalogSnapshot } from '../contract.js';
import type { Participant } from './held-transaction.js';
import type { SessionServices } from './services.js';
import type { SessionTransactions } from './transactions.js';

/** Reads the current definitions of the selected database, in a snapshot that the session can go on using. */
export async function readCatalog(
  { engine, executor, environment }: SessionServices,
  identity: SessionIdentity,
  transactions: SessionTransactions,
  session: Participant,
): Promise<CatalogSnapshot> {
  const transaction = await engine.begin({ writable: false });
  let isOurs = true;
  const release = () => {
    if (!isOurs) return;
    isOurs = false;
    transaction.cancel();
    session.settled(transaction, false);
  };
  try {
    const interrupt = RequestInterrupt.begin(environment);
    const catalog = await executor.execution({ transaction, identity, interrupt }).context.catalog();
    return {
      catalog,
      execute: (statements, variables, deadline) =>
        andThen(session.enter(), () => session.run(statements, { variables, deadline, held: transaction })),
      hold: () =>
        andThen(
          andThen(session.enter(), () => transactions.hold(identity, transaction, session)),
          (held) => {
            isOurs = false;
            return held;
          },
        ),
      release,
    };
  } catch (error) {
    release();
    throw error;
  }
}
