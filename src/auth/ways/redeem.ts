/**
 * Redeems sign-in requests: what was proved becomes a record user, an identity of the one who began, or one more proof
 * of a session. A request is read and removed in one transaction, so that of many who redeem it at once one gets in.
 */
import { drawIdentityId, type IdentityGrant } from '../../catalog/credentials/identity.js';
import { isCodeOf, isOver, type SignInRequest } from '../../catalog/credentials/sign-in-request.js';
import { recordSubject } from '../../catalog/principal.js';
import { failure } from '../../errors/error.js';
import type { AccessWay } from '../../language/ast.js';
import { datetimeNanoseconds, toDatetime } from '../../value/time/datetime.js';
import { newObject, type ObjectValue, objectFrom, type RecordId } from '../../value/value.js';
import { type Assurance, assuranceOf, withProof } from '../assurance.js';
import type { AuthContext } from '../context.js';
import type { AccessCredentials } from '../credentials.js';
import type { IdentifiedRecord, IdentityRows } from '../directory.js';
import { type Client, guestIdentity } from '../identity.js';
import { judged } from '../kinds/clause-errors.js';
import type { DrawnToken } from '../tokens/tokens.js';
import { assuranceIn, credentialOf } from './bearer.js';
import { verifies } from './challenge.js';
import { changedMail } from './mail-text.js';
import { tell } from './notices.js';
import type { WayAccess } from './way.js';

/** Who has proved to be which record, and how well. */
export interface RedeemedRecord {
  readonly identified: IdentifiedRecord;
  readonly assurance: Assurance;
  /** The id of the identity that was signed in by. */
  readonly identity: string;
}

/** A request that was right, for a subject that no record has. */
interface Unclaimed {
  readonly request: SignInRequest;
  readonly subject: string;
}

/**
 * Signs in with `request` and `code`, as they were mailed, or with `code` and `verifier`, after a page of the server.
 * @throws TesseraError `invalid_auth` for everything that is wrong; what SIGNUP throws
 */
export async function redeem(
  context: AuthContext,
  access: WayAccess,
  way: AccessWay,
  credentials: AccessCredentials,
  client: Client,
  token: DrawnToken,
): Promise<RedeemedRecord> {
  const { request: name, code, verifier } = credentials.variables;
  const shown = name === undefined ? { name: code, verifier } : { name, code, verifier };
  const redeemed = await context.directory.proving(credentials.databasePath, (rows) =>
    take(context, rows, access, way, shown),
  );
  if (redeemed === undefined) throw failure('invalid_auth');
  return 'request' in redeemed ? signUp(context, access, way, redeemed, credentials, client, token) : redeemed;
}

interface Shown {
  readonly name: unknown;
  readonly code?: unknown;
  readonly verifier: unknown;
}

async function take(
  context: AuthContext,
  rows: IdentityRows,
  access: WayAccess,
  way: AccessWay,
  { name, code, verifier }: Shown,
): Promise<RedeemedRecord | Unclaimed | undefined> {
  const now = context.environment.clock.now();
  const request = typeof name === 'string' ? await rows.requests.find(name) : undefined;
  if (typeof name !== 'string' || request?.access !== access.name || isOver(request, now)) return undefined;
  const { challenge, proved } = request;
  // What a page has proved needs the verifier; a code that was typed where it began may come with it.
  const isOwn = challenge === undefined || (verifier === undefined ? proved !== true : verifies(verifier, challenge));
  const isRight = proved === true ? code === undefined : typeof code === 'string' && isCodeOf(request, name, code);
  if (!isOwn || !isRight) {
    rows.requests.miss(name, request);
    return undefined;
  }
  rows.requests.remove(name, request);
  const { subject } = request;
  if (subject === undefined) return undefined;
  const owner = await rows.owner(access.name, subject);
  const id = request.record ?? owner?.record;
  if (id === undefined) return request.purpose === 'sign-in' ? { request, subject } : undefined;
  if (owner !== undefined && recordSubject(owner.record) !== recordSubject(id)) return undefined;
  return settle(context, rows, access, way, { request, subject, id, now });
}

interface Claimed {
  readonly request: SignInRequest;
  readonly subject: string;
  readonly id: RecordId;
  readonly now: bigint;
}

/** Ties the subject to its record, as far as the record is still the one that the request was for. */
async function settle(
  context: AuthContext,
  rows: IdentityRows,
  access: WayAccess,
  way: AccessWay,
  { request, subject, id, now }: Claimed,
): Promise<RedeemedRecord | undefined> {
  const { purpose, bearer, incarnation: named } = request;
  const incarnation = await rows.incarnationOf(id);
  if (incarnation === undefined || (named !== undefined && named !== incarnation.id)) return undefined;
  const at = datetimeNanoseconds(request.created);
  const session = bearer && credentialOf(bearer);
  if (await rows.isRevoked({ token: undefined, ...session, subject: recordSubject(id), at })) return undefined;
  const former = await rows.identities.ofRecord(id, access.name);
  const same = former.find((identity) => identity.subject === subject);
  const others = former.filter((identity) => identity !== same);
  // Once a record has proved an address, another counts only after it was linked.
  if (purpose !== 'link' && (others.length > 0 || (purpose === 'step' && same === undefined))) return undefined;
  for (const identity of others) {
    await rows.endIdentity(identity);
    await tell(rows, identity, changedMail(rows.app), now);
  }
  const identity = tied(context, access, way, { subject, record: id, incarnation: incarnation.id, same, now });
  rows.identities.put(identity);
  return {
    identified: { id, incarnation },
    assurance: assuranceAfter(request, way, now),
    identity: identity.id,
  };
}

/** A link shows a mailbox, not who is there: otherwise a stolen session could prolong itself by one of its own. */
function assuranceAfter({ purpose, bearer = newObject() }: SignInRequest, { kind }: AccessWay, now: bigint): Assurance {
  if (purpose === 'sign-in') return assuranceOf([kind], now);
  const before = assuranceIn(bearer);
  return purpose === 'link' ? before : withProof(before, kind, now);
}

interface Tie {
  readonly subject: string;
  readonly record: RecordId;
  readonly incarnation: string;
  readonly same?: IdentityGrant | undefined;
  readonly now: bigint;
}

function tied(
  { environment: { random } }: AuthContext,
  { name }: WayAccess,
  { kind }: AccessWay,
  { subject, record, incarnation, same, now }: Tie,
): IdentityGrant {
  const [id, created] = same === undefined ? [drawIdentityId(random), toDatetime(now)] : [same.id, same.created];
  return { id, access: name, kind, subject, record, incarnation, created, used: toDatetime(now) };
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
  { request, subject }: Unclaimed,
  { databasePath }: AccessCredentials,
  client: Client,
  entrance: DrawnToken,
): Promise<RedeemedRecord> {
  const { signup } = access.accessKind;
  if (signup === undefined) throw failure('invalid_auth');
  const identity = mailIdentity(subject);
  const variables = objectFrom({ ...request.variables, email: subject, identity });
  const run = { databasePath, variables, identity: guestIdentity({ ...client, databasePath }), entrance };
  const now = context.environment.clock.now();
  let id = '';
  const claim = async (record: IdentifiedRecord, rows: IdentityRows): Promise<void> => {
    if ((await rows.existed(record.id)) || (await rows.owner(access.name, subject)) !== undefined)
      throw failure('signup_record_exists', { access: access.name });
    const incarnation = record.incarnation?.id;
    if (incarnation === undefined) throw failure('no_record_returned');
    const made = tied(context, access, way, { subject, record: record.id, incarnation, now });
    rows.identities.put(made);
    id = made.id;
  };
  const detailed = access.errors === 'detailed';
  const failed = 'record_access_signup_query_failed';
  const identified = await judged(failed, () => context.directory.identify(signup, run, claim), detailed);
  if (identified === undefined) throw failure('no_record_returned');
  return { identified, assurance: assuranceOf([way.kind], now), identity: id };
}

/** `$identity` of a client that has proved a mail address. */
function mailIdentity(subject: string): ObjectValue {
  return objectFrom({ subject, email: subject, email_verified: true, claims: newObject() });
}
