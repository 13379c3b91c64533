/** Compares the files of a bucket with its bytes, in a store that no server has open. */
import { entriesOf } from '../../catalog/entries.js';
import { BucketKeys } from '../../catalog/keys/file-keys.js';
import type { Engine, Transaction } from '../../storage/contract.js';
import { withRetries } from '../../storage/retry.js';
import { BucketRows } from '../bucket-rows.js';
import type { BucketPlace, ContentStores } from '../contents/content-stores.js';
import { type FileRow, readFileRow } from '../file-row.js';

export interface BucketFaults {
  /** Ids of contents that neither a file nor a note has, so that nothing would delete them. */
  readonly strays: readonly string[];
  /** Files whose bytes are gone. */
  readonly missing: readonly FileRow[];
}

/** @throws TesseraError `bucket_denied`, `bucket_store` */
export async function checkBucket(engine: Engine, stores: ContentStores, place: BucketPlace): Promise<BucketFaults> {
  const transaction = await engine.begin({ writable: false });
  try {
    const keys = new BucketKeys(place.database, place.identity);
    const files = (await entriesOf(transaction, keys.files)).map(([, stored]) => readFileRow(stored));
    const known = new Set(files.map(({ content }) => content));
    for (const content of await notedContents(transaction, keys)) known.add(content);
    const strays: string[] = [];
    const there = new Set<string>();
    for await (const content of stores.of(place).list()) {
      there.add(content);
      if (!known.has(content)) strays.push(content);
    }
    // In the store itself, nothing is kept of an empty file.
    const isKept = ({ size }: FileRow) => size > 0 || place.address.kind !== 'database';
    return { strays, missing: files.filter((file) => isKept(file) && !there.has(file.content)) };
  } finally {
    transaction.cancel();
  }
}

/** Contents of uploads and of files that were deleted: the sweeper deletes them when they are due. */
async function notedContents(transaction: Transaction, keys: BucketKeys): Promise<string[]> {
  const noted = [...(await entriesOf(transaction, keys.due)), ...(await entriesOf(transaction, keys.withdrawn))];
  return noted.map(([key]) => keys.contentIn(key));
}

/** Deletes contents that no file has, and files whose bytes are gone. */
export async function repairBucket(
  engine: Engine,
  stores: ContentStores,
  place: BucketPlace,
  { strays, missing }: BucketFaults,
): Promise<void> {
  for (const content of strays) await stores.of(place).delete(content);
  for (const file of missing) {
    await withRetries(engine, (transaction) =>
      new BucketRows(transaction, place, stores.process).delete(file, stores.now),
    );
  }
}
