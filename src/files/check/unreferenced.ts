/** Files that no field refers to, in buckets to which REFERENCE fields refer. */
import type { DatabaseCatalog } from '../../catalog/definitions/database-catalog.js';
import { vertexKey } from '../../catalog/definitions/vertex-key.js';
import { edgePrefix, referrerAt } from '../../catalog/keys/edge-keys.js';
import { BucketKeys } from '../../catalog/keys/file-keys.js';
import { prefixRange } from '../../catalog/keys/key-bytes.js';
import type { Engine, Transaction } from '../../storage/contract.js';
import { forEachBatch } from '../../storage/cursor.js';
import type { Type } from '../../value/type.js';
import { FileReference } from '../../value/value.js';
import type { BucketPlace } from '../contents/content-stores.js';
import { readFileRow } from '../file-row.js';

/** Their keys; none where no field says which files are wanted. */
export async function unreferencedFiles(
  engine: Engine,
  catalog: DatabaseCatalog,
  { name, identity }: BucketPlace,
): Promise<string[]> {
  const fields = [...catalog.tables.values()].flatMap((table) => table.fields);
  if (!fields.some(({ reference, type }) => reference && type && mayHoldFileOf(type, name))) return [];
  const transaction = await engine.begin({ writable: false });
  try {
    const found: string[] = [];
    const { files } = new BucketKeys(catalog.database.id, identity);
    await forEachBatch(transaction.scan(files), async (batch) => {
      for (const [, stored] of batch) {
        const { key } = readFileRow(stored);
        if (!(await isReferredTo(transaction, catalog, new FileReference(name, key)))) found.push(key);
      }
      return false;
    });
    return found;
  } finally {
    transaction.cancel();
  }
}

function mayHoldFileOf(type: Type, bucket: string): boolean {
  switch (type.kind) {
    case 'file':
      return type.buckets.length === 0 || type.buckets.includes(bucket);
    case 'union':
      return type.of.some((member) => mayHoldFileOf(member, bucket));
    case 'array':
    case 'set':
      return type.item !== undefined && mayHoldFileOf(type.item, bucket);
    default:
      return false;
  }
}

/** References from tables that were removed stay behind. */
async function isReferredTo(transaction: Transaction, catalog: DatabaseCatalog, file: FileReference): Promise<boolean> {
  const vertex = vertexKey(catalog, file);
  let isReferred = false;
  await forEachBatch(transaction.scan(prefixRange(edgePrefix(vertex, 'reference'))), (batch) => {
    isReferred ||= batch.some(([key]) => catalog.tablesById.has(referrerAt(vertex, key).table));
    return isReferred;
  });
  return isReferred;
}
