import { generateSecret, SIGNING_SECRET_LENGTH } from '../../catalog/credentials/secret.js';
import { isSymmetric, validateKeys } from '../../catalog/credentials/signing-key.js';
import { putAtLevel } from '../../catalog/ddl/define.js';
import type { AccessDefinition } from '../../catalog/definitions/definition.js';
import { findAccess } from '../../catalog/definitions/lookup.js';
import type { Random } from '../../env/environment.js';
import { failure } from '../../errors/error.js';
import type { AccessKind, DefineAccess, Durations, JwtAccess } from '../../language/ast.js';
import { REDACTED } from '../../language/printer/printer.js';
import type { Execution } from '../../runtime/execution.js';
import type { Compiler, Evaluate } from '../../runtime/frame.js';
import { beginDefinition, compileName, ensureLevel, finish, settled, shouldDefine } from './definition.js';
import { HOUR, THIRTY_DAYS } from './lifetime.js';

/** Defines an access method, with random keys where the statement gives none. */
export function compileDefineAccess(statement: DefineAccess, compiler: Compiler): Evaluate {
  const { level, mode } = statement;
  const nameOf = compileName(statement.name, 'access name', compiler);
  return async (frame) => {
    const { execution } = frame;
    const { databasePath, change } = beginDefinition(execution, level, 'own', 'Actor');
    const name = await nameOf(frame);
    await ensureLevel(execution, level);
    const existing = await findAccess(change.transaction, databasePath, name);
    if (!shouldDefine(mode, existing !== undefined, () => failure('access_exists', { name, ...databasePath }))) return;
    if (!execution.importing) refuseRedactedKeys(statement.accessKind);
    const access = accessDefinition(statement, name, execution.services.environment.random);
    judgeAccessKeys(access, execution);
    judgeAccessErrors(access);
    await putAtLevel(change, databasePath, access);
    return finish(execution);
  };
}

function accessDefinition(statement: DefineAccess, name: string, random: Random): AccessDefinition {
  const accessKind = withKeys(statement.accessKind, random);
  const access = settled(statement, {
    name,
    accessKind,
    durations: { ...lifetimes(accessKind), ...statement.durations },
  });
  return accessKind.kind === 'bearer' ? { ...access, secret: generateSecret(random, SIGNING_SECRET_LENGTH) } : access;
}

/**
 * Imported keys are accepted unchecked, and checked when they are used.
 * @throws TesseraError `invalid_key`, `too_many_retired_keys`
 */
export function judgeAccessKeys(
  { accessKind }: AccessDefinition,
  { services: { weakKeys }, importing }: Execution,
): void {
  if (importing || weakKeys || accessKind.kind === 'bearer' || accessKind.jwt === undefined) return;
  validateKeys(accessKind.jwt, accessKind.kind === 'record');
}

/** @throws TesseraError `access_errors_misplaced` */
export function judgeAccessErrors({ accessKind, errors }: AccessDefinition): void {
  if (errors !== undefined && accessKind.kind !== 'record') throw failure('access_errors_misplaced');
}

function withKeys(accessKind: AccessKind, random: Random): AccessKind {
  const draw = () => generateSecret(random, SIGNING_SECRET_LENGTH);
  switch (accessKind.kind) {
    case 'bearer':
      return accessKind;
    case 'jwt':
      return { ...accessKind, jwt: withIssuer(unredacted(accessKind.jwt, draw)) };
    case 'record': {
      const jwt = accessKind.jwt ?? { verify: { kind: 'key', algorithm: 'HS512', key: draw() } };
      return { ...accessKind, jwt: withIssuer(unredacted(jwt, draw)) };
    }
  }
}

/** @throws TesseraError `secret_redacted` */
function refuseRedactedKeys(accessKind: AccessKind): void {
  const { verify, issuer } = (accessKind.kind !== 'bearer' && accessKind.jwt) || {};
  const keys = verify?.kind === 'key' ? [verify.key, ...(verify.retired ?? []).map(({ key }) => key)] : [];
  if ([...keys, issuer?.key].includes(REDACTED)) throw failure('secret_redacted');
}

/** The text that an export shows in place of a secret is public, and must never become a signing key. */
function unredacted(jwt: JwtAccess, draw: () => string): JwtAccess {
  const { verify, issuer, ...rest } = jwt;
  if (verify.kind === 'url' || !isSymmetric(verify.algorithm)) return jwt;
  const { key, retired, ...algorithm } = verify;
  const known = retired?.filter((former) => former.key !== REDACTED);
  return {
    ...rest,
    verify: { ...algorithm, key: key === REDACTED ? draw() : key, ...(known !== undefined && { retired: known }) },
    ...(issuer !== undefined && issuer.key !== REDACTED && { issuer }),
  };
}

/**
 * A symmetric key both verifies and signs; an issuer's algorithm is written only where it isn't that of the
 * verification.
 */
function withIssuer(jwt: JwtAccess): JwtAccess {
  const { verify, issuer, ...rest } = jwt;
  if (verify.kind === 'url') return jwt;
  const symmetric = isSymmetric(verify.algorithm);
  if (symmetric && issuer?.key !== undefined && issuer.key !== verify.key) {
    throw failure('symmetric_keys_differ', { algorithm: verify.algorithm });
  }
  const key = symmetric ? verify.key : issuer?.key;
  return { verify, ...rest, ...(key !== undefined && { issuer: { key } }) };
}

/**
 * The lifetimes that apply to an access method, with their defaults: nothing is issued by a JWT access that only
 * verifies.
 */
function lifetimes(accessKind: AccessKind): Durations {
  const token = { token: HOUR, session: undefined };
  switch (accessKind.kind) {
    case 'bearer':
      return { grant: THIRTY_DAYS, ...token };
    case 'jwt':
      return accessKind.jwt.issuer === undefined ? { session: undefined } : token;
    case 'record':
      return accessKind.refresh ? { grant: THIRTY_DAYS, ...token } : token;
  }
}
