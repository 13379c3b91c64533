/** What is checked of a file that is put: its type, its length, its version, and whose upload it is. */
import type { BucketDefinition } from '../catalog/definitions/definition.js';
import { userKey } from '../catalog/principal.js';
import { failure } from '../errors/error.js';
import type { FilePut } from '../functions/calls/files.js';
import type { Execution } from '../runtime/execution.js';
import { quoteString } from '../value/text/quote.js';
import type { BucketRows } from './bucket-rows.js';
import type { FileRow } from './file-row.js';
import { assertTypeAllowed, mediaTypeOf, readMediaType } from './media-type.js';

/** Bytes of the largest file of a bucket without MAXSIZE: what a number of the language and an offset can count. */
const LARGEST = Number.MAX_SAFE_INTEGER;
const TEXT = 'text/plain; charset=utf-8';

/** Bytes and what is known of them, before a file has them. */
export interface FileContent {
  readonly content: string;
  readonly size: number;
  readonly digest: Uint8Array;
}

/** Of a file whose bytes are still to come. */
export const NO_CONTENT: FileContent = { content: '', size: 0, digest: new Uint8Array() };

/** The media type of what is put: as given, by the key, or a text's. @throws TesseraError `file_type_malformed` */
export function mediaTypeToPut(key: string, { type, data }: Pick<FilePut, 'type' | 'data'>): string {
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

/** @throws TesseraError `file_changed` */
export function assertExpected({ expected }: Pick<FilePut, 'expected'>, before: FileRow | undefined): void {
  if (expected === undefined) return;
  if (expected === false ? before !== undefined : before?.content !== expected) throw failure('file_changed');
}

/** Whose upload it is, and how large it may be. */
export function uploadOf({ identity }: Pick<Execution, 'identity'>, { maxSize }: BucketDefinition) {
  const limit = { bytes: maxSize ?? LARGEST, setting: 'MAXSIZE' };
  return { holder: uploaderOf({ identity }), limit };
}

export function uploaderOf({ identity: { principal } }: Pick<Execution, 'identity'>): string {
  return principal.kind === 'guest' ? 'guest' : userKey(principal);
}
