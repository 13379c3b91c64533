/** The identities that have run statements in a held transaction: their users were checked when the first one ran. */
import type { SessionIdentity } from '../../auth/identity.js';
import type { Transaction } from '../../storage/contract.js';

const identities = new WeakMap<Transaction, WeakSet<SessionIdentity>>();

/** Whether a statement has run as this identity in a held transaction. */
export function hasRunIn(held: Transaction, identity: SessionIdentity): boolean {
  return identities.get(held)?.has(identity) === true;
}

/** Records that a statement has run as this identity in a held transaction. */
export function noteRunIn(held: Transaction, identity: SessionIdentity): void {
  const known = identities.get(held);
  if (known === undefined) identities.set(held, new WeakSet([identity]));
  else known.add(identity);
}
