/** Requests of second factors, which a record user begins who is signed in: to enrol one, or to prove it (a step). */
import { drawRequestName, type StartPurpose } from '../../catalog/credentials/sign-in-request.js';
import { failure } from '../../errors/error.js';
import { toText } from '../../value/text/text.js';
import { toDatetime } from '../../value/time/datetime.js';
import { isArray, newObject, type ObjectValue, type RecordId } from '../../value/value.js';
import type { AuthContext } from '../context.js';
import type { SessionIdentity } from '../identity.js';
import { purposeOf } from '../ways/bearer.js';
import { assertFewOpen, sourceDigest } from '../ways/open-requests.js';
import type { StartBody } from '../ways/start-body.js';
import type { StartedRequest, WayPlace } from '../ways/way.js';

/** How long a code is waited for. */
export const LIFETIME = 600_000_000_000n;

/** Who begins a request, and what for. */
export interface OwnRequest {
  readonly purpose: Exclude<StartPurpose, 'sign-in'>;
  readonly record: RecordId;
  /** The claims of the session. */
  readonly bearer: ObjectValue;
  readonly source: string | undefined;
}

/**
 * A second factor alone signs no one in. The session must have been proved here, since the new tokens are those of the
 * access method by which it came in.
 * @throws TesseraError `record_user_required`, `recent_sign_in_required`
 */
export function ownRequest(context: AuthContext, body: StartBody, identity: SessionIdentity): OwnRequest {
  const { purpose, own, bearer } = purposeOf(context, body, identity);
  if (purpose === 'sign-in' || own === undefined || bearer === undefined) throw failure('record_user_required');
  if (!isArray(bearer['amr'])) throw failure('recent_sign_in_required');
  return { purpose, record: own, bearer, source: sourceDigest(identity.origin.ip) };
}

/**
 * Begins the request, which ends a former one of the record for the same.
 * @throws TesseraError `identity_missing` for a step without such a factor; `rate_limited`, `invalid_auth`
 */
export async function beginOwn(
  context: AuthContext,
  place: WayPlace,
  { challenge }: StartBody,
  { purpose, record, bearer, source }: OwnRequest,
  kept?: ObjectValue,
): Promise<StartedRequest> {
  await assertFewOpen(context, place, source);
  const { environment, directory } = context;
  const { name: access, accessKind } = place.access;
  const kind = accessKind.way?.kind;
  const name = drawRequestName(environment.random);
  const subject = toText(record);
  const begun = await directory.proving(place.databasePath, async (rows) => {
    const incarnation = await rows.incarnationOf(record);
    if (incarnation === undefined) return undefined;
    if (purpose === 'step' && (await rows.owner(access, subject)) === undefined)
      throw failure('identity_missing', { access });
    const now = environment.clock.now();
    const expires = now + LIFETIME;
    const request = {
      access,
      kind,
      purpose,
      subject,
      challenge,
      variables: newObject(),
      record,
      incarnation: incarnation.id,
      bearer,
      kept,
      source,
      created: toDatetime(now),
      expires: toDatetime(expires),
      tries: 0,
    };
    const pointer = JSON.stringify(['factor', access, purpose, subject]);
    await rows.requests.removePointedTo(pointer);
    await rows.requests.put(name, request, [pointer]);
    return { request: name, expires };
  });
  if (begun === undefined) throw failure('invalid_auth');
  return begun;
}
