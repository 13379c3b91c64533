import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import { settingKey } from '../../catalog/keys/store-keys.js';
import type { Transaction } from '../../storage/contract.js';
import { Duration } from '../../value/value.js';

/** How long a request may run, as ALTER SYSTEM QUERY_TIMEOUT says: kept in the store, and at hand for each request. */
export class QueryTimeout {
  #current: Duration | undefined;

  get current(): Duration | undefined {
    return this.#current;
  }

  /** Reads what the store says, when it is opened. */
  load(transaction: Transaction): PromiseOrValue<void> {
    return andThen(transaction.get(settingKey('query-timeout')), (stored) => {
      this.#current = stored instanceof Duration ? stored : undefined;
    });
  }

  /** Holds from the commit on; `undefined` is as long as it takes. */
  set(transaction: Transaction, timeout: Duration | undefined): void {
    if (timeout === undefined) transaction.delete(settingKey('query-timeout'));
    else transaction.put(settingKey('query-timeout'), timeout);
    transaction.afterCommit(() => {
      this.#current = timeout;
    });
  }
}
