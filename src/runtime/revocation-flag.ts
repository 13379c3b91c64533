import { andThen, type PromiseOrValue } from '../base/promise-or-value.js';
import { settingKey } from '../catalog/keys/store-keys.js';
import type { Transaction } from '../storage/contract.js';

/**
 * Whether any issued credential was ever revoked. Until then, no token has to be looked up in
 * the revocation list.
 */
export class RevocationFlag {
  #isSet = false;
  #isShared = false;

  get isSet(): boolean {
    return this.#isSet || this.#isShared;
  }

  /** Reads the stored flag, when the store is opened. */
  load(transaction: Transaction): PromiseOrValue<void> {
    return andThen(transaction.get(settingKey('denials')), (stored) => {
      this.#isSet = stored === true;
    });
  }

  /** Other nodes use the store, and may revoke something at any time: each token is looked up. */
  share(): void {
    this.#isShared = true;
  }

  /** Applies from the commit on. */
  set(transaction: Transaction): void {
    if (this.#isSet) return;
    transaction.put(settingKey('denials'), true);
    transaction.afterCommit(() => {
      this.#isSet = true;
    });
  }
}
