/** What the claims of a session say for a link or a step that it begins. */
import type { IssuedCredential } from '../../catalog/credentials/revocation-list.js';
import { isArray, type ObjectValue, type Value } from '../../value/value.js';
import { type Assurance, assuranceBy } from '../assurance.js';

/** What the session was signed in with: when it is revoked, so is what the session has begun. */
export function credentialOf({ jti, IDN }: ObjectValue): Pick<IssuedCredential, 'token' | 'identity'> {
  return { token: textOf(jti), identity: textOf(IDN) };
}

function textOf(claim: Value): string | undefined {
  return typeof claim === 'string' ? claim : undefined;
}

/** What the session was proved by. A session of an older release has proved nothing that is known. */
export function assuranceIn({ amr, auth_time }: ObjectValue): Assurance {
  const methods = isArray(amr) ? amr.filter((method) => typeof method === 'string') : [];
  return assuranceBy(methods, BigInt(Number.isSafeInteger(auth_time) ? (auth_time as number) : 0) * 1_000_000_000n);
}
