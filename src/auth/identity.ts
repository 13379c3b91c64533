/** The identity of a session, as statements see it: `$session`, `$token`, `$auth` and `$access`. */
import type { AccessDefinition, UserDefinition } from '../catalog/definitions/definition.js';
import type { DatabasePath, Identity, Principal, SystemUser } from '../catalog/principal.js';
import type { Environment } from '../env/environment.js';
import type { Durations, Level, Role } from '../language/ast.js';
import { DEFAULT_DURATIONS } from '../language/definitions/durations.js';
import { int, newObject, type ObjectValue, type RecordId, type Value } from '../value/value.js';

/** The origin of a request: the peer's address, and the headers `Origin` and `svc-id`. */
export interface ClientOrigin {
  readonly ip?: string;
  readonly origin?: string;
  readonly id?: string;
}

/** A session before it signs in. */
export interface Client {
  readonly origin: ClientOrigin;
  /** The current selection. */
  readonly databasePath: DatabasePath;
}

/** The outcome of a sign-in of any kind. */
export interface SignedIn {
  readonly principal: Principal;
  /** Where the principal is defined; it becomes the selection. */
  readonly databasePath: DatabasePath;
  /** `$token`; NONE for a guest. */
  readonly claims: ObjectValue | undefined;
  /** `$access`. */
  readonly access: string | undefined;
  /** End of the session in nanoseconds since 1970; `undefined`: never. */
  readonly expiresAt: bigint | undefined;
  /** The definition it depends on; absent for a session of the process itself. */
  readonly basis?: SignInBasis;
  /** In a view, which nothing was signed in for: who looks as the principal. */
  readonly viewer?: Principal;
}

/**
 * The definition that authenticated the user, as of the sign-in, and the id of the grant used, or of the family of
 * refresh tokens.
 */
export type SignInBasis =
  | { readonly kind: 'user'; readonly user: UserDefinition }
  | { readonly kind: 'access'; readonly access: AccessDefinition; readonly grant?: string | undefined };

/** Lifetime in nanoseconds of the tokens of a definition. Default: one hour. */
export function tokenLifetime(durations: Durations): bigint | undefined {
  return 'token' in durations ? durations.token : DEFAULT_DURATIONS.token;
}

/** The end in nanoseconds since 1970 of a session that begins now. Default: never. */
export function sessionExpiry(durations: Durations, environment: Environment): bigint | undefined {
  return durations.session === undefined ? undefined : environment.clock.now() + durations.session;
}

/** A system user with roles. */
export function systemUser(level: Level, databasePath: DatabasePath, name: string, roles: readonly Role[]): SystemUser {
  const { namespace, database } = databasePath;
  if (namespace === undefined) return { kind: 'system', level, name, roles };
  if (database === undefined) return { kind: 'system', level, namespace, name, roles };
  return { kind: 'system', level, namespace, database, name, roles };
}

/** A defined user, with its present roles. */
export function definedUser(databasePath: DatabasePath, user: UserDefinition): SystemUser {
  const { level, name, roles, incarnation } = user;
  const principal = systemUser(level, databasePath, name, roles);
  return incarnation === undefined ? principal : { ...principal, incarnation };
}

export const GUEST: Principal = { kind: 'guest' };

/** The identity of a principal that has not signed in with credentials. */
export function plainIdentity(principal: Principal, { origin, databasePath }: Client): SessionIdentity {
  return new SessionIdentity(
    { principal, databasePath, claims: undefined, access: undefined, expiresAt: undefined },
    origin,
  );
}

/** The identity of a client that hasn't signed in. */
export function guestIdentity(client: Client): SessionIdentity {
  return plainIdentity(GUEST, client);
}

/**
 * The identity of a session after a sign-in. A root user keeps the selection; a namespace user keeps the selected
 * database.
 */
export function identityOf(signedIn: SignedIn, { origin, databasePath }: Client): SessionIdentity {
  return new SessionIdentity(signedIn, origin, {
    namespace: signedIn.databasePath.namespace ?? databasePath.namespace,
    database: signedIn.databasePath.database ?? databasePath.database,
  });
}

/** The same identity with another namespace and database selected, as after USE. */
export function withDatabasePath(identity: SessionIdentity, databasePath: DatabasePath): SessionIdentity {
  return new SessionIdentity(identity.signedIn, identity.origin, databasePath);
}

export class SessionIdentity implements Identity {
  readonly principal: Principal;
  readonly token: Value;
  readonly auth: RecordId | undefined;
  readonly access: string | undefined;
  readonly viewer: Principal | undefined;
  #session: ObjectValue | undefined;

  constructor(
    readonly signedIn: SignedIn,
    readonly origin: ClientOrigin,
    readonly databasePath: DatabasePath = signedIn.databasePath,
  ) {
    const { principal } = signedIn;
    this.principal = principal;
    this.token = signedIn.claims;
    this.auth = principal.kind === 'record' ? principal.id : undefined;
    this.access = signedIn.access;
    this.viewer = signedIn.viewer;
  }

  /** Created on first use; most statements never need it. */
  get session(): ObjectValue {
    this.#session ??= sessionValue(this);
    return this.#session;
  }
}

const NANOSECONDS = 1_000_000_000n;

function sessionValue({ signedIn, origin, databasePath, auth, access, token }: SessionIdentity): ObjectValue {
  const { expiresAt } = signedIn;
  const session = newObject();
  session['ip'] = origin.ip;
  session['exp'] = expiresAt === undefined ? undefined : int(expiresAt / NANOSECONDS);
  session['ns'] = databasePath.namespace;
  session['db'] = databasePath.database;
  session['rd'] = auth;
  session['ac'] = access;
  session['or'] = origin.origin;
  session['id'] = origin.id;
  session['tk'] = token;
  return session;
}
