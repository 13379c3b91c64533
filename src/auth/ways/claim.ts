/** Whose record a proof is for, where no identity says it. */
import type { IdentityGrant } from '../../catalog/credentials/identity.js';
import { recordSubject } from '../../catalog/principal.js';
import type { AccessWay } from '../../language/ast.js';
import type { RecordId } from '../../value/value.js';
import type { IdentityRows } from '../directory.js';
import { providerTarget, readProviderSubject } from '../oidc/provider-target.js';

/**
 * The record that has proved a mail address in this database, if exactly one has: by mail, or at another provider whose
 * word is taken for it. What stands in a field of a record proves nothing, since users may write it.
 * @param access the access method that asks
 */
export async function recordOfAddress(
  rows: IdentityRows,
  access: string,
  address: string,
): Promise<RecordId | undefined> {
  const found = new Map<string, RecordId>();
  for (const identity of await rows.identities.ofAddress(address)) {
    if (!vouches(rows.way(identity.access), identity, access)) continue;
    const owner = await rows.owner(identity.access, identity.subject);
    if (owner !== undefined) found.set(recordSubject(owner.record), owner.record);
  }
  return found.size === 1 ? [...found.values()][0] : undefined;
}

/** Whether an identity proves its address still, as its access method is defined now. */
function vouches(way: AccessWay | undefined, { kind, access, subject }: IdentityGrant, asking: string): boolean {
  if (way?.kind !== kind) return false;
  if (way.kind === 'mail') return true;
  if (way.kind !== 'oidc' || !way.linksVerifiedEmail || access === asking) return false;
  return readProviderSubject(subject).issuer === providerTarget(way).issuer;
}
