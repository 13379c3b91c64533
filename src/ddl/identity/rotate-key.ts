/** ACCESS … ROTATE: a new key for an access method. Tokens of the former one stay valid for a while. */
import { generateSecret, SIGNING_SECRET_LENGTH } from '../../catalog/credentials/secret.js';
import { isSymmetric } from '../../catalog/credentials/signing-key.js';
import { putAtLevel } from '../../catalog/ddl/define.js';
import type { AccessDefinition } from '../../catalog/definitions/definition.js';
import type { DatabasePath } from '../../catalog/principal.js';
import type { Environment } from '../../env/environment.js';
import { failure } from '../../errors/error.js';
import type { KeyRotation } from '../../language/ast.js';
import { schemaChangeOf } from '../../runtime/authorization/selected-database.js';
import type { Execution } from '../../runtime/execution.js';
import { datetimeNanoseconds, toDatetime } from '../../value/time/datetime.js';
import { judgeAccessKeys } from '../define/define-access.js';
import { finish } from '../define/definition.js';
import { HOUR } from '../define/lifetime.js';

/** @throws TesseraError `access_method_mismatch`, `rotation_key_missing`, `invalid_key`, `too_many_retired_keys` */
export async function rotateKey(
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
  if (accessKind.kind === 'bearer' || accessKind.jwt?.verify.kind !== 'key') throw failure('access_method_mismatch');
  const { verify, issuer, ...rest } = accessKind.jwt;
  const symmetric = isSymmetric(verify.algorithm);
  // The server generates its own secret; an external issuer's key must be given.
  const next =
    key ?? (symmetric && accessKind.kind === 'record' ? generateSecret(random, SIGNING_SECRET_LENGTH) : undefined);
  const signing = symmetric ? next : issuerKey;
  if (next === undefined || (issuer?.key !== undefined && signing === undefined)) throw failure('rotation_key_missing');
  const now = clock.now();
  const lifetime = keep ?? durations.token ?? HOUR;
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
  return { ...access, accessKind: { ...accessKind, jwt } };
}
