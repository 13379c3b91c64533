/** Removes sign-in requests that have run out. */
import { SignInRequests } from '../../catalog/credentials/sign-in-request.js';
import { entriesOf } from '../../catalog/entries.js';
import type { Id } from '../../catalog/keys/key-bytes.js';
import { databaseOfSignIns, SIGN_IN_DATABASES_RANGE } from '../../catalog/keys/store-keys.js';
import type { Clock } from '../../env/environment.js';
import type { Transaction } from '../../storage/contract.js';
import type { Prunable } from './retention.js';

/** Requests removed in a transaction. */
const AT_ONCE = 1_000;

interface SignInDatabase {
  readonly id: Id;
}

export class SignInRetention implements Prunable<SignInDatabase> {
  readonly #clock: Pick<Clock, 'now'>;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  async databases(transaction: Transaction): Promise<readonly SignInDatabase[]> {
    const marked = await entriesOf(transaction, SIGN_IN_DATABASES_RANGE);
    return marked.map(([key]) => ({ id: databaseOfSignIns(key) }));
  }

  prune(transaction: Transaction, { id }: SignInDatabase): Promise<boolean> {
    return new SignInRequests(transaction, id).sweep(this.#clock.now(), AT_ONCE);
  }
}
