/** INFO FOR BUCKETS: the buckets with which the session may do something, for those who may not see definitions. */
import type { BucketDefinition } from '../../catalog/definitions/definition.js';
import { isNeverAllowed } from '../../files/bucket-rules.js';
import { FILE_ACTIONS, type FileAction } from '../../language/ast.js';
import { selectedDatabase } from '../../runtime/authorization/selected-database.js';
import type { Execution } from '../../runtime/execution.js';
import { type ObjectValue, objectFrom } from '../../value/value.js';

/**
 * A row for each bucket of which some clause isn't NONE for the principal, by name:
 * `{ name, readonly, put, get, …, types, max_size }`. Whether an action may be allowed for some file is all that is
 * said of the rules: no condition, since that would reveal what is hidden.
 */
export async function bucketList(execution: Execution): Promise<ObjectValue[]> {
  selectedDatabase(execution);
  const catalog = await execution.context.catalog();
  return [...(catalog?.buckets.values() ?? [])].flatMap((bucket) => {
    const may = FILE_ACTIONS.map((action) => [action, mayBe(execution, action, bucket)] as const);
    return may.some(([, isPossible]) => isPossible) ? [rowOfBucket(bucket, Object.fromEntries(may))] : [];
  });
}

function mayBe(execution: Execution, action: FileAction, bucket: BucketDefinition): boolean {
  return !(bucket.readonly && CHANGES.has(action)) && !isNeverAllowed(execution, action, bucket);
}

/** Actions that change the bucket itself: what is read-only can be copied to others. */
const CHANGES: ReadonlySet<FileAction> = new Set<FileAction>(['put', 'delete', 'rename']);

function rowOfBucket(
  { name, readonly, types, maxSize }: BucketDefinition,
  may: Readonly<Record<string, boolean>>,
): ObjectValue {
  return objectFrom({
    ...may,
    ...(maxSize !== undefined && { max_size: maxSize }),
    name,
    readonly,
    ...(types !== undefined && { types }),
  });
}
