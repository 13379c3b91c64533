/**
 * Redeems sign-in requests: what was proved becomes a record user, an identity of the one who began, or one more proof
 * of a session. A request is read and removed in one transaction, so that of many who redeem it at once one gets in.
 */
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import { drawIdentityId, type IdentityGrant } from '../../catalog/credentials/identity.js';
import { isOver, type SignInRequest } from '../../catalog/credentials/sign-in-request.js';
import { recordSubject } from '../../catalog/principal.js';
import { failure, TesseraError } from '../../errors/error.js';
import type { AccessWay } from '../../language/ast.js';
import { quoteString } from '../../value/text/quote.js';
import { datetimeNanoseconds, toDatetime } from '../../value/time/datetime.js';
import { newObject, objectFrom, type RecordId, type Value } from '../../value/value.js';
import { type Assurance, assuranceBy, assuranceOf, type Proof, withProof } from '../assurance.js';
import type { AuthContext } from '../context.js';
import type { AccessCredentials } from '../credentials.js';
import type { IdentifiedRecord, IdentityRows } from '../directory.js';
import { type Client, guestIdentity } from '../identity.js';
import { judged } from '../kinds/clause-errors.js';
import { factorsOf, isSecondFactor, isWayIn } from '../second-factor/factors.js';
import type { DrawnToken } from '../tokens/tokens.js';
import { assuranceIn, credentialOf, hasExpired, isInForce } from './bearer.js';
import { verifies } from './challenge.js';
import { addedMail, changedMail, factorAddedMail } from './mail-text.js';
import { tell, tellOthers } from './notices.js';
import { type ProofCall, type Proven, textIn, type WayAccess } from './way.js';
import { wayRow } from './ways.js';

/** Who has proved to be which record, and how well. */
export interface RedeemedRecord {
  readonly identified: IdentifiedRecord;
  readonly assurance: Assurance;
  /** The id of the identity that was signed in by; absent after a password. */
  readonly identity: string | undefined;
  /** The access method that issues the tokens, if not the one that was proved at: that of the first proof. */
  readonly issuer?: string | undefined;
  /** Whether no second proof is due: it was given, or the session only goes on. */
  readonly isWhole: boolean;
}

/** What ends a redemption without a proof being judged. */
interface Locked {
  readonly lockedFor: bigint;
}

/** A request that was right, for a subject that no record has. */
interface Unclaimed {
  readonly request: SignInRequest;
  readonly proven: Proven;
}

/**
 * Signs in with `request` and what proves it, such as a mailed `code`, or with `code` and `verifier`, after a page of
 * the server.
 * @throws TesseraError `invalid_auth` for everything that is wrong; `too_many_attempts` after too many wrong second
 * proofs of the record; what SIGNUP throws
 */
export async function redeem(
  context: AuthContext,
  access: WayAccess,
  way: AccessWay,
  credentials: AccessCredentials,
  client: Client,
  token: DrawnToken,
): Promise<RedeemedRecord> {
  const { variables: shown, challenge: page } = credentials;
  const { request, code } = shown;
  const named = request === undefined ? { name: code, isPage: true } : { name: request, isPage: code === undefined };
  const redeemed = await context.directory.proving(credentials.databasePath, (rows) =>
    take({ context, rows, access, way, shown, page }, named),
  );
  if (redeemed === undefined) throw failure('invalid_auth');
  if (redeemed instanceof TesseraError) throw failure('invalid_auth', undefined, { cause: redeemed });
  if ('lockedFor' in redeemed)
    throw failure('too_many_attempts', { retryAfter: Math.ceil(Number(redeemed.lockedFor) / 1e9) });
  return 'request' in redeemed ? signUp(context, access, way, redeemed, credentials, client, token) : redeemed;
}

interface Redeeming extends Omit<ProofCall<AccessWay>, 'name' | 'request'> {
  /** Of the page of the server: the challenge of the app for which it redeems. */
  readonly page: string | undefined;
}

/** By what a client names a request, and whether a page has proved it. */
interface Named {
  readonly name: Value;
  readonly isPage: boolean;
}

type Taken = RedeemedRecord | Unclaimed | Locked | TesseraError | undefined;

async function take(redeeming: Redeeming, { name, isPage }: Named): Promise<Taken> {
  const { context, rows, access, way, shown, page } = redeeming;
  const now = context.environment.clock.now();
  const request = typeof name === 'string' ? await rows.requests.find(name) : undefined;
  if (typeof name !== 'string' || request === undefined || isOver(request, now)) return undefined;
  // A second proof is given at another access method than the first.
  const isAt =
    request.purpose === 'second'
      ? isSecondFactor(way.kind)
      : request.access === access.name && request.kind === way.kind;
  if (!isAt || (await isOfFormer(rows, request))) return undefined;
  // Wrong codes count for the record, whatever it was that asked for one.
  const isProof = request.purpose === 'step' || request.purpose === 'second';
  const counted = isProof && isSecondFactor(way.kind) && request.kept === undefined ? request.record : undefined;
  const lockedFor = counted === undefined ? 0n : await rows.factorTries.lockedFor(counted, now);
  if (lockedFor > 0n) return { lockedFor };
  const { proved, subject } = request;
  const judge = (): PromiseOrValue<Proven | TesseraError | undefined> => {
    if (proved !== true) return wayRow(way).prove({ ...redeeming, name, request });
    return isPage && subject !== undefined ? { subject } : undefined;
  };
  const proven = isOfClient(request, shown['verifier'], page) ? await judge() : undefined;
  if (proven === undefined || proven instanceof TesseraError) {
    rows.requests.miss(name, request);
    if (counted !== undefined) await rows.factorTries.miss(counted, now);
    return proven;
  }
  rows.requests.remove(name, request);
  const owner = await rows.owner(access.name, proven.subject);
  const claimed = async () => {
    return request.purpose === 'sign-in' ? wayRow(way).claim?.(rows, access.name, way, request) : undefined;
  };
  const id = request.record ?? owner?.record ?? (await claimed());
  if (id === undefined) return request.purpose === 'sign-in' ? { request, proven } : undefined;
  if (owner !== undefined && recordSubject(owner.record) !== recordSubject(id)) return undefined;
  const settled = await settle(context, rows, access, way, { request, proven, id, now });
  if (settled !== undefined && counted !== undefined) await rows.factorTries.clear(counted);
  return settled;
}

/** What a page has proved needs the verifier; a code that was typed where it began may come with it. */
function isOfClient({ challenge, proved }: SignInRequest, verifier: Value, page: string | undefined): boolean {
  if (challenge === undefined) return true;
  if (page !== undefined) return page === challenge;
  return verifier === undefined ? proved !== true : verifies(verifier, challenge);
}

/** Whether its record is gone: wrong codes must not count for a later one of the same id. */
async function isOfFormer(rows: IdentityRows, { record, incarnation }: SignInRequest): Promise<boolean> {
  if (record === undefined || incarnation === undefined) return false;
  return (await rows.incarnationOf(record))?.id !== incarnation;
}

interface Claimed {
  readonly request: SignInRequest;
  readonly proven: Proven;
  readonly id: RecordId;
  readonly now: bigint;
}

/** Ties the subject to its record, as far as the record is still the one that the request was for. */
async function settle(
  context: AuthContext,
  rows: IdentityRows,
  access: WayAccess,
  way: AccessWay,
  { request, proven, id, now }: Claimed,
): Promise<RedeemedRecord | undefined> {
  const { purpose, bearer, first } = request;
  const incarnation = await rows.incarnationOf(id);
  if (incarnation === undefined) return undefined;
  const at = datetimeNanoseconds(request.created);
  if (bearer !== undefined && hasExpired(bearer, now)) return undefined;
  const session = first === undefined ? bearer && credentialOf(bearer) : { ...first, access: request.access };
  if (session !== undefined && !(await isInForce(rows, session))) return undefined;
  // A session that has ended began this by another clock, perhaps: its own time counts.
  if (await rows.isRevoked({ token: undefined, at, ...session, subject: recordSubject(id) })) return undefined;
  if (!(await mayAdd(rows, request, incarnation.id))) return undefined;
  const former = await rows.identities.ofRecordAt(id, access.name, way.kind);
  const same = former.find((identity) => identity.subject === proven.subject);
  const others = former.filter((identity) => identity !== same);
  const adds = purpose === 'sign-in' || purpose === 'link' || request.kept !== undefined;
  if (!adds && same === undefined) return undefined;
  const { identities: most } = wayRow(way);
  if (most === 'one') {
    // Once a record has proved an address, another counts only after it was linked.
    if (purpose !== 'link' && others.length > 0) return undefined;
    for (const identity of others) {
      await rows.endIdentity(identity);
      await tell(rows, identity, changedMail(rows.app), now);
    }
  } else if (others.length >= most) return undefined;
  const assurance = assuranceAfter(request, way, proven.proof ?? wayRow(way).proof, now);
  // Two proofs of one kind are one factor, shown twice.
  if (purpose === 'second' && assurance.acr !== 'aal2') return undefined;
  const identity = tied(context, access, way, {
    request,
    proven,
    record: id,
    incarnation: incarnation.id,
    same: proven.isNew === true ? undefined : same,
    now,
  });
  rows.identities.put(identity, same);
  wayRow(way).tie?.(rows, identity, request);
  const identified = { id, incarnation };
  if (proven.isNew === true) await tellOthers(rows, identity, factorAddedMail(rows.app), now);
  else if (same === undefined && isWayIn(way.kind)) await tellOthers(rows, identity, addedMail(rows.app), now);
  const own = isWayIn(way.kind) ? identity.id : undefined;
  if (own !== undefined && first === undefined)
    return { identified, assurance, identity: own, isWhole: purpose === 'link' };
  const issuer = first === undefined ? textIn(bearer?.['AC']) : request.access;
  return { identified, assurance, identity: session?.identity ?? own, issuer, isWhole: true };
}

/**
 * Whether what was proved may become an identity: of a session that has proved the second factor of its record, if that
 * has one, or in place of the one that a record owes and doesn't have. It may have got one since the request began.
 */
async function mayAdd(
  rows: IdentityRows,
  { purpose, record, bearer, kept }: SignInRequest,
  incarnation: string,
): Promise<boolean> {
  const isLink = purpose === 'link' && bearer !== undefined;
  if (record === undefined || !(isLink || (purpose === 'second' && kept !== undefined))) return true;
  const { isGuarded, access } = await factorsOf(rows, record, incarnation);
  return isLink ? !isGuarded || assuranceIn(bearer).acr === 'aal2' : access.length === 0;
}

/**
 * A link shows a mailbox, not who is there: otherwise a stolen session could prolong itself by one of its own. A second
 * factor that is added has been shown, but doesn't make the sign-in a recent one.
 */
function assuranceAfter(
  { purpose, first, bearer = newObject(), idp }: SignInRequest,
  { kind }: AccessWay,
  proof: Proof,
  now: bigint,
): Assurance {
  if (purpose === 'sign-in') return { ...assuranceOf([proof], now), idp };
  const before = first === undefined ? assuranceIn(bearer) : assuranceBy(first.amr, now);
  if (purpose !== 'link') return withProof({ ...before, idp: idp ?? before.idp }, proof, now);
  return isSecondFactor(kind) ? withProof(before, proof, before.at) : before;
}

interface Tie {
  readonly request: SignInRequest;
  readonly proven: Proven;
  readonly record: RecordId;
  readonly incarnation: string;
  readonly same?: IdentityGrant | undefined;
  readonly now: bigint;
}

function tied(
  { environment: { random } }: AuthContext,
  { name }: WayAccess,
  { kind }: AccessWay,
  { request, proven: { subject, kept }, record, incarnation, same, now }: Tie,
): IdentityGrant {
  const [id, created] = same === undefined ? [drawIdentityId(random), toDatetime(now)] : [same.id, same.created];
  const used = toDatetime(now);
  const address = textIn(request.identity?.['email']);
  return { id, access: name, kind, subject, record, incarnation, created, used, address, kept: kept ?? same?.kept };
}

/**
 * SIGNUP makes a record for a subject that the access method doesn't know. It must be a new one: a clause that answers
 * an existing record would hand over another user's account.
 * @throws TesseraError `invalid_auth` without a clause; `no_record_returned`, `record_access_signup_query_failed`
 */
async function signUp(
  context: AuthContext,
  access: WayAccess,
  way: AccessWay,
  { request, proven }: Unclaimed,
  { databasePath }: AccessCredentials,
  client: Client,
  entrance: DrawnToken,
): Promise<RedeemedRecord> {
  const { signup } = access.accessKind;
  if (signup === undefined) throw failure('invalid_auth');
  const { identity = newObject() } = request;
  const variables = objectFrom({ ...request.variables, email: identity['email'], identity });
  const run = { databasePath, variables, identity: guestIdentity({ ...client, databasePath }), entrance };
  const now = context.environment.clock.now();
  let id = '';
  const claim = async (record: IdentifiedRecord, rows: IdentityRows): Promise<void> => {
    if ((await rows.existed(record.id)) || (await rows.owner(access.name, proven.subject)) !== undefined)
      throw failure('signup_record_exists', { access: access.name });
    const incarnation = record.incarnation?.id;
    if (incarnation === undefined) throw failure('no_record_returned');
    const made = tied(context, access, way, { request, proven, record: record.id, incarnation, now });
    rows.identities.put(made);
    wayRow(way).tie?.(rows, made, request);
    id = made.id;
  };
  const detailed = access.errors === 'detailed';
  const failed = 'record_access_signup_query_failed';
  const identify = () => context.directory.identify(signup, run, claim);
  const address = textIn(identity['email']);
  const identified = await judged(failed, () => telling(address, identify), detailed);
  if (identified === undefined) throw failure('no_record_returned');
  const assurance = assuranceAfter(request, way, proven.proof ?? wayRow(way).proof, now);
  return { identified, assurance, identity: id, isWhole: false };
}

/**
 * The owner of an address that is taken learns it, if it was proved; others don't learn who has an account.
 * @throws TesseraError `account_exists`
 */
async function telling<T>(address: string | undefined, work: () => PromiseOrValue<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isTaken = error instanceof TesseraError && error.code === 'index_violation';
    if (!isTaken || address === undefined || !error.message.includes(quoteString(address))) throw error;
    throw failure('account_exists', undefined, { cause: error });
  }
}
