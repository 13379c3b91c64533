/** What the claims of a session say for a link or a step that it begins. */
import { isArray, type ObjectValue } from '../../value/value.js';
import { type Assurance, assuranceBy } from '../assurance.js';

/** The id of the token that the session was signed in with. */
export function bearerToken({ jti }: ObjectValue): string | undefined {
  return typeof jti === 'string' ? jti : undefined;
}

/** What the session was proved by. A session of an older release has proved nothing that is known. */
export function assuranceIn({ amr, auth_time }: ObjectValue): Assurance {
  const methods = isArray(amr) ? amr.filter((method) => typeof method === 'string') : [];
  return assuranceBy(methods, BigInt(Number.isSafeInteger(auth_time) ? (auth_time as number) : 0) * 1_000_000_000n);
}
