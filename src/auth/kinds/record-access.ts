/** Record users: SIGNUP, SIGNIN and AUTHENTICATE of access methods of TYPE RECORD. */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import { NO_INCARNATION } from '../../catalog/credentials/incarnation.js';
import { issuingKey, type SigningKey } from '../../catalog/credentials/signing-key.js';
import type { AccessDefinition } from '../../catalog/definitions/definition.js';
import type { DatabasePath } from '../../catalog/principal.js';
import { failure } from '../../errors/error.js';
import type { AccessKind, Expression } from '../../language/ast.js';
import { toText } from '../../value/text/text.js';
import { newObject, type RecordId, type Value } from '../../value/value.js';
import { type Assurance, assuranceOf } from '../assurance.js';
import type { AuthContext, SignedInWithTokens } from '../context.js';
import type { AccessCredentials } from '../credentials.js';
import type { AccessRun, IdentifiedRecord } from '../directory.js';
import { type Client, guestIdentity, identityOf, type SignedIn, sessionExpiry, tokenLifetime } from '../identity.js';
import { handOver, takeOver } from '../page/hand-over.js';
import { demandSecondFactor, type FirstSignIn } from '../second-factor/due.js';
import { assertIncarnation, type Claims, claimsValue } from '../tokens/claims.js';
import { firstRefresh, type RefreshPair, useRefresh } from '../tokens/refresh.js';
import { type DrawnToken, issuerOf } from '../tokens/tokens.js';
import { redeem } from '../ways/redeem.js';
import type { AccessKindRow, AccessOf } from './access-kind.js';
import { judged } from './clause-errors.js';
import { recordFrom } from './clause-record.js';

type RecordAccess = Extract<AccessKind, { kind: 'record' }>;
interface RecordDatabasePath {
  readonly namespace: string;
  readonly database: string;
}

/** The differences between signing in and signing up. */
interface RecordEntry {
  readonly clause: (kind: RecordAccess) => Expression | undefined;
  readonly clauseMissing: 'access_signin_missing' | 'access_signup_missing';
  readonly queryFailed: 'invalid_auth' | 'record_access_signup_query_failed';
  readonly noRecord: 'invalid_auth' | 'no_record_returned';
}

const CLAUSES: Readonly<Record<'signin' | 'signup', RecordEntry>> = {
  signin: {
    clause: (kind) => kind.signin,
    clauseMissing: 'access_signin_missing',
    // A query that fails only for some accounts would reveal which exist.
    queryFailed: 'invalid_auth',
    noRecord: 'invalid_auth',
  },
  signup: {
    clause: (kind) => kind.signup,
    clauseMissing: 'access_signup_missing',
    queryFailed: 'record_access_signup_query_failed',
    noRecord: 'no_record_returned',
  },
};

export const RECORD_ACCESS: AccessKindRow<RecordAccess> = {
  signIn: (context, access, credentials, client) => enterAsRecord(context, 'signin', access, credentials, client),
  signUp: (context, access, credentials, client) => enterAsRecord(context, 'signup', access, credentials, client),
  signInClause: ({ signin }) => signin,
  redeemsRequests: ({ way }) => way !== undefined,
  verification: ({ accessKind }) => accessKind.jwt?.verify,
  issuing: ({ jwt }) => jwt,

  openSession(context, access, databasePath, claims, client) {
    const where = recordDatabasePath(databasePath);
    if (where === undefined) throw failure('invalid_auth');
    const id = recordOf(claims);
    if (claims.id !== undefined && id === undefined) throw failure('invalid_auth');
    return andThen(id && identifiedBy(context, where, id, claims), (identified) =>
      recordSession(context, where, access, claims, identified, client),
    );
  },

  isGranted: (directory, databasePath, access, id) =>
    andThen(directory.isFamilyRevoked(databasePath, access.name, id), (revoked) => !revoked),
  // Its users are records.
  currentUser: () => undefined,
  hasRecordUsers: () => true,
  grants: ({ refresh }) => (refresh ? { use: 'refresh', subject: 'record' } : undefined),
  keys: 'drawn',
};

/**
 * Signs in or up through a clause of a record access method, or in with one of its refresh tokens.
 * @throws TesseraError `access_method_mismatch`, `hashing_busy`, and what the error table of the clause names
 */
async function enterAsRecord(
  context: AuthContext,
  way: keyof typeof CLAUSES,
  access: AccessOf<RecordAccess>,
  credentials: AccessCredentials,
  client: Client,
): Promise<SignedInWithTokens> {
  if (way === 'signin' && access.accessKind.refresh && credentials.refresh !== undefined) {
    const entrance = entranceAt(access, credentials, client);
    const { refresh, subject } = credentials;
    const use = { token: refresh, subject, issued: context.tokens.draw() };
    const { identified, pair } = await useRefresh(context, entrance.databasePath, access, use);
    const { assurance, identity } = pair;
    return issue(context, entrance, { identified, assurance, identity, token: pair.token, pair });
  }
  const proven = await proveRecord(context, way, access, credentials, client);
  return enterRecord(context, proven, proven);
}

/**
 * Signs in or up at the page of the server, for an app to take over. No session begins here.
 * @returns the address of the app, with its code
 * @throws TesseraError as `enterAsRecord`
 */
export async function enterForApp(
  context: AuthContext,
  way: keyof typeof CLAUSES,
  access: AccessDefinition,
  credentials: AccessCredentials & { readonly challenge: string },
  redirect: string,
  client: Client,
): Promise<string> {
  const { accessKind } = access;
  if (accessKind.kind !== 'record') throw failure('access_method_mismatch');
  const proven = await proveRecord(context, way, { ...access, accessKind }, credentials, client);
  return handOver(context, proven, { challenge: credentials.challenge, redirect });
}

/** @throws TesseraError `access_method_mismatch` before a clause runs, whose effects would stay */
function entranceAt(access: AccessOf<RecordAccess>, credentials: AccessCredentials, client: Client): RecordEntrance {
  const databasePath = recordDatabasePath(credentials.databasePath);
  if (databasePath === undefined || signingKeyOf(access) === undefined) throw failure('access_method_mismatch');
  return { databasePath, access, client };
}

/** Who has come in by what the client shows. @throws TesseraError also `second_factor_required` */
async function proveRecord(
  context: AuthContext,
  way: keyof typeof CLAUSES,
  access: AccessOf<RecordAccess>,
  credentials: AccessCredentials,
  client: Client,
): Promise<FirstSignIn> {
  const { isWhole, ...proven } = await provenBy(context, way, access, credentials, client);
  if (!isWhole) await demandSecondFactor(context, proven);
  return proven;
}

/** `isWhole`: no second proof is due. */
async function provenBy(
  context: AuthContext,
  way: keyof typeof CLAUSES,
  access: AccessOf<RecordAccess>,
  credentials: AccessCredentials,
  client: Client,
): Promise<FirstSignIn & { readonly isWhole: boolean }> {
  const { clause: clauseOf, clauseMissing, queryFailed, noRecord } = CLAUSES[way];
  const { accessKind } = access;
  const entrance = entranceAt(access, credentials, client);
  const { databasePath } = entrance;
  const token = context.tokens.draw();
  const entered = way === 'signin' ? await takeOver(context, access, credentials) : undefined;
  if (entered !== undefined) return { ...entrance, ...entered, token };
  if (accessKind.way !== undefined) {
    if (way === 'signup') throw failure('access_method_mismatch');
    const { issuer, ...redeemed } = await redeem(context, access, accessKind.way, credentials, client, token);
    const issuing = issuer === undefined ? access : await issuerNamed(context, databasePath, issuer);
    return { ...entrance, access: issuing, ...redeemed, token };
  }
  const clause = clauseOf(accessKind);
  if (clause === undefined) throw failure(clauseMissing);

  const guest = guestIdentity({ ...client, databasePath });
  const run = { databasePath, variables: credentials.variables, identity: guest, entrance: token };
  const detailed = way === 'signup' && access.errors === 'detailed';
  const identified = await judged(queryFailed, () => context.directory.identify(clause, run), detailed);
  if (identified === undefined) {
    // A query that finds the account fails while no password can be hashed; one that doesn't must fail the same way.
    if (context.hasher.busy) throw failure('hashing_busy', { retryAfter: 1 });
    throw failure(noRecord);
  }
  const assurance = assuranceOf(['pwd'], token.at);
  return { ...entrance, identified, assurance, identity: undefined, isWhole: false, token };
}

/**
 * The access method of the first proof, as it is now: its AUTHENTICATE, lifetimes and refresh tokens are those of the
 * sign-in.
 * @throws TesseraError `invalid_auth` if it is gone
 */
async function issuerNamed(
  { directory }: AuthContext,
  databasePath: RecordDatabasePath,
  name: string,
): Promise<AccessOf<RecordAccess>> {
  const access = await directory.access(databasePath, name);
  if (access?.accessKind.kind !== 'record') throw failure('invalid_auth');
  return { ...access, accessKind: access.accessKind };
}

/** Where and from where a record user comes in. */
export interface RecordEntrance {
  readonly databasePath: RecordDatabasePath;
  readonly access: AccessOf<RecordAccess>;
  readonly client: Client;
}

/** Who comes in, and how they have proved it. */
export interface ProvenRecord {
  readonly identified: IdentifiedRecord;
  /** Absent for refresh tokens of older releases. */
  readonly assurance: Assurance | undefined;
  /** The id of the identity that was signed in by, with which the session ends. */
  readonly identity?: string | undefined;
  /** Drawn before the proofs were checked, so that what is revoked meanwhile ends this sign-in, too. */
  readonly token: DrawnToken;
}

/**
 * Signs a record in that has proved who it is: its session, its access token, and WITH REFRESH the first
 * token of a new family. AUTHENTICATE may deny it.
 * @throws TesseraError `access_method_mismatch` if the access method issues no tokens, and as AUTHENTICATE
 */
export async function enterRecord(
  context: AuthContext,
  entrance: RecordEntrance,
  proven: ProvenRecord,
): Promise<SignedInWithTokens> {
  const { databasePath, access } = entrance;
  if (!access.accessKind.refresh) return issue(context, entrance, proven);
  const { pair, keep } = firstRefresh(context, databasePath, access, proven);
  const issued = await issue(context, entrance, { ...proven, pair });
  await keep();
  return issued;
}

async function issue(
  context: AuthContext,
  { databasePath, access, client }: RecordEntrance,
  { identified, assurance, identity, token, pair }: ProvenRecord & { readonly pair?: RefreshPair },
): Promise<SignedInWithTokens> {
  const { jwt } = access.accessKind;
  const key = signingKeyOf(access);
  if (key === undefined) throw failure('access_method_mismatch');
  const claims = context.tokens.claims({
    ...databasePath,
    access: access.name,
    id: toText(identified.id),
    incarnation: identified.incarnation?.id,
    assurance,
    identity,
    issuer: issuerOf(jwt),
    audience: jwt?.require?.audiences[0],
    token: token.id,
    at: token.at,
    grant: pair?.family,
    lifetime: tokenLifetime(access.durations),
  });
  const signedIn = await recordSession(context, databasePath, access, claims, identified, client);
  const signed = await context.tokens.sign(claims, key);
  return { signedIn, tokens: { access: signed, ...(pair !== undefined && { refresh: pair.key }) } };
}

function signingKeyOf({ accessKind: { jwt } }: AccessOf<RecordAccess>): SigningKey | undefined {
  return jwt && issuingKey(jwt);
}

/**
 * The session of a record user whose credentials or token are valid. AUTHENTICATE may deny it or substitute another
 * record, and the record must exist. The clause reads the current record, whichever record the credentials were issued
 * for.
 *
 * @throws TesseraError `invalid_auth`, `thrown`, `hashing_busy`, `unexpected_auth`
 */
function recordSession(
  context: AuthContext,
  databasePath: RecordDatabasePath,
  access: AccessDefinition,
  claims: Claims,
  identified: IdentifiedRecord | undefined,
  client: Client,
): PromiseOrValue<SignedIn> {
  const expiresAt = sessionExpiry(access.durations, context.environment);
  const session = ({ id, incarnation }: IdentifiedRecord): SignedIn => ({
    principal: {
      kind: 'record',
      ...databasePath,
      access: access.name,
      id,
      incarnation: incarnation?.id ?? NO_INCARNATION,
    },
    databasePath,
    claims: claimsValue(claims, identified?.id),
    access: access.name,
    expiresAt,
    basis: { kind: 'access', access, grant: claims.grant },
  });
  let found: PromiseOrValue<IdentifiedRecord | undefined> = identified;
  if (access.authenticate !== undefined) {
    // The clause sees the candidate before `$access` is set.
    const candidate: SignedIn =
      identified === undefined
        ? { principal: { kind: 'guest' }, databasePath, claims: claimsValue(claims), access: undefined, expiresAt }
        : { ...session(identified), access: undefined };
    const clause = access.authenticate;
    found = judged('invalid_auth', () => context.directory.identify(clause, authenticateRun(candidate, client)));
  }
  return andThen(found, (record) => {
    if (record?.incarnation === undefined) throw failure('invalid_auth');
    return session(record);
  });
}

/**
 * Evaluates an AUTHENTICATE clause for a user with valid credentials.
 *
 * @throws TesseraError `thrown`; `invalid_auth` for any other failure, whose cause is only logged
 */
export function authenticate(
  context: AuthContext,
  clause: Expression,
  candidate: SignedIn,
  client: Client,
): Promise<Value> {
  return judged('invalid_auth', () => context.directory.evaluate(clause, authenticateRun(candidate, client)));
}

function authenticateRun(candidate: SignedIn, client: Client): AccessRun {
  return { databasePath: candidate.databasePath, variables: newObject(), identity: identityOf(candidate, client) };
}

/** Namespace and database, both set; otherwise `undefined`. */
export function recordDatabasePath({ namespace, database }: DatabasePath): RecordDatabasePath | undefined {
  return namespace === undefined || database === undefined ? undefined : { namespace, database };
}

/** Cached per token, since clients send the same token with each request. */
const records = new WeakMap<Claims, RecordId>();

/** The record named by the claims, if any. */
function recordOf(claims: Claims): RecordId | undefined {
  let id = records.get(claims);
  if (id === undefined && claims.id !== undefined) {
    id = recordFrom(claims.id);
    if (id !== undefined) records.set(claims, id);
  }
  return id;
}

/**
 * The record that a token was issued to.
 * @throws TesseraError `invalid_auth` if that record was deleted, even if its id is in use again
 */
function identifiedBy(
  { directory }: AuthContext,
  databasePath: DatabasePath,
  id: RecordId,
  claims: Claims,
): PromiseOrValue<IdentifiedRecord> {
  return andThen(directory.incarnation(databasePath, id), (incarnation) => {
    assertIncarnation(incarnation, claims);
    return { id, incarnation };
  });
}
