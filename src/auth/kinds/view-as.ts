/**
 * Views: an owner sees what another user would see. A view rests on the owner's session and has no credentials of its
 * own: no token is made, and its identity has no `basis`.
 */
import type { DatabasePath } from '../../catalog/principal.js';
import { failure, type TesseraError } from '../../errors/error.js';
import type { Level, Role } from '../../language/ast.js';
import { parseRecordId } from '../../language/parse.js';
import { toText } from '../../value/text/text.js';
import { newObject, type ObjectValue, Range, RecordId, type Value } from '../../value/value.js';
import type { AuthContext } from '../context.js';
import {
  type Client,
  GUEST,
  identityOf,
  type SessionIdentity,
  type SignedIn,
  sessionExpiry,
  systemUser,
  tokenLifetime,
} from '../identity.js';
import { claimsValue } from '../tokens/claims.js';
import type { TokenContent } from '../tokens/tokens.js';
import { accessKindOf } from './access-kinds.js';

/** The user whom a view shows, and the path at which an owner may have it. */
export type ViewTarget =
  | { readonly kind: 'record'; readonly databasePath: DatabasePath; readonly record: RecordId; readonly access: string }
  | { readonly kind: 'role'; readonly databasePath: DatabasePath; readonly role: Role }
  | { readonly kind: 'guest'; readonly databasePath: DatabasePath };

/** Owners have nothing to learn from a view as an owner, and could do there what a view must not. */
const ROLES: ReadonlySet<Value> = new Set<Role>(['viewer', 'editor']);
const MEMBERS: ReadonlySet<string> = new Set(['namespace', 'database', 'access', 'record', 'role', 'guest']);
const EXPECTED =
  'one of {record, access}, {role: "viewer" | "editor"} and {guest: true}, each with an optional namespace and database';

/**
 * Reads what a client asks for:
 *
 * | shown | body |
 * |---|---|
 * | a record user | `{record: person:1, access: 'account'}`, in `namespace` and `database`, by default the selected ones |
 * | a guest | `{guest: true}`, there as well |
 * | a system user | `{role: 'viewer'}` of the root, of the `namespace`, or of the `database` that are named |
 *
 * @throws TesseraError `invalid_params`, `namespace_empty`, `database_empty`
 */
export function readViewTarget(body: ObjectValue, selected: DatabasePath): ViewTarget {
  for (const name of Object.keys(body)) if (!MEMBERS.has(name)) throw malformed();
  const namespace = textOf(body['namespace']);
  const database = textOf(body['database']);
  const { record, role, guest } = body;
  if (role !== undefined) {
    const isAlone = record === undefined && guest === undefined && body['access'] === undefined;
    if (!isAlone || !ROLES.has(role) || (database !== undefined && namespace === undefined)) throw malformed();
    return { kind: 'role', databasePath: { namespace, database }, role: role as Role };
  }
  const databasePath = databaseOf(namespace, database, selected);
  if (guest !== undefined) {
    if (guest !== true || record !== undefined || body['access'] !== undefined) throw malformed();
    return { kind: 'guest', databasePath };
  }
  const access = textOf(body['access']);
  const id = typeof record === 'string' ? parseRecordId(record) : record;
  if (access === undefined || !(id instanceof RecordId) || id.key instanceof Range) throw malformed();
  return { kind: 'record', databasePath, record: id, access };
}

/** Another namespace has no selected database. */
function databaseOf(namespace: string | undefined, database: string | undefined, selected: DatabasePath): DatabasePath {
  const found = {
    namespace: namespace ?? selected.namespace,
    database: database ?? (namespace === undefined ? selected.database : undefined),
  };
  if (found.namespace === undefined) throw failure('namespace_empty');
  if (found.database === undefined) throw failure('database_empty');
  return found;
}

function textOf(value: Value): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string' || value === '') throw malformed();
  return value;
}

function malformed(): TesseraError {
  return failure('invalid_params', { expected: EXPECTED });
}

/**
 * The identity that a view shows, as after a sign-in whose AUTHENTICATE clause lets the user in; `$token` has the
 * claims of their token but `jti`, since there is none.
 *
 * @param viewer the owner's identity; the caller has checked that the owner may view as the target
 * @throws TesseraError `view_target_missing`
 */
export async function viewedIdentity(
  context: AuthContext,
  target: ViewTarget,
  viewer: SessionIdentity,
  client: Client,
): Promise<SessionIdentity> {
  const { databasePath } = target;
  const identify = (shown: Omit<SignedIn, 'databasePath' | 'viewer'>) =>
    identityOf({ ...shown, databasePath, viewer: viewer.principal }, client);
  switch (target.kind) {
    case 'guest':
      return identify({ principal: GUEST, claims: undefined, access: undefined, expiresAt: undefined });
    case 'role': {
      const { principal } = viewer;
      const name = principal.kind === 'system' ? principal.name : '';
      return identify({
        principal: systemUser(levelOf(databasePath), databasePath, name, [target.role]),
        claims: claimsOf(context, { ...databasePath, id: name, lifetime: tokenLifetime({}) }),
        access: undefined,
        expiresAt: undefined,
      });
    }
    case 'record': {
      const access = await context.directory.access(databasePath, target.access);
      if (access === undefined || !accessKindOf(access.accessKind).hasRecordUsers(access.accessKind)) {
        throw failure('view_target_missing', { what: `access method ${target.access} for records` });
      }
      const { record } = target;
      const found = await context.directory.record(databasePath, record);
      if (found === undefined) throw failure('view_target_missing', { what: `record ${toText(record)}` });
      const { namespace = '', database = '' } = databasePath;
      const lifetime = tokenLifetime(access.durations);
      const { incarnation } = found;
      const user = { kind: 'record', namespace, database, access: access.name, id: record } as const;
      return identify({
        // Another record of that id is another user.
        principal: incarnation === undefined ? user : { ...user, incarnation: incarnation.id },
        claims: claimsOf(context, { ...databasePath, access: access.name, id: toText(record), lifetime }, record),
        access: access.name,
        expiresAt: sessionExpiry(access.durations, context.environment),
      });
    }
  }
}

function levelOf({ namespace, database }: DatabasePath): Level {
  return database !== undefined ? 'database' : namespace !== undefined ? 'namespace' : 'root';
}

function claimsOf({ tokens }: AuthContext, content: TokenContent, record?: RecordId): ObjectValue {
  const claims = newObject();
  for (const [name, claim] of Object.entries(claimsValue(tokens.claims(content), record))) {
    if (name !== 'jti') claims[name] = claim;
  }
  return claims;
}
