/** Files whose bytes come in several statements, each with a piece: those of an export, say. */
import { createHash } from 'node:crypto';
import { failure, TesseraError } from '../../errors/error.js';
import type { BucketPlace, ContentStores } from '../contents/content-stores.js';
import { joinedContent } from '../contents/joined.js';
import type { StagedContent } from '../contents/staged.js';
import { type BegunUpload, UploadInParts } from './resumable-upload.js';

/** The id of the upload of a file whose pieces a user puts: there is one at a time, which needs no other name. */
export function uploadOfKey(holder: string, key: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([holder, key]))
    .digest('hex');
  return joinedContent(digest.slice(0, 32));
}

/**
 * Adds a piece, in transactions of its own; returns the whole with the last one. The piece at 0 gives up what came
 * before. One that is there already changes nothing, since a statement that meets a conflict runs again.
 * @throws TesseraError `file_upload_offset`, `file_upload_over`, `file_too_large`, `bucket_store`, `too_many_uploads`
 */
export async function addPiece(
  stores: ContentStores,
  place: BucketPlace,
  start: BegunUpload,
  at: number,
  bytes: Uint8Array,
): Promise<StagedContent | undefined> {
  const { key, holder, length } = start;
  const id = uploadOfKey(holder, key);
  if (at + bytes.length > length) throw failure('file_too_large', { most: length, setting: '`size`' });
  const found = await stores
    .see((transaction) => UploadInParts.find(transaction, stores, place, { id, holder }))
    .catch((error: unknown) => {
      if (error instanceof TesseraError && error.code === 'file_upload_over') return undefined;
      throw error;
    });
  if (at === 0) await found?.cancel();
  const upload = at === 0 ? await UploadInParts.begin(stores, place, start, id) : found;
  if (upload === undefined) throw failure('file_upload_over');
  const isThere = at > 0 && upload.offset >= at + bytes.length;
  if (!isThere && upload.offset !== at) throw failure('file_upload_offset', { offset: upload.offset });
  if (!isThere) await upload.keep(once(bytes));
  return upload.whole;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
