/** DEFINE ACCESS, and what is checked or drawn of its keys. */
import { accessKindOf } from '../../auth/kinds/access-kinds.js';
import { algorithmOfClientKey } from '../../auth/oidc/client-key.js';
import { providerTarget, providerWayOf } from '../../auth/oidc/provider-target.js';
import { generateSecret, SIGNING_SECRET_LENGTH } from '../../catalog/credentials/secret.js';
import { isSymmetric, jwtOf, validateKeys, withJwt } from '../../catalog/credentials/signing-key.js';
import { putAtLevel } from '../../catalog/ddl/define.js';
import type { AccessDefinition } from '../../catalog/definitions/definition.js';
import { findAccess } from '../../catalog/definitions/lookup.js';
import type { Random } from '../../env/environment.js';
import { failure } from '../../errors/error.js';
import type { Fetcher } from '../../functions/network/fetcher.js';
import type { AccessKind, DefineAccess, JwtAccess } from '../../language/ast.js';
import { waySecrets } from '../../language/definitions/access-ways.js';
import { defaultDurations } from '../../language/definitions/define-access.js';
import { REDACTED } from '../../language/printer/printer.js';
import type { Execution } from '../../runtime/execution.js';
import type { Compiler, Evaluate } from '../../runtime/frame.js';
import { assertRedirects } from './define-config.js';
import { beginDefinition, compileName, ensureLevel, finish, settled, shouldDefine } from './definition.js';

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
    if (!execution.importing) judgeWay(access, execution.services.network);
    await putAtLevel(change, databasePath, access);
    return finish(execution);
  };
}

function accessDefinition(statement: DefineAccess, name: string, random: Random): AccessDefinition {
  const accessKind = withKeys(statement.accessKind, random);
  const access = settled(statement, {
    name,
    accessKind,
    durations: { ...defaultDurations(accessKind), ...statement.durations },
  });
  if (accessKindOf(accessKind).keys !== 'secret') return access;
  return { ...access, secret: generateSecret(random, SIGNING_SECRET_LENGTH) };
}

/**
 * Imported keys are accepted unchecked, and checked when they are used.
 * @throws TesseraError `invalid_key`, `too_many_retired_keys`
 */
export function judgeAccessKeys(
  { accessKind }: AccessDefinition,
  { services: { weakKeys }, importing }: Execution,
): void {
  const jwt = jwtOf(accessKind);
  if (importing || weakKeys || jwt === undefined) return;
  validateKeys(jwt, accessKindOf(accessKind).keys === 'drawn');
}

/**
 * What can be checked of a way without asking its provider.
 * @throws TesseraError `issuer_insecure`, `provider_key_invalid`, `config_invalid` for a redirect
 */
function judgeWay({ accessKind }: AccessDefinition, network: Fetcher): void {
  if (accessKind.kind === 'provider') assertRedirects(accessKind.redirects ?? [], network);
  const way = providerWayOf(accessKind);
  if (way?.kind !== 'oidc') return;
  const { issuer, client } = providerTarget(way);
  if (issuer.startsWith('http:') && !network.names(new URL(issuer))) throw failure('issuer_insecure', { issuer });
  if (client.key !== undefined) algorithmOfClientKey(client.key);
}

/** @throws TesseraError `access_errors_misplaced` */
export function judgeAccessErrors({ accessKind, errors }: AccessDefinition): void {
  if (errors !== undefined && accessKindOf(accessKind).signUp === undefined) throw failure('access_errors_misplaced');
}

function withKeys(accessKind: AccessKind, random: Random): AccessKind {
  const draw = () => generateSecret(random, SIGNING_SECRET_LENGTH);
  const given = jwtOf(accessKind);
  if (given !== undefined) return withJwt(accessKind, withIssuer(unredacted(given, draw)));
  if (accessKindOf(accessKind).keys !== 'drawn') return accessKind;
  return withJwt(accessKind, withIssuer({ verify: { kind: 'key', algorithm: 'HS512', key: draw() } }));
}

/** @throws TesseraError `secret_redacted` */
function refuseRedactedKeys(accessKind: AccessKind): void {
  const { verify, issuer } = jwtOf(accessKind) ?? {};
  const keys = verify?.kind === 'key' ? [verify.key, ...(verify.retired ?? []).map(({ key }) => key)] : [];
  const ofWay = 'way' in accessKind && accessKind.way !== undefined ? waySecrets(accessKind.way) : [];
  if ([...keys, issuer?.key, ...ofWay].includes(REDACTED)) throw failure('secret_redacted');
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
