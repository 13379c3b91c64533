/** DEFINE BUCKET, whose backend is computed once, by its definition. */
import { generateSecret, SIGNING_SECRET_LENGTH } from '../../catalog/credentials/secret.js';
import { putAtLevel } from '../../catalog/ddl/define.js';
import type { BucketDefinition } from '../../catalog/definitions/definition.js';
import { BUCKET_IDENTITY_LENGTH, BucketKeys, bucketDatabaseKey } from '../../catalog/keys/file-keys.js';
import type { Id } from '../../catalog/keys/key-bytes.js';
import { failure } from '../../errors/error.js';
import { contentAddressOf } from '../../files/contents/address.js';
import type { DefineBucket } from '../../language/ast.js';
import { ensureSelectedDatabase } from '../../runtime/authorization/selected-database.js';
import type { Execution } from '../../runtime/execution.js';
import type { Compiler, Evaluate } from '../../runtime/frame.js';
import { toErrorText } from '../../value/text/text.js';
import { beginDefinition, compileName, finish, settled, shouldDefine } from './definition.js';

/**
 * Defines a bucket. One that is overwritten keeps its files, so that it must keep its backend while it has any.
 * @throws TesseraError `bucket_exists`, `bucket_backend`, `bucket_denied`, `bucket_backend_kept`, when it runs
 */
export function compileDefineBucket(statement: DefineBucket, compiler: Compiler): Evaluate {
  const nameOf = compileName(statement.name, 'bucket name', compiler);
  const backendOf = statement.backend && compiler.expression(statement.backend);
  return async (frame) => {
    const { execution } = frame;
    const { databasePath, change } = beginDefinition(execution, 'database', 'own', 'Bucket');
    const name = await nameOf(frame);
    const { buckets, database } = await ensureSelectedDatabase(execution);
    const existing = buckets.get(name);
    if (!shouldDefine(statement.mode, existing !== undefined, () => failure('bucket_exists', { name }))) return;
    const given = await backendOf?.(frame);
    if (given !== undefined && typeof given !== 'string')
      throw failure('file_operand', { type: 'string', value: toErrorText(given) });
    const { backend: _, ...plain } = statement;
    const { random } = execution.services.environment;
    const identity = existing?.identity ?? generateSecret(random, BUCKET_IDENTITY_LENGTH);
    const linkKey = existing?.linkKey ?? generateSecret(random, SIGNING_SECRET_LENGTH);
    const bucket: BucketDefinition = {
      ...settled(plain, { name, identity, linkKey }),
      ...(given !== undefined && { backend: { kind: 'literal', value: given } }),
    };
    await execution.services.files.assertUsable(given);
    if (existing !== undefined) await assertBackendKept(execution, database.id, existing, bucket);
    await putAtLevel(change, databasePath, bucket);
    change.transaction.put(bucketDatabaseKey(database.id), true);
    return finish(execution);
  };
}

async function assertBackendKept(
  { context: { transaction } }: Execution,
  database: Id,
  before: BucketDefinition,
  after: BucketDefinition,
): Promise<void> {
  if (JSON.stringify(contentAddressOf(before)) === JSON.stringify(contentAddressOf(after))) return;
  const { files } = new BucketKeys(database, before.identity);
  const cursor = transaction.scan(files, { limit: 1 });
  const found = await cursor.next();
  cursor.close();
  if (found !== undefined) throw failure('bucket_backend_kept', { name: after.name });
}
