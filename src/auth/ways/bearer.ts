/** What the claims of a session say for a link or a step that it begins. */
import type { IssuedCredential } from '../../catalog/credentials/revocation-list.js';
import type { StartPurpose } from '../../catalog/credentials/sign-in-request.js';
import { failure } from '../../errors/error.js';
import { isArray, isObject, type ObjectValue, type RecordId, type Value } from '../../value/value.js';
import { type Assurance, assertRecentSignIn, assuranceBy } from '../assurance.js';
import type { AuthContext } from '../context.js';
import type { SessionIdentity } from '../identity.js';
import type { StartBody } from './start-body.js';

/** What the session was signed in with: when it is revoked, so is what the session has begun. */
export function credentialOf({ jti, IDN }: ObjectValue): Pick<IssuedCredential, 'token' | 'identity'> {
  return { token: textOf(jti), identity: textOf(IDN) };
}

/** Whether its token is over at `now`, in nanoseconds since 1970. */
export function hasExpired({ exp }: ObjectValue, now: bigint): boolean {
  return Number.isSafeInteger(exp) && BigInt(exp as number) * 1_000_000_000n <= now;
}

function textOf(claim: Value): string | undefined {
  return typeof claim === 'string' ? claim : undefined;
}

/** What the session was proved by. A session of an older release has proved nothing that is known. */
export function assuranceIn({ amr, auth_time, idp }: ObjectValue): Assurance {
  const methods = isArray(amr) ? amr.filter((method) => typeof method === 'string') : [];
  const at = BigInt(Number.isSafeInteger(auth_time) ? (auth_time as number) : 0) * 1_000_000_000n;
  return { ...assuranceBy(methods, at), idp: isObject(idp) ? idp : undefined };
}

/** What a request is for, and on which session it rests. */
export interface Purpose {
  readonly purpose: StartPurpose;
  /** The record that is signed in, for a link or step, and the claims of its session. */
  readonly own: RecordId | undefined;
  readonly bearer: ObjectValue | undefined;
}

/** @throws TesseraError `record_user_required`, `recent_sign_in_required` */
export function purposeOf({ environment }: AuthContext, { link, step }: StartBody, identity: SessionIdentity): Purpose {
  if (!link && !step) return { purpose: 'sign-in', own: undefined, bearer: undefined };
  const { principal, token } = identity;
  if (principal.kind !== 'record' || !isObject(token)) throw failure('record_user_required');
  if (link) assertRecentSignIn(identity, environment.clock);
  return { purpose: link ? 'link' : 'step', own: principal.id, bearer: token };
}
