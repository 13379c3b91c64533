/** Spares most requests the lookup of their token among the revoked ones. */
import { andThen, type PromiseOrValue } from '../base/promise-or-value.js';
import { settingKey } from '../catalog/keys/store-keys.js';
import type { Transaction } from '../storage/contract.js';

/**
 * Whether any issued credential was ever revoked. Until then, no token has to be looked up in
 * the revocation list.
 */
export class RevocationFlag {
  /** Whether each token has to be looked up. */
  isSet = false;
  /** Whether the store has the flag. */
  #isStored = false;

  /** Reads the stored flag, when the store is opened. */
  load(transaction: Transaction): PromiseOrValue<void> {
    return andThen(transaction.get(settingKey('denials')), (stored) => {
      this.#isStored = stored === true;
      this.isSet ||= this.#isStored;
    });
  }

  /** Other nodes use the store, and may revoke something at any time: each token is looked up. */
  share(): void {
    this.isSet = true;
  }

  /** Applies from the commit on. */
  set(transaction: Transaction): void {
    if (this.#isStored) return;
    transaction.put(settingKey('denials'), true);
    transaction.afterCommit(() => {
      this.#isStored = true;
      this.isSet = true;
    });
  }
}
