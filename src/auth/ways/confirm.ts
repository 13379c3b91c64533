/**
 * Links by mail. A link leads to the confirm page, which changes nothing when it is read, so that scanners of mails use
 * nothing up; its button makes a code of it that only the browser which began can redeem, since that has the verifier.
 */
import { type GrantKey, isExpired, readGrantKey, secretMatches } from '../../catalog/credentials/grant.js';
import { drawRequestName, isOver, type SignInRequest } from '../../catalog/credentials/sign-in-request.js';
import type { DatabasePath } from '../../catalog/principal.js';
import { failure } from '../../errors/error.js';
import { toDatetime } from '../../value/time/datetime.js';
import { newObject } from '../../value/value.js';
import type { AuthContext } from '../context.js';
import type { IdentityRows } from '../directory.js';
import { CODE_LIFETIME, type Onward, onward } from './addresses.js';
import { mailIdentity } from './mail-identity.js';

export function linkPointer(link: string): string {
  return JSON.stringify(['link', link]);
}

/**
 * Makes a one-time code of a link, with which the app takes over.
 * @param link what stands behind `#` in a mailed link, without the code that may follow it
 * @throws TesseraError `invalid_auth` for a link that is wrong, used or too old
 */
export async function confirmLink(
  context: AuthContext,
  databasePath: DatabasePath,
  access: string,
  link: string,
): Promise<Onward> {
  const code = drawRequestName(context.environment.random);
  const invitation = readGrantKey('invitation', link);
  const led = await context.directory.proving(databasePath, async (rows) => {
    const now = context.environment.clock.now();
    const request = await (invitation === undefined
      ? openRequest(rows, access, link, now)
      : invited(rows, access, invitation, now));
    if (request?.redirect === undefined) return undefined;
    const expires = toDatetime(now + CODE_LIFETIME);
    await rows.requests.put(code, { ...request, expires, proved: true, tries: 0, code: undefined });
    return onward(request, request.redirect, { code, access });
  });
  if (led === undefined) throw failure('invalid_auth');
  return led;
}

/** A request that a link has proved. It is as old as it was: what was revoked meanwhile stays so. */
type Proved = Omit<SignInRequest, 'pointers' | 'expires' | 'tries'>;

async function openRequest(rows: IdentityRows, access: string, link: string, now: bigint): Promise<Proved | undefined> {
  const request = await rows.requests.pointedTo(linkPointer(link));
  if (request === undefined || request.access !== access || isOver(request, now)) return undefined;
  await rows.requests.removePointedTo(linkPointer(link));
  return request;
}

/** An invitation is a grant that is used once. No client has begun it, so that its code needs no verifier. */
async function invited(rows: IdentityRows, access: string, key: GrantKey, now: bigint): Promise<Proved | undefined> {
  const grants = rows.grants(access);
  const grant = await grants.find(key.id);
  if (grant?.address === undefined || grant.subject.kind !== 'record' || !secretMatches(key, grant)) return undefined;
  if (grant.revocation !== undefined || isExpired(grant, now)) return undefined;
  const { record, incarnation } = grant.subject;
  if ((await rows.incarnationOf(record))?.id !== incarnation) return undefined;
  grants.put({ ...grant, revocation: toDatetime(now), used: true });
  return {
    access,
    kind: 'mail',
    purpose: 'sign-in',
    subject: grant.address,
    identity: mailIdentity(grant.address),
    redirect: rows.app.redirects[0],
    variables: newObject(),
    record,
    incarnation,
    created: grant.creation,
  };
}
