/** Removes sign-in requests that have run out. */
import { SignInRequests } from '../../catalog/credentials/sign-in-request.js';
import { entriesOf } from '../../catalog/entries.js';
import type { Id } from '../../catalog/keys/key-bytes.js';
import { databaseOfSignIns, SIGN_IN_DATABASES_RANGE } from '../../catalog/keys/store-keys.js';
import type { Environment } from '../../env/environment.js';
import { RequestInterrupt } from '../../runtime/interrupt.js';
import type { Transaction } from '../../storage/contract.js';
import type { Prunable } from './retention.js';

/** Requests removed in a transaction. */
const AT_ONCE = 1_000;

interface SignInDatabase {
  readonly id: Id;
}

export class SignInRetention implements Prunable<SignInDatabase> {
  readonly #environment: Environment;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  async databases(transaction: Transaction): Promise<readonly SignInDatabase[]> {
    const marked = await entriesOf(transaction, SIGN_IN_DATABASES_RANGE);
    return marked.map(([key]) => ({ id: databaseOfSignIns(key) }));
  }

  prune(transaction: Transaction, { id }: SignInDatabase): Promise<boolean> {
    const work = RequestInterrupt.begin(this.#environment);
    return new SignInRequests(transaction, id).sweep(this.#environment.clock.now(), AT_ONCE, work);
  }
}
