/** What a bucket takes: types, sizes, numbers, and the version that is expected; and whose uploads they are. */

import type { BucketDefinition } from '../catalog/definitions/definition.js';
import { type Identity, userKey } from '../catalog/principal.js';
import { failure } from '../errors/error.js';
import type { FilePut, PutBounds } from '../functions/calls/files.js';
import { quoteString } from '../value/text/quote.js';
import type { BucketRows } from './bucket-rows.js';
import type { FileRow } from './file-row.js';
import { assertTypeAllowed, mediaTypeOf, readMediaType } from './media-type.js';

/** Bytes of the largest file of a bucket without MAXSIZE: what a number of the language and an offset can count. */
const LARGEST = Number.MAX_SAFE_INTEGER;
const TEXT = 'text/plain; charset=utf-8';
/** In errors: what bounds a file that is put by a link. */
const OF_LINK = 'its link';

/** The media type of what is put: as given, by the key, or a text's. @throws TesseraError `file_type_malformed` */
export function typeOfPut(key: string, { type, data }: Pick<FilePut, 'type' | 'data'>): string {
  if (type === undefined) {
    const likely = mediaTypeOf(key);
    return typeof data === 'string' && (likely === 'text/plain' || !key.includes('.')) ? TEXT : likely;
  }
  const read = readMediaType(type);
  if (read === undefined) throw failure('file_type_malformed', { type: quoteString(type.slice(0, 100)) });
  return read;
}

/**
 * Whether a bucket takes a file.
 * @throws TesseraError `file_type`, `file_too_large`, `bucket_full`
 */
export async function assertFits(
  { bucket, rows }: { readonly bucket: BucketDefinition; readonly rows: BucketRows },
  { type, size }: FileRow,
  before: FileRow | undefined,
): Promise<void> {
  const { name, maxCount, maxSize = LARGEST, types } = bucket;
  assertTypeAllowed(type, types);
  if (size > maxSize) throw failure('file_too_large', { most: maxSize, setting: 'MAXSIZE' });
  if (maxCount === undefined || before !== undefined) return;
  if (await rows.hasAsManyAs(maxCount)) throw failure('bucket_full', { name, most: maxCount });
}

/** The type of what comes by a link, where the request or the link says it. */
export function typeByLink(given: string | undefined, { type }: PutBounds): string | undefined {
  return given ?? (type?.endsWith('*') ? undefined : type);
}

/** Whether a link allows the type of a file that is put by it. @throws TesseraError `file_type` */
export function assertTypeOfLink(type: string, { type: only }: PutBounds): void {
  if (only !== undefined) assertTypeAllowed(type, [only], OF_LINK);
}

/** @throws TesseraError `file_changed` */
export function assertExpected({ expected }: Pick<FilePut, 'expected'>, before: FileRow | undefined): void {
  if (expected === undefined) return;
  if (expected === false ? before !== undefined : before?.content !== expected) throw failure('file_changed');
}

/** Whose upload it is, and how large it may be: as the bucket says, and the link by which it comes. */
export function uploadOf(identity: Identity, { maxSize = LARGEST }: BucketDefinition, { size }: PutBounds = {}) {
  const isBound = size !== undefined && size < maxSize;
  const limit = isBound ? { bytes: size, setting: OF_LINK } : { bytes: maxSize, setting: 'MAXSIZE' };
  return { holder: uploadHolder(identity), limit };
}

/** Whose uploads are counted and found together. */
export function uploadHolder({ principal }: Identity): string {
  return principal.kind === 'guest' ? 'guest' : userKey(principal);
}
