/** The time limit of requests that the root user has set. */
import { andThen, type PromiseOrValue } from '../base/promise-or-value.js';
import { settingKey } from '../catalog/keys/store-keys.js';
import type { Transaction } from '../storage/contract.js';
import { Duration } from '../value/value.js';

/** The time limit of requests of ALTER SYSTEM QUERY_TIMEOUT: stored, and cached for each request. */
export class QueryTimeout {
  current: Duration | undefined = undefined;

  /** Reads the stored setting, when the store is opened. */
  load(transaction: Transaction): PromiseOrValue<void> {
    return andThen(transaction.get(settingKey('query-timeout')), (stored) => {
      this.current = stored instanceof Duration ? stored : undefined;
    });
  }

  /** Applies from the commit on; `undefined` means no limit. */
  set(transaction: Transaction, timeout: Duration | undefined): void {
    if (timeout === undefined) transaction.delete(settingKey('query-timeout'));
    else transaction.put(settingKey('query-timeout'), timeout);
    transaction.afterCommit(() => {
      this.current = timeout;
    });
  }
}
