/** The files of a bucket with their bytes, for an export. */
import { TesseraError } from '../errors/error.js';
import type { ExportedFile } from '../runtime/file-access.js';
import { BucketRows } from './bucket-rows.js';
import type { BucketPlace, ContentStores } from './contents/content-stores.js';
import { type FileRow, shownFile } from './file-row.js';

/** `read` gives the bytes of a file as the transaction of the rows shows it. @throws TesseraError `bucket_store` */
export async function* exportedFiles(
  stores: ContentStores,
  place: BucketPlace,
  rows: BucketRows,
  read: (row: FileRow) => AsyncIterable<Uint8Array>,
): AsyncGenerator<ExportedFile> {
  for await (const row of rows.all()) {
    yield { facts: shownFile(place.name, row), size: row.size, pieces: whileThere(stores, place, row, read(row)) };
  }
}

/** The bytes of a file up to where they are deleted: those outside of the store aren't kept for a transaction. */
async function* whileThere(
  stores: ContentStores,
  place: BucketPlace,
  row: FileRow,
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* pieces;
  } catch (error) {
    const isLost = error instanceof TesseraError && error.code === 'bucket_store';
    if (!isLost || (await isFile(stores, place, row))) throw error;
  }
}

/** Whether a file is the same by now. */
async function isFile(stores: ContentStores, place: BucketPlace, { key, content }: FileRow): Promise<boolean> {
  const now = await stores.see((transaction) => new BucketRows(transaction, place, stores.process).get(key));
  return now?.content === content;
}
