/** The identities that have run statements in a held transaction: their users were checked when the first one ran. */
import type { SessionIdentity } from '../../auth/identity.js';

export class HeldIdentities {
  /** Mostly there is one. */
  #first: SessionIdentity | undefined;
  /** Weak, since each USE makes another. */
  #others: WeakSet<SessionIdentity> | undefined;

  has(identity: SessionIdentity): boolean {
    return this.#first === identity || this.#others?.has(identity) === true;
  }

  add(identity: SessionIdentity): void {
    if (this.#first === undefined) this.#first = identity;
    else {
      this.#others ??= new WeakSet();
      this.#others.add(identity);
    }
  }
}
