/** ACCESS: issues, shows, revokes and purges the grants of an access method, and rotates its key. */
import { assertRecentSignIn } from '../../auth/assurance.js';
import type { IdentityRows } from '../../auth/directory.js';
import type { AccessGrants } from '../../auth/kinds/access-kind.js';
import { accessKindOf } from '../../auth/kinds/access-kinds.js';
import { assertSecondFactor, isWayIn } from '../../auth/second-factor/factors.js';
import { assuranceIn } from '../../auth/ways/bearer.js';
import { endedMail, factorRemovedMail, removedMail } from '../../auth/ways/mail-text.js';
import { tell, tellOthers } from '../../auth/ways/notices.js';
import { shownSubject } from '../../auth/ways/shown-identity.js';
import { mapInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import { type Grant, type GrantSubject, Grants, generateGrant, isExpired } from '../../catalog/credentials/grant.js';
import { type IdentityGrant, shownName } from '../../catalog/credentials/identity.js';
import { ensureIncarnation, NO_INCARNATION } from '../../catalog/credentials/incarnation.js';
import { generateSecret, SIGNING_SECRET_LENGTH } from '../../catalog/credentials/secret.js';
import { isSymmetric, jwtOf, withJwt } from '../../catalog/credentials/signing-key.js';
import { putAtLevel } from '../../catalog/ddl/define.js';
import type { AccessDefinition } from '../../catalog/definitions/definition.js';
import { areaOf, findAccess, findUser } from '../../catalog/definitions/lookup.js';
import type { DatabasePath, Identity, RecordUser } from '../../catalog/principal.js';
import type { Environment } from '../../env/environment.js';
import { failure } from '../../errors/error.js';
import type { Access, KeyRotation } from '../../language/ast.js';
import { DEFAULT_DURATIONS } from '../../language/definitions/durations.js';
import { REDACTED } from '../../language/printer/printer.js';
import { authorize } from '../../runtime/authorization/authorize.js';
import { schemaChangeOf, selectedPath } from '../../runtime/authorization/selected-database.js';
import type { Execution } from '../../runtime/execution.js';
import type { Compiler, Evaluate, Frame } from '../../runtime/frame.js';
import { toText } from '../../value/text/text.js';
import { datetimeNanoseconds, toDatetime } from '../../value/time/datetime.js';
import { isTruthy } from '../../value/truthiness.js';
import {
  isArray,
  isObject,
  type MutableObject,
  type ObjectValue,
  objectFrom,
  Range,
  RecordId,
  type Value,
} from '../../value/value.js';
import { judgeAccessKeys } from '../define/define-access.js';
import { finish } from '../define/definition.js';
import { identityRowsOf } from './identity-rows.js';
import { invite } from './invite.js';
import { linkIdentity } from './link-identity.js';

type Action = Access['action'];
type Which = Extract<Action, { kind: 'show' | 'revoke' }>['which'];

/** The access method of a statement, its grants, and its identities, which are shown and revoked like grants. */
interface Store {
  readonly databasePath: DatabasePath;
  readonly access: AccessDefinition;
  readonly grants: Grants;
  /** Absent where an access method can have none. */
  readonly rows: IdentityRows | undefined;
  /** Whose grants and identities are seen: those of a record user who asks; absent for owners and viewers. */
  readonly own: RecordUser | undefined;
}

type Run = (frame: Frame, store: Store) => PromiseOrValue<Value>;

type Actions = {
  readonly [K in Action['kind']]: (action: Action & { readonly kind: K }, compiler: Compiler) => Run;
};

const ACTIONS: Actions = {
  grant: compileGrant,
  show: ({ which }, compiler) => {
    const select = compileWhich(which, compiler);
    return async (frame, store) => {
      const found = await select(frame, store);
      return which.kind === 'grant' ? shown(found[0] as Grant) : found.map(plain);
    };
  },
  revoke: ({ which }, compiler) => {
    const select = compileWhich(which, compiler);
    return async (frame, store) => {
      const found = await select(frame, store);
      const live = found.filter(({ revocation }) => revocation === undefined);
      if (store.own !== undefined) await assertMayRevokeOwn(frame.execution, store, live);
      const revoked = await mapInOrder(live, (grant) => revoke(frame.execution, store, grant));
      // Sessions that were opened with such a key end.
      if (revoked.length > 0)
        frame.execution.services.sessions.scheduleRevalidation(frame.execution.context.transaction, store.databasePath);
      return which.kind === 'grant' ? shown(revoked[0] ?? (found[0] as Grant)) : [revoked.map(plain)];
    };
  },
  link: compileLink,
  rotate:
    ({ rotation }) =>
    ({ execution }, { databasePath, access }) =>
      rotateKey(execution, databasePath, access, rotation),
  purge: (action) => async (frame, store) => {
    const grants = await allOf(store);
    const now = frame.execution.services.environment.clock.now();
    const purged = grants.filter((grant) => isPurged(grant, action, now));
    for (const { id } of purged) store.grants.remove(id);
    return purged.map(plain);
  },
};

/** ACCESS … GRANT, LINK, SHOW, REVOKE and PURGE. @throws TesseraError `read_only`, `access_missing`, when it runs */
export function compileAccessStatement({ name, level, action }: Access, compiler: Compiler): Evaluate {
  const run = (ACTIONS[action.kind] as (action: Action, compiler: Compiler) => Run)(action, compiler);
  return async (frame) => {
    const { execution } = frame;
    const databasePath = selectedPath(execution, level);
    const { transaction } = execution.context;
    const access = await findAccess(transaction, databasePath, name);
    const own = access && hasWay(access) ? ownerOfOwn(execution.identity, action.kind, databasePath) : undefined;
    if (own === undefined)
      authorize(execution.identity, action.kind === 'show' ? 'view' : 'own', databasePath, 'Access');
    if (!execution.writable) throw failure('read_only');
    const area = await areaOf(transaction, databasePath);
    if (access === undefined || area === undefined) throw failure('access_missing', { name, ...databasePath });
    const rows = hasWay(access) ? await identityRowsOf(execution) : undefined;
    return run(frame, { databasePath, access, grants: new Grants(transaction, area, name), rows, own });
  };
}

/** A record user may show and revoke what is their own at an access method with a way. */
function ownerOfOwn(
  { principal }: Identity,
  action: Action['kind'],
  { namespace, database }: DatabasePath,
): RecordUser | undefined {
  if (principal.kind !== 'record' || (action !== 'show' && action !== 'revoke')) return undefined;
  return principal.namespace === namespace && principal.database === database ? principal : undefined;
}

function hasWay({ accessKind }: AccessDefinition): boolean {
  return accessKind.kind === 'record' && accessKind.way !== undefined;
}

/** Only what is mailed can be an invitation. */
function isByMail({ accessKind }: AccessDefinition): boolean {
  return accessKind.kind === 'record' && accessKind.way?.kind === 'mail';
}

/** @throws TesseraError `recent_sign_in_required`, `second_factor_required`, `last_identity` */
async function assertMayRevokeOwn({ identity, services }: Execution, { rows }: Store, revoked: readonly Grant[]) {
  const ended = revoked.filter(({ identity: tied }) => tied !== undefined);
  if (ended.length === 0) return;
  assertRecentSignIn(identity, services.environment.clock);
  const { principal, token } = identity;
  if (principal.kind !== 'record' || rows === undefined || !isObject(token)) return;
  await assertSecondFactor(rows, principal.id, principal.incarnation, assuranceIn(token));
  // A second factor signs no one in alone.
  const lost = ended.filter(({ identity: tied }) => tied !== undefined && isWayIn(tied.kind)).length;
  const all = (await rows.identities.ofRecord(principal.id)).filter(
    ({ access, kind }) => isWayIn(kind) && rows.way(access)?.kind === kind,
  );
  // Who has a password, needs no address to come in again.
  const hasPassword = isArray(token['amr']) && token['amr'].includes('pwd');
  if (!hasPassword && lost > 0 && all.length <= lost) throw failure('last_identity');
}

function compileGrant({ subject }: Extract<Action, { kind: 'grant' }>, compiler: Compiler): Run {
  const subjectOf = compileSubject(subject, compiler);
  return async (frame, store) => {
    const granted = await subjectOf(frame, store);
    if (store.rows !== undefined && !isByMail(store.access)) throw failure('access_method_mismatch');
    if (store.rows !== undefined) return shown(await invite(frame.execution, store.rows, store.access, granted));
    const { name, durations } = store.access;
    const { use } = grantsOf(store.access);
    const {
      services: { environment },
    } = frame.execution;
    const drawn = generateGrant(environment, use, { access: name, subject: granted, lifetime: durations.grant });
    store.grants.put(drawn.grant);
    return shown(drawn.grant, drawn.key);
  };
}

function compileLink({ record, subject }: Extract<Action, { kind: 'link' }>, compiler: Compiler): Run {
  const evaluate = compiler.expression(record);
  return async (frame, { access: { name, accessKind }, rows }) => {
    const id = await evaluate(frame);
    if (!(id instanceof RecordId) || id.key instanceof Range) throw failure('grant_subject_invalid');
    const way = accessKind.kind === 'record' ? accessKind.way : undefined;
    if (rows === undefined || way === undefined) throw failure('access_method_mismatch');
    return shown(grantOfIdentity(await linkIdentity(frame.execution, rows, { name, way }, id, subject)));
  };
}

/** The subject of a grant. @throws TesseraError `access_method_mismatch`, `grant_subject_invalid`, `user_missing` */
function compileSubject(
  subject: Extract<Action, { kind: 'grant' }>['subject'],
  compiler: Compiler,
): (frame: Frame, store: Store) => PromiseOrValue<GrantSubject> {
  if (subject.kind === 'user') {
    const { name } = subject;
    return async (frame, { databasePath, access }) => {
      checkSubject(access, 'user');
      const user = await findUser(frame.execution.context.transaction, databasePath, name);
      if (user === undefined) throw failure('user_missing', { name, ...databasePath });
      return { kind: 'user', name, incarnation: user.incarnation };
    };
  }
  const evaluate = compiler.expression(subject.record);
  return async (frame, { access }) => {
    checkSubject(access, 'record');
    const record = await evaluate(frame);
    if (!(record instanceof RecordId) || record.key instanceof Range) throw failure('grant_subject_invalid');
    const { context } = frame.execution;
    const catalog = await context.catalog();
    const incarnation = await ensureIncarnation(schemaChangeOf(frame.execution), catalog, record, true);
    context.catalogChanged();
    return { kind: 'record', record, incarnation: incarnation?.id ?? NO_INCARNATION };
  };
}

function checkSubject(access: AccessDefinition, subject: GrantSubject['kind']): void {
  // An invitation is for a record, whether or not the access method issues refresh tokens.
  const expected = hasWay(access) ? 'record' : grantsOf(access).subject;
  if (subject !== expected) throw failure('grant_subject_invalid');
}

/** @throws TesseraError `access_method_mismatch` */
function grantsOf({ accessKind }: AccessDefinition): AccessGrants {
  const grants = accessKindOf(accessKind).grants(accessKind);
  if (grants === undefined) throw failure('access_method_mismatch');
  return grants;
}

function compileWhich(which: Which, compiler: Compiler): (frame: Frame, store: Store) => PromiseOrValue<Grant[]> {
  switch (which.kind) {
    case 'all':
      return (_, store) => allOf(store);
    case 'grant':
      return async (_, store) => {
        const grant = await grantOf(store, which.id);
        const { databasePath, access } = store;
        if (grant === undefined) throw failure('grant_missing', { id: which.id, access: access.name, ...databasePath });
        const whole = await withFamily(store.grants, grant);
        return [whole];
      };
    case 'where': {
      const condition = compiler.expression(which.condition);
      return async (frame, store) => {
        const grants = await allOf(store);
        const verdicts = await mapInOrder(grants, (grant) => condition(frame.within(shown(grant))));
        return grants.filter((_, at) => isTruthy(verdicts[at]));
      };
    }
  }
}

async function grantOf(store: Store, id: string): Promise<Grant | undefined> {
  const grant = await store.grants.find(id);
  if (grant !== undefined) return isSeen(store, grant) ? grant : undefined;
  return (await identitiesOf(store)).find((identity) => identity.id === id);
}

async function allOf(store: Store): Promise<Grant[]> {
  const grants = (await store.grants.list()).filter((grant) => isSeen(store, grant));
  const whole = await mapInOrder(grants, (grant) => withFamily(store.grants, grant));
  return [...whole, ...(await identitiesOf(store))];
}

/** Identities as grants without a key. */
async function identitiesOf(store: Store): Promise<Grant[]> {
  const identities = (await store.rows?.identities.list(store.access.name)) ?? [];
  return identities.map(grantOfIdentity).filter((grant) => isSeen(store, grant));
}

function grantOfIdentity(identity: IdentityGrant): Grant {
  const { id, access, record, incarnation, created } = identity;
  return { id, access, subject: { kind: 'record', record, incarnation }, creation: created, digest: NO_KEY, identity };
}

const NO_KEY = new Uint8Array(0);

function isSeen({ own }: Store, { subject }: Grant): boolean {
  if (own === undefined) return true;
  return (
    subject.kind === 'record' && toText(subject.record) === toText(own.id) && subject.incarnation === own.incarnation
  );
}

/** A refresh token that was revoked with its family is one that was revoked. */
async function withFamily(grants: Grants, grant: Grant): Promise<Grant> {
  if (grant.family === undefined || grant.revocation !== undefined) return grant;
  const revocation = await grants.familyRevocation(grant.family);
  return revocation === undefined ? grant : { ...grant, revocation };
}

async function revoke({ services: { environment } }: Execution, { grants, rows }: Store, grant: Grant): Promise<Grant> {
  const now = environment.clock.now();
  const revocation = toDatetime(now);
  const revoked = { ...grant, revocation };
  if (grant.identity !== undefined) {
    await rows?.endIdentity(grant.identity);
    if (rows !== undefined && grant.identity.kind === 'mail')
      await tell(rows, grant.identity, removedMail(rows.app), now);
    else if (rows !== undefined) await tellOthers(rows, grant.identity, endedMailOf(grant.identity)(rows.app), now);
    return revoked;
  }
  grants.put(revoked);
  // Otherwise the token that it replaced could still count as the loser of a race.
  if (grant.family !== undefined) grants.revokeFamily(grant.family, revocation);
  return revoked;
}

function endedMailOf({ kind }: IdentityGrant): typeof endedMail {
  return isWayIn(kind) ? endedMail : factorRemovedMail;
}

const SECOND = 1_000_000_000n;

/** Whether a grant has been revoked or expired for longer than the given time; whole seconds count. */
function isPurged(grant: Grant, action: Extract<Action, { kind: 'purge' }>, now: bigint): boolean {
  const inactive = (since: bigint) => now / SECOND - since / SECOND > (action.inactiveFor ?? 0n) / SECOND;
  const { expiration, revocation } = grant;
  return (
    (action.expired &&
      expiration !== undefined &&
      isExpired(grant, now) &&
      inactive(datetimeNanoseconds(expiration))) ||
    (action.revoked && revocation !== undefined && inactive(datetimeNanoseconds(revocation)))
  );
}

const plain = (grant: Grant): ObjectValue => shown(grant);

/** A grant as it is shown; its key only when it has just been made. */
function shown(
  { id, access, subject, creation, expiration, revocation, address, identity }: Grant,
  key = REDACTED,
): ObjectValue {
  const object: MutableObject = objectFrom({
    ac: access,
    creation,
    expiration,
    grant: objectFrom({ id, key }),
    id,
    revocation,
    subject: objectFrom(subject.kind === 'user' ? { user: subject.name } : { record: subject.record }),
    type: identity?.kind ?? (address === undefined ? 'bearer' : 'invitation'),
  });
  // Other types keep the members that clients of the reference engine know.
  if (identity !== undefined) {
    const { subject: text, issuer } = shownSubject(identity);
    const told = { ...(issuer !== undefined && { issuer }), ...shownName(identity) };
    Object.assign(object, { identity: text, used: identity.used, ...told });
  }
  if (address !== undefined) object['address'] = address;
  return object;
}

// ACCESS … ROTATE: a new key for an access method. Tokens of the former one stay valid for a while.

/** @throws TesseraError `access_method_mismatch`, `rotation_key_missing`, `invalid_key`, `too_many_retired_keys` */
async function rotateKey(
  execution: Execution,
  databasePath: DatabasePath,
  access: AccessDefinition,
  rotation: KeyRotation,
): Promise<undefined> {
  const rotated = withNewKey(access, rotation, execution.services.environment);
  judgeAccessKeys(rotated, execution);
  await putAtLevel(schemaChangeOf(execution), databasePath, rotated);
  return finish(execution);
}

function withNewKey(
  access: AccessDefinition,
  { key, issuerKey, keep }: KeyRotation,
  { clock, random }: Environment,
): AccessDefinition {
  const { accessKind, durations } = access;
  const given = jwtOf(accessKind);
  if (given?.verify.kind !== 'key') throw failure('access_method_mismatch');
  const { verify, issuer, ...rest } = given;
  const symmetric = isSymmetric(verify.algorithm);
  // The server generates its own secret; an external issuer's key must be given.
  const draws = symmetric && accessKindOf(accessKind).keys === 'drawn';
  const next = key ?? (draws ? generateSecret(random, SIGNING_SECRET_LENGTH) : undefined);
  const signing = symmetric ? next : issuerKey;
  if (next === undefined || (issuer?.key !== undefined && signing === undefined)) throw failure('rotation_key_missing');
  const now = clock.now();
  const lifetime = keep ?? durations.token ?? DEFAULT_DURATIONS.token;
  const retired = (verify.retired ?? []).filter(({ until }) => datetimeNanoseconds(until) > now);
  if (lifetime > 0n) retired.unshift({ key: verify.key, until: toDatetime(now + lifetime) });
  const jwt = {
    verify: {
      kind: verify.kind,
      algorithm: verify.algorithm,
      key: next,
      ...(retired.length > 0 && { retired }),
    },
    ...rest,
    ...(signing !== undefined && { issuer: { key: signing } }),
  };
  return { ...access, accessKind: withJwt(accessKind, jwt) };
}
