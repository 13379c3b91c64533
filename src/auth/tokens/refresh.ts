/**
 * Refresh tokens of access methods WITH REFRESH, with rotation (RFC 9700, section 4.14.2): each is used once, for a new
 * pair of tokens. Reuse indicates theft, so the whole family is revoked, access tokens and sessions included; but
 * within the grace period it counts as a race between two tabs of one client, and both get the same pair.
 */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import {
  drawSeed,
  type Grant,
  type Grants,
  generateGrant,
  grantKeyText,
  isExpired,
  readGrantKey,
  secretMatches,
  successorSecret,
} from '../../catalog/credentials/grant.js';
import { belongsTo, NO_INCARNATION } from '../../catalog/credentials/incarnation.js';
import { RevocationList } from '../../catalog/credentials/revocation-list.js';
import type { AccessDefinition } from '../../catalog/definitions/definition.js';
import { type DatabasePath, recordSubject } from '../../catalog/principal.js';
import { failure } from '../../errors/error.js';
import { toText } from '../../value/text/text.js';
import { datetimeNanoseconds, toDatetime } from '../../value/time/datetime.js';
import { type Assurance, assuranceBy } from '../assurance.js';
import type { AuthContext } from '../context.js';
import type { IdentifiedRecord } from '../directory.js';
import type { DrawnToken } from './tokens.js';

/** Default grace period in seconds, in which a reused token counts as a lost race. */
export const REFRESH_GRACE_SECONDS = 10;

/** A refresh token, and the access token that is issued with it. */
export interface RefreshPair {
  readonly key: string;
  readonly family: string;
  /** The access token; both are issued at its time. */
  readonly token: DrawnToken;
  /** What the sign-in of the family was proved by; absent for those of older releases. */
  readonly assurance: Assurance | undefined;
  /** The id of the identity that it was signed in by, if any. */
  readonly identity: string | undefined;
}

/** What a refresh token is issued for. */
interface RefreshContent {
  readonly identified: IdentifiedRecord;
  readonly assurance: Assurance | undefined;
  readonly identity?: string | undefined;
  /** The access token that is issued with it. */
  readonly token: DrawnToken;
}

/** The first refresh token of a family, which `keep` stores. */
export function firstRefresh(
  context: AuthContext,
  databasePath: DatabasePath,
  access: AccessDefinition,
  content: RefreshContent,
): { readonly pair: RefreshPair; keep(): PromiseOrValue<unknown> } {
  const { grant, key } = draw(context, access, content);
  const keep = () => context.directory.grants(databasePath, access.name, (grants) => grants.put(grant));
  return { pair: pairOf(grant, key), keep };
}

/** The record that a refresh token was issued for, and the pair that replaces its own. */
export interface Refreshed {
  readonly identified: IdentifiedRecord;
  readonly pair: RefreshPair;
}

export interface RefreshUse {
  readonly token: string;
  /** The record's text that the token must have been issued for, if the client names it. */
  readonly subject: string | undefined;
  /** The access token issued with the replacement. */
  readonly issued: DrawnToken;
}

/**
 * Consumes a refresh token. Within the grace period a used one gives the pair that replaced its own, or the latest of
 * its successors.
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
    ({ grants, grant, secret, identified, endSessions }): PromiseOrValue<Refreshed | undefined> => {
      const now = context.environment.clock.now();
      const { revocation } = grant;
      if (revocation === undefined) {
        const seed = drawSeed(context.environment.random);
        const content = { identified, assurance: assuranceIn(grant), identity: grant.signedInBy, token: issued };
        const next = draw(context, access, content, {
          family: familyOf(grant),
          secret: successorSecret(secret, seed),
        });
        const successor = { id: next.grant.id, seed };
        grants.put({ ...grant, revocation: toDatetime(now), used: true, successor });
        grants.put(next.grant);
        return { identified, pair: pairOf(next.grant, next.key) };
      }
      if (grant.used !== true) return undefined;
      const age = now - datetimeNanoseconds(revocation);
      if (age <= BigInt(context.refreshGraceSeconds) * 1_000_000_000n) {
        return andThen(latestOf(grants, grant, secret), (pair) => pair && { identified, pair });
      }
      grants.revokeFamily(familyOf(grant), toDatetime(now));
      endSessions();
      return undefined;
    },
  );
  if (refreshed === undefined) throw failure('invalid_auth');
  return refreshed;
}

/** Successors that are followed: a client uses a token of an hour once within ten seconds. */
const MOST_SUCCESSORS = 16;

/** The pair of the last successor of a used token, the only one that wasn't used yet; `undefined` if it was revoked. */
async function latestOf(
  grants: Grants,
  { successor }: Grant,
  secret: string,
  left = MOST_SUCCESSORS,
): Promise<RefreshPair | undefined> {
  if (successor === undefined || left === 0) return undefined;
  const next = await grants.find(successor.id);
  if (next === undefined) return undefined;
  const nextSecret = successorSecret(secret, successor.seed);
  if (next.used === true) return latestOf(grants, next, nextSecret, left - 1);
  if (next.revocation !== undefined) return undefined;
  const pair = pairOf(next, grantKeyText('refresh', { id: next.id, secret: nextSecret }));
  const revoked = await isRevoked(grants, next);
  return revoked ? undefined : pair;
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
  const revoked = await onGrant(context, databasePath, access, { token, subject }, ({ grants, grant, endSessions }) => {
    const now = toDatetime(context.environment.clock.now());
    if (grant.revocation === undefined) grants.put({ ...grant, revocation: now });
    grants.revokeFamily(familyOf(grant), now);
    endSessions();
    return true;
  });
  if (revoked !== true) throw failure('invalid_auth');
}

/** The grant of a refresh token that its bearer has shown. */
interface ShownGrant {
  readonly grants: Grants;
  readonly grant: Grant;
  readonly secret: string;
  readonly identified: IdentifiedRecord;
  /** Ends the sessions that were opened by the family, once it is revoked. */
  endSessions(): void;
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
  work: (shown: ShownGrant) => PromiseOrValue<T>,
): PromiseOrValue<T | undefined> {
  const shown = readGrantKey('refresh', token);
  if (shown === undefined) return undefined;
  return context.directory.grants(databasePath, name, async (grants, incarnationOf, endSessions) => {
    const grant = await grants.find(shown.id);
    if (grant?.subject.kind !== 'record' || !secretMatches(shown, grant)) return undefined;
    const { record, incarnation: named } = grant.subject;
    if (subject !== undefined && subject !== toText(record)) return undefined;
    if (isExpired(grant, context.environment.clock.now())) return undefined;
    const at = datetimeNanoseconds(grant.creation);
    const denied = await isRevoked(grants, grant);
    const revoked = await grants.familyRevocation(familyOf(grant));
    if (denied || revoked !== undefined) return undefined;
    const incarnation = await incarnationOf(record);
    return incarnation !== undefined && belongsTo(incarnation, named, () => at)
      ? work({ grants, grant, secret: shown.secret, identified: { id: record, incarnation }, endSessions })
      : undefined;
  });
}

/** Whether the access token of a pair was revoked, or all of its record's. */
function isRevoked(
  { transaction, area }: Grants,
  { token, creation, subject, signedInBy }: Grant,
): PromiseOrValue<boolean> {
  if (subject.kind !== 'record') return false;
  const at = datetimeNanoseconds(creation);
  const credential = { token, identity: signedInBy, subject: recordSubject(subject.record), at };
  return new RevocationList(transaction, area).isRevoked(credential);
}

function pairOf(grant: Grant, key: string): RefreshPair {
  const { token: id = '', creation } = grant;
  const token = { id, at: datetimeNanoseconds(creation) };
  return { key, family: familyOf(grant), token, assurance: assuranceIn(grant), identity: grant.signedInBy };
}

function assuranceIn({ proved }: Grant): Assurance | undefined {
  return proved && { ...assuranceBy(proved.amr, datetimeNanoseconds(proved.at)), idp: proved.idp };
}

function familyOf({ family, id }: Grant): string {
  return family ?? id;
}

function draw(
  { environment }: AuthContext,
  { name, durations }: AccessDefinition,
  { identified: { id, incarnation }, assurance, identity, token }: RefreshContent,
  { family, secret }: { readonly family?: string; readonly secret?: string } = {},
) {
  return generateGrant(environment, 'refresh', {
    access: name,
    subject: { kind: 'record', record: id, incarnation: incarnation?.id ?? NO_INCARNATION },
    lifetime: durations.grant,
    family,
    token: token.id,
    at: token.at,
    signedInBy: identity,
    proved: assurance && { amr: assurance.amr, at: toDatetime(assurance.at), idp: assurance.idp },
    secret,
  });
}
