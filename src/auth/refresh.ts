/**
 * Refresh tokens of access methods WITH REFRESH, with rotation (RFC 9700, section 4.14.2): each is used once, for a new
 * pair of tokens. Reuse indicates theft, so the whole family is revoked; but within the grace period it counts as a
 * race between requests of one client and is only denied.
 */
import { andThen, type PromiseOrValue } from '../base/promise-or-value.js';
import {
  type Grant,
  type Grants,
  generateGrant,
  isExpired,
  readGrantKey,
  secretMatches,
} from '../catalog/credentials/grant.js';
import { belongsTo, NO_INCARNATION } from '../catalog/credentials/incarnation.js';
import { RevocationList } from '../catalog/credentials/revocation-list.js';
import type { AccessDefinition } from '../catalog/definitions/definition.js';
import { type DatabasePath, recordSubject } from '../catalog/principal.js';
import { failure } from '../errors/error.js';
import { toText } from '../value/text/text.js';
import { datetimeNanoseconds, toDatetime } from '../value/time/datetime.js';
import type { AuthContext } from './context.js';
import type { IdentifiedRecord } from './directory.js';

/** Default grace period in seconds, in which a reused token counts as a lost race. */
export const REFRESH_GRACE_SECONDS = 10;

/** Issues the first refresh token of a family. */
export async function issueRefresh(
  context: AuthContext,
  databasePath: DatabasePath,
  access: AccessDefinition,
  record: IdentifiedRecord,
  issued: string,
): Promise<string> {
  const { grant, key } = draw(context, access, record, issued);
  await context.directory.grants(databasePath, access.name, (grants) => grants.put(grant));
  return key;
}

/** The record that a refresh token was issued for, and the token that replaces it. */
export interface Refreshed {
  readonly identified: IdentifiedRecord;
  readonly key: string;
}

export interface RefreshUse {
  readonly token: string;
  /** The record's text that the token must have been issued for, if the client names it. */
  readonly subject: string | undefined;
  /** The id of the access token issued with the replacement. */
  readonly issued: string;
}

/**
 * Consumes a refresh token.
 * @throws TesseraError `invalid_auth` if it is invalid or was used before
 */
export async function useRefresh(
  context: AuthContext,
  databasePath: DatabasePath,
  access: AccessDefinition,
  { token, subject, issued }: RefreshUse,
): Promise<Refreshed> {
  const refreshed = await onGrant(
    context,
    databasePath,
    access,
    { token, subject },
    (grants, grant, identified): Refreshed | undefined => {
      const now = context.environment.clock.now();
      const { revocation } = grant;
      if (revocation !== undefined) {
        const age = now - datetimeNanoseconds(revocation);
        const hasLostRace = age <= BigInt(context.refreshGraceSeconds) * 1_000_000_000n;
        if (grant.used === true && !hasLostRace) grants.revokeFamily(familyOf(grant), toDatetime(now));
        return undefined;
      }
      grants.put({ ...grant, revocation: toDatetime(now), used: true });
      const next = draw(context, access, identified, issued, familyOf(grant));
      grants.put(next.grant);
      return { identified, key: next.key };
    },
  );
  if (refreshed === undefined) throw failure('invalid_auth');
  return refreshed;
}

/**
 * Revokes a refresh token and its family.
 * @throws TesseraError `invalid_auth` if it is invalid
 */
export async function revokeRefresh(
  context: AuthContext,
  databasePath: DatabasePath,
  access: AccessDefinition,
  token: string,
  subject: string,
): Promise<void> {
  const revoked = await onGrant(context, databasePath, access, { token, subject }, (grants, grant) => {
    const now = toDatetime(context.environment.clock.now());
    if (grant.revocation === undefined) grants.put({ ...grant, revocation: now });
    grants.revokeFamily(familyOf(grant), now);
    return true;
  });
  if (revoked !== true) throw failure('invalid_auth');
}

/**
 * Runs `work` with the grant of a token, unless it belongs to another or deleted record, has expired, or was revoked
 * directly or with its family.
 */
function onGrant<T>(
  context: AuthContext,
  databasePath: DatabasePath,
  { name }: AccessDefinition,
  { token, subject }: { readonly token: string; readonly subject: string | undefined },
  work: (grants: Grants, grant: Grant, record: IdentifiedRecord) => T,
): PromiseOrValue<T | undefined> {
  const shown = readGrantKey('refresh', token);
  if (shown === undefined) return undefined;
  return context.directory.grants(databasePath, name, (grants, incarnationOf) =>
    andThen(grants.find(shown.id), (grant) => {
      if (grant?.subject.kind !== 'record' || !secretMatches(shown, grant)) return undefined;
      const { record, incarnation: named } = grant.subject;
      if (subject !== undefined && subject !== toText(record)) return undefined;
      if (isExpired(grant, context.environment.clock.now())) return undefined;
      const { token: issued, creation } = grant;
      const at = datetimeNanoseconds(creation);
      const handedOut = { token: issued, subject: recordSubject(record), at };
      return andThen(new RevocationList(grants.transaction, grants.area).isRevoked(handedOut), (denied) =>
        andThen(grants.familyRevocation(familyOf(grant)), (revoked) => {
          if (denied || revoked !== undefined) return undefined;
          return andThen(incarnationOf(record), (incarnation) =>
            incarnation !== undefined && belongsTo(incarnation, named, () => at)
              ? work(grants, grant, { id: record, incarnation })
              : undefined,
          );
        }),
      );
    }),
  );
}

function familyOf({ family, id }: Grant): string {
  return family ?? id;
}

function draw(
  { environment }: AuthContext,
  { name, durations }: AccessDefinition,
  { id, incarnation }: IdentifiedRecord,
  token: string,
  family?: string,
) {
  return generateGrant(environment, 'refresh', {
    access: name,
    subject: { kind: 'record', record: id, incarnation: incarnation?.id ?? NO_INCARNATION },
    lifetime: durations.grant,
    family,
    token,
  });
}
