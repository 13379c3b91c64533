/** What the claims of a session say for a link or a step that it begins. */
import type { IssuedCredential } from '../../catalog/credentials/revocation-list.js';
import type { StartPurpose } from '../../catalog/credentials/sign-in-request.js';
import { keyMark } from '../../catalog/credentials/signing-key.js';
import { failure } from '../../errors/error.js';
import { isArray, isObject, type ObjectValue, objectFrom, type RecordId, type Value } from '../../value/value.js';
import { type Assurance, assertRecentSignIn, assuranceBy } from '../assurance.js';
import type { AuthContext } from '../context.js';
import type { IdentityRows } from '../directory.js';
import type { SessionIdentity } from '../identity.js';
import { issueTime } from '../tokens/claims.js';
import type { StartBody } from './start-body.js';

/** What a session was signed in with: when it is revoked, so is what the session has begun. */
interface BearerCredential extends Pick<IssuedCredential, 'token' | 'identity' | 'at'> {
  /** The access method that has issued it. */
  readonly access?: string | undefined;
  /** Its family of refresh tokens. */
  readonly family?: string | undefined;
  /** The mark of the key of the access method (`keyMarks`); absent in requests of older releases. */
  readonly key?: string | undefined;
}

/** @param bearer the claims of a session, as `purposeOf` keeps them */
export function credentialOf({ iat, jti, IDN, AC, GR, KEY }: ObjectValue): BearerCredential {
  const at = issueTime(typeof iat === 'number' ? iat : 0, jti);
  return { token: textOf(jti), identity: textOf(IDN), at, access: textOf(AC), family: textOf(GR), key: textOf(KEY) };
}

/** Whether its access method still verifies what the session was signed in with, and its family wasn't revoked. */
export async function isInForce(
  rows: IdentityRows,
  { access = '', family, key }: Pick<BearerCredential, 'access' | 'family' | 'key'>,
): Promise<boolean> {
  if (key !== undefined && !rows.keyMarks(access).includes(key)) return false;
  return family === undefined || (await rows.grants(access).familyRevocation(family)) === undefined;
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
  /** The record that is signed in, for a link or step, and the claims of its session, with the mark of their key. */
  readonly own: RecordId | undefined;
  readonly bearer: ObjectValue | undefined;
}

/** @throws TesseraError `record_user_required`, `recent_sign_in_required` */
export function purposeOf({ environment }: AuthContext, { link, step }: StartBody, identity: SessionIdentity): Purpose {
  if (!link && !step) return { purpose: 'sign-in', own: undefined, bearer: undefined };
  const {
    principal,
    token,
    signedIn: { basis },
  } = identity;
  if (principal.kind !== 'record' || !isObject(token)) throw failure('record_user_required');
  if (link) assertRecentSignIn(identity, environment.clock);
  const key = basis?.kind === 'access' ? keyMark(basis.access.accessKind) : undefined;
  return { purpose: link ? 'link' : 'step', own: principal.id, bearer: objectFrom({ ...token, KEY: key }) };
}
