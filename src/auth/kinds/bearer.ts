/** Bearer access: the key issued by ACCESS … GRANT signs in as the user or record that it was granted to. */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import {
  type Grant,
  type GrantSubject,
  isExpired,
  readGrantKey,
  secretMatches,
} from '../../catalog/credentials/grant.js';
import { belongsTo, type Incarnation } from '../../catalog/credentials/incarnation.js';
import type { SigningKey } from '../../catalog/credentials/signing-key.js';
import type { AccessDefinition, UserDefinition } from '../../catalog/definitions/definition.js';
import type { DatabasePath } from '../../catalog/principal.js';
import { failure } from '../../errors/error.js';
import type { AccessKind } from '../../language/ast.js';
import { roleNames } from '../../language/definitions/define-user.js';
import { toText } from '../../value/text/text.js';
import { datetimeNanoseconds } from '../../value/time/datetime.js';
import type { AuthContext, SignedInWithTokens } from '../context.js';
import type { AccessCredentials } from '../credentials.js';
import { type Client, definedUser, type SignedIn, sessionExpiry, tokenLifetime } from '../identity.js';
import { assertIncarnation, type Claims, claimsValue } from '../tokens/claims.js';
import type { AccessKindRow, AccessOf } from './access-kind.js';
import { recordFrom } from './clause-record.js';
import { authenticate, recordDatabasePath } from './record-access.js';

type BearerAccess = Extract<AccessKind, { readonly kind: 'bearer' }>;

export const BEARER_ACCESS: AccessKindRow<BearerAccess> = {
  signIn: signInBearer,
  verification: (access) => ({ kind: 'key', ...bearerKey(access) }),
  issuing: () => undefined,
  openSession: (context, access, databasePath, claims, client) =>
    bearerSession(context, access, databasePath, bearerSubject(access, claims), claims, client),
  isGranted: (directory, databasePath, access, id) =>
    andThen(
      directory.grant(databasePath, access.name, id),
      (grant) => grant !== undefined && grant.revocation === undefined,
    ),
  // The bearer of a grant has the user's present roles.
  currentUser: (directory, databasePath, { name, incarnation }) =>
    andThen(directory.user(databasePath, name), (user) =>
      user?.incarnation === incarnation ? user && definedUser(databasePath, user) : undefined,
    ),
  hasRecordUsers: ({ subject }) => subject === 'record',
  grants: ({ subject }) => ({ use: 'bearer', subject }),
  keys: 'secret',
};

/**
 * Signs in with a grant's key.
 *
 * @throws TesseraError `bearer_key_missing`, `bearer_key_malformed`; `invalid_auth` for anything else that is wrong;
 * `thrown` by AUTHENTICATE
 */
async function signInBearer(
  context: AuthContext,
  access: AccessOf<BearerAccess>,
  { databasePath, key }: AccessCredentials,
  client: Client,
): Promise<SignedInWithTokens> {
  if (key === undefined) throw failure('bearer_key_missing');
  const shown = readGrantKey('bearer', key);
  if (shown === undefined) throw failure('bearer_key_malformed');
  const grant = await context.directory.grant(databasePath, access.name, shown.id);
  const now = context.environment.clock.now();
  if (grant === undefined || !secretMatches(shown, grant) || grant.revocation !== undefined || isExpired(grant, now)) {
    throw failure('invalid_auth');
  }
  const { subject } = grant;
  const incarnation = subject.kind === 'record' ? await grantedTo(context, databasePath, grant, subject) : undefined;
  const user = subject.kind === 'user' ? await grantedToUser(context, databasePath, subject) : undefined;
  const claims = context.tokens.claims({
    ...databasePath,
    access: access.name,
    id: subject.kind === 'user' ? subject.name : toText(subject.record),
    ...(user !== undefined && { roles: roleNames(user.roles) }),
    grant: grant.id,
    incarnation: incarnation?.id ?? user?.incarnation,
    lifetime: tokenLifetime(access.durations),
  });
  const signedIn = await bearerSession(context, access, databasePath, subject, claims, client);
  return { signedIn, tokens: { access: await context.tokens.sign(claims, bearerKey(access)) } };
}

/**
 * The current record of a grant's subject.
 * @throws TesseraError `invalid_auth` if that record was deleted, even if its id is in use again
 */
async function grantedTo(
  { directory }: AuthContext,
  databasePath: DatabasePath,
  { creation }: Grant,
  { record, incarnation: named }: Extract<GrantSubject, { kind: 'record' }>,
): Promise<Incarnation> {
  const incarnation = await directory.incarnation(databasePath, record);
  if (incarnation === undefined || !belongsTo(incarnation, named, () => datetimeNanoseconds(creation))) {
    throw failure('invalid_auth');
  }
  return incarnation;
}

/**
 * The current definition of a grant's subject.
 * @throws TesseraError `invalid_auth` if that user was removed, even if another one has its name
 */
async function grantedToUser(
  { directory }: AuthContext,
  databasePath: DatabasePath,
  { name, incarnation }: Extract<GrantSubject, { kind: 'user' }>,
): Promise<UserDefinition> {
  const user = await directory.user(databasePath, name);
  if (user === undefined || user.incarnation !== incarnation) throw failure('invalid_auth');
  return user;
}

/** The key that signs the tokens of a bearer access method. @throws TesseraError `invalid_auth` */
function bearerKey({ secret }: AccessDefinition): SigningKey {
  if (secret === undefined) throw failure('invalid_auth');
  return { algorithm: 'HS512', key: secret };
}

/**
 * The subject of a verified token of a bearer access method.
 * @throws TesseraError `invalid_auth`
 */
function bearerSubject({ accessKind }: AccessOf<BearerAccess>, { id }: Claims): GrantSubject {
  if (id === undefined) throw failure('invalid_auth');
  if (accessKind.subject === 'user') return { kind: 'user', name: id };
  const record = recordFrom(id);
  if (record === undefined) throw failure('invalid_auth');
  return { kind: 'record', record };
}

/**
 * The session of a grant's subject, which must exist; its roles are the current ones. AUTHENTICATE may deny it.
 * @throws TesseraError `invalid_auth`, and as the AUTHENTICATE clause
 */
function bearerSession(
  context: AuthContext,
  access: AccessOf<BearerAccess>,
  databasePath: DatabasePath,
  subject: GrantSubject,
  claims: Claims,
  client: Client,
): PromiseOrValue<SignedIn> {
  return andThen(principalOf(context, access, databasePath, subject, claims), (principal) => {
    if (principal === undefined) throw failure('invalid_auth');
    const signedIn: SignedIn = {
      principal,
      databasePath,
      claims: claimsValue(claims, subject.kind === 'record' ? subject.record : undefined),
      access: access.name,
      expiresAt: sessionExpiry(access.durations, context.environment),
      basis: { kind: 'access', access, grant: claims.grant },
    };
    if (access.authenticate === undefined) return signedIn;
    return authenticate(context, access.authenticate, { ...signedIn, access: undefined }, client).then((answer) => {
      if (answer !== undefined) throw failure('invalid_auth');
      return signedIn;
    });
  });
}

async function principalOf(
  { directory }: AuthContext,
  access: AccessOf<BearerAccess>,
  databasePath: DatabasePath,
  subject: GrantSubject,
  claims: Claims,
): Promise<SignedIn['principal'] | undefined> {
  // The access method may have been redefined for the other kind of subject.
  if (access.accessKind.subject !== subject.kind) return undefined;
  if (subject.kind === 'user') {
    const user = await directory.user(databasePath, subject.name);
    return user?.incarnation === claims.incarnation ? user && definedUser(databasePath, user) : undefined;
  }
  const where = recordDatabasePath(databasePath);
  if (where === undefined) return undefined;
  const { record } = subject;
  const incarnation = await directory.incarnation(where, record);
  if (incarnation === undefined) return undefined;
  assertIncarnation(incarnation, claims);
  return { kind: 'record', ...where, access: access.name, id: record, incarnation: incarnation.id };
}
