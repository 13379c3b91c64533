/** Principals and their authorization by roles. */
import type { Level, Role } from '../language/ast.js';
import { toText } from '../value/text/text.js';
import type { ObjectValue, RecordId, Value } from '../value/value.js';

export type Principal = Guest | SystemUser | RecordUser;

/** Not signed in. */
export interface Guest {
  readonly kind: 'guest';
}

/** A user defined with DEFINE USER, or the bearer of a JWT or BEARER token, with roles at one level and below. */
export interface SystemUser {
  readonly kind: 'system';
  readonly level: Level;
  /** Set for levels namespace and database. */
  readonly namespace?: string;
  /** Set for level database. */
  readonly database?: string;
  readonly name: string;
  readonly roles: readonly Role[];
  /**
   * The user's incarnation (`credentials/incarnation.ts`); absent for users of older releases, and for the bearers of
   * other issuers' tokens, who are no defined users.
   */
  readonly incarnation?: string;
}

/** A record signed in through a RECORD access method: it has no roles and is subject to PERMISSIONS. */
export interface RecordUser {
  readonly kind: 'record';
  readonly namespace: string;
  readonly database: string;
  readonly access: string;
  readonly id: RecordId;
  /** The record's incarnation (`credentials/incarnation.ts`); absent for a hypothetical user (EXPLAIN PERMISSIONS). */
  readonly incarnation?: string;
}

/** Whether two principals are the same user, regardless of roles. */
export function isSamePrincipal(a: Principal, b: Principal): boolean {
  return a.kind === b.kind && identityOf(a) === identityOf(b);
}

function identityOf(principal: Principal): string {
  switch (principal.kind) {
    case 'guest':
      return 'guest';
    case 'system': {
      const { level, namespace = '', database = '', name, incarnation } = principal;
      return JSON.stringify([level, namespace, database, name, incarnation]);
    }
    case 'record': {
      const { namespace, database, access, id, incarnation } = principal;
      return JSON.stringify([namespace, database, access, toText(id), incarnation]);
    }
  }
}

/** The path at which a principal is defined. */
export function databasePathOf(principal: SystemUser | RecordUser): DatabasePath {
  const { namespace, database } = principal;
  return { namespace, database };
}

/** Identifies a user within its path, however it signed in. */
export function subjectOf(principal: SystemUser | RecordUser): string {
  return principal.kind === 'system' ? userSubject(principal) : recordSubject(principal.id);
}

/** Identifies a user in a whole store, however it signed in. */
export function userKey(principal: SystemUser | RecordUser): string {
  const { namespace, database } = databasePathOf(principal);
  return JSON.stringify([namespace, database, subjectOf(principal)]);
}

/**
 * Identifies a system user within its path, as text: `user ann`, and with an incarnation `user/x8R… ann`, so that
 * neither another user of that name nor the bearer of another issuer's token is the same.
 */
export function userSubject({ name, incarnation }: Pick<SystemUser, 'name' | 'incarnation'>): string {
  return incarnation === undefined ? `user ${name}` : `user/${incarnation} ${name}`;
}

/** Identifies a record user within its database, as text: `record person:1`. */
export function recordSubject(id: RecordId): string {
  return `record ${toText(id)}`;
}

/** What a statement requires of roles (DEFINE USER … ROLES). */
export type Action =
  /** SELECT, INFO, SHOW. */
  | 'view'
  /** CREATE … DELETE, definitions of tables, fields, indexes, events, params, functions, analyzers; OPTION, SLEEP. */
  | 'edit'
  /** Definitions of users, access methods and configs. */
  | 'own';

const ALLOWED: Readonly<Record<Role, readonly Action[]>> = {
  owner: ['view', 'edit', 'own'],
  editor: ['view', 'edit'],
  viewer: ['view'],
};

/** A path in the hierarchy: root without `namespace`, a namespace without `database`. */
export interface DatabasePath {
  readonly namespace?: string | undefined;
  readonly database?: string | undefined;
}

/** Whether two paths name the same database, namespace, or root. */
export function isSamePath(one: DatabasePath, other: DatabasePath): boolean {
  return one.namespace === other.namespace && one.database === other.database;
}

/** Whether a system user's level includes the path. */
export function covers(user: SystemUser, databasePath: DatabasePath): boolean {
  switch (user.level) {
    case 'root':
      return true;
    case 'namespace':
      return user.namespace === databasePath.namespace;
    case 'database':
      return (
        databasePath.database !== undefined &&
        user.namespace === databasePath.namespace &&
        user.database === databasePath.database
      );
  }
}

/**
 * Whether a role of the principal permits `action` at the path. Guests and record users have no roles.
 *
 *     mayAct(rootOwner, 'edit', { namespace: 'shop', database: 'main' })   // true
 */
export function mayAct(principal: Principal, action: Action, databasePath: DatabasePath): boolean {
  if (principal.kind !== 'system' || !covers(principal, databasePath)) return false;
  // Several calls for each request: without a closure.
  for (const role of principal.roles) if (ALLOWED[role].includes(action)) return true;
  return false;
}

/** The identity of a session: its principal and its selection. Immutable; replaced when either changes. */
export interface Identity {
  readonly principal: Principal;
  readonly databasePath: DatabasePath;
  /** `$session`, `$token`, `$auth` and `$access`, as statements see them. */
  readonly session: ObjectValue;
  readonly token: Value;
  readonly auth: RecordId | undefined;
  readonly access: string | undefined;
  /** In a view (`view_as`): who looks as the principal. What runs then changes nothing, here or elsewhere. */
  readonly viewer?: Principal | undefined;
}
