/** The identities that have run statements in a held transaction: their users were checked when the first one ran. */
import type { SessionIdentity } from '../../auth/identity.js';
import type { Transaction } from '../../storage/contract.js';

const identities = new WeakMap<Transaction, WeakSet<SessionIdentity>>();

export function hasRunIn(held: Transaction, identity: SessionIdentity): boolean {
  return identities.get(held)?.has(identity) === true;
}

export function noteRunIn(held: Transaction, identity: SessionIdentity): void {
  const known = identities.get(held);
  if (known === undefined) identities.set(held, new WeakSet([identity]));
  else known.add(identity);
}
