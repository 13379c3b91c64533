/** How the subject of an identity is shown. */
import type { IdentityGrant } from '../../catalog/credentials/identity.js';
import { readProviderSubject } from '../oidc/provider-target.js';

export interface ShownSubject {
  readonly subject: string;
  /** Of a provider. */
  readonly issuer: string | undefined;
}

/** The subject of an identity as users read it, and its issuer, if it has one. */
export function shownSubject({ kind, subject }: Pick<IdentityGrant, 'kind' | 'subject'>): ShownSubject {
  if (kind !== 'oidc' && kind !== 'oauth') return { subject, issuer: undefined };
  const { issuer, sub } = readProviderSubject(subject);
  return { subject: sub, issuer };
}
