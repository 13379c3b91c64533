/** Who acts. */
import type { Level, Role } from '../language/ast.js';
import { toText } from '../value/text/text.js';
import type { RecordId } from '../value/value.js';

export type Principal = Guest | SystemUser | RecordUser;

/** Nobody signed in. */
export interface Guest {
  readonly kind: 'guest';
}

/** A user defined with DEFINE USER, or the bearer of a token of a JWT or BEARER access, at a level and below it. */
export interface SystemUser {
  readonly kind: 'system';
  readonly level: Level;
  /** Set for the levels namespace and database. */
  readonly namespace?: string;
  /** Set for the level database. */
  readonly database?: string;
  readonly name: string;
  readonly roles: readonly Role[];
}

/** A record that signed in through a RECORD access: no roles, only PERMISSIONS. */
export interface RecordUser {
  readonly kind: 'record';
  readonly namespace: string;
  readonly database: string;
  readonly access: string;
  readonly id: RecordId;
  /** Which of the records that had this id, one after the other; not told of somebody who is only imagined. */
  readonly incarnation?: string;
}

/** Whether two principals are the same user, whatever roles either may have by now. */
export function isSamePrincipal(a: Principal, b: Principal): boolean {
  return a.kind === b.kind && identityOf(a) === identityOf(b);
}

function identityOf(principal: Principal): string {
  switch (principal.kind) {
    case 'guest':
      return 'guest';
    case 'system': {
      const { level, namespace = '', database = '', name } = principal;
      return JSON.stringify([level, namespace, database, name]);
    }
    case 'record': {
      const { namespace, database, access, id, incarnation } = principal;
      return JSON.stringify([namespace, database, access, toText(id), incarnation]);
    }
  }
}

/** Where somebody who signed in is defined. */
export function databasePathOf(principal: SystemUser | RecordUser): DatabasePath {
  const { namespace, database } = principal;
  return { namespace, database };
}

/** Names a user among those of its place, however it signed in. */
export function subjectOf(principal: SystemUser | RecordUser): string {
  return principal.kind === 'system' ? userSubject(principal.name) : recordSubject(principal.id);
}

export function userSubject(name: string): string {
  return `user ${name}`;
}

export function recordSubject(id: RecordId): string {
  return `record ${toText(id)}`;
}

/** What a statement does, as far as roles care (the matrix of `reference/auth.md` §9). */
export type Action =
  /** SELECT, INFO, SHOW. */
  | 'view'
  /** CREATE … DELETE, definitions of tables, fields, indexes, events, params, functions, analyzers; OPTION, SLEEP. */
  | 'edit'
  /** Definitions of users, accesses, configs. */
  | 'own';

const ALLOWED: Readonly<Record<Role, readonly Action[]>> = {
  owner: ['view', 'edit', 'own'],
  editor: ['view', 'edit'],
  viewer: ['view'],
};

/** A place in the hierarchy: root when `namespace` is missing, a namespace when `database` is. */
export interface DatabasePath {
  readonly namespace?: string | undefined;
  readonly database?: string | undefined;
}

/** Whether a system user's level covers `place`: the same namespace and database as far as the level names them. */
export function covers(user: SystemUser, place: DatabasePath): boolean {
  switch (user.level) {
    case 'root':
      return true;
    case 'namespace':
      return user.namespace === place.namespace;
    case 'database':
      return place.database !== undefined && user.namespace === place.namespace && user.database === place.database;
  }
}

/** Whether a role of the principal grants `action` at `place`. Guests and record users have no roles. */
export function mayAct(principal: Principal, action: Action, place: DatabasePath): boolean {
  return (
    principal.kind === 'system' &&
    covers(principal, place) &&
    principal.roles.some((role) => ALLOWED[role].includes(action))
  );
}

/** Roles as the peer tells them: as they are written, which is in capitals mostly; 'Viewer' is the one of whoever was given none. */
export function roleNames(roles: readonly Role[]): string[] {
  return roles.length === 1 && roles[0] === 'viewer' ? ['Viewer'] : roles.map((role) => role.toUpperCase());
}
