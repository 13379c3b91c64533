/** The headers of tus, the protocol of uploads that can be resumed (version 1.0, https://tus.io). */
import { createHash, type Hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { failure } from '../../errors/error.js';

const VERSION = '1.0.0';
/** The media type of bytes that are sent. */
export const OFFSET_STREAM = 'application/offset+octet-stream';
/** Characters of what a client says of a file. */
const LONGEST_METADATA = 4096;

/** The answer to the version. */
export const RESUMABLE = { 'tus-resumable': VERSION } as const;

/** What the server can do, for OPTIONS. `most`: bytes of the largest file. */
export function tusAbilities(most: number): Readonly<Record<string, string>> {
  return {
    ...RESUMABLE,
    'tus-version': VERSION,
    'tus-extension': 'creation,creation-with-upload,expiration,checksum,termination',
    'tus-checksum-algorithm': 'sha1,sha256',
    ...(Number.isSafeInteger(most) && { 'tus-max-size': String(most) }),
  };
}

/** @throws TesseraError `tus_version` */
export function assertTusVersion(headers: IncomingHttpHeaders): void {
  if (headers['tus-resumable'] !== VERSION) throw failure('tus_version');
}

/** A count of bytes. @throws TesseraError `invalid_request` */
export function readByteCount(headers: IncomingHttpHeaders, name: 'upload-length' | 'upload-offset'): number {
  const text = headers[name];
  const count = typeof text === 'string' && /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(count)) return count;
  throw failure('invalid_request', { reason: `it needs ${name} with a number of bytes` });
}

/** What a client says of a file, and the media type in it. */
export interface UploadMetadata {
  readonly metadata: string | undefined;
  readonly type: string | undefined;
}

const PAIR = /^([\x21-\x2b\x2d-\x7e]+)(?: ([A-Za-z0-9+/]*={0,2}))?$/;

/** `filename d29ybGQ=,filetype aW1hZ2UvcG5n`: names with values in Base64. @throws TesseraError `invalid_request` */
export function readMetadata(headers: IncomingHttpHeaders): UploadMetadata {
  const metadata = headers['upload-metadata'];
  if (metadata === undefined || metadata === '') return { metadata: undefined, type: undefined };
  const malformed = () => failure('invalid_request', { reason: 'its Upload-Metadata is malformed or too long' });
  if (typeof metadata !== 'string' || metadata.length > LONGEST_METADATA) throw malformed();
  const values = new Map<string, string>();
  for (const pair of metadata.split(',')) {
    const [, name, value = ''] = PAIR.exec(pair.trim()) ?? [];
    if (name === undefined || values.has(name)) throw malformed();
    values.set(name, Buffer.from(value, 'base64').toString());
  }
  return { metadata, type: values.get('filetype') || undefined };
}

export interface Checksum {
  readonly hash: Hash;
  readonly expected: string;
}

const CHECKSUM = /^(sha1|sha256) ([A-Za-z0-9+/]+={0,2})$/;

/** @throws TesseraError `invalid_request` also for other algorithms */
export function readChecksum(headers: IncomingHttpHeaders): Checksum | undefined {
  const text = headers['upload-checksum'];
  if (text === undefined) return undefined;
  const [, algorithm, expected] = CHECKSUM.exec(String(text)) ?? [];
  if (algorithm === undefined || expected === undefined)
    throw failure('invalid_request', { reason: 'its Upload-Checksum is none of sha1 or sha256 in Base64' });
  return { hash: createHash(algorithm), expected };
}

/** @throws TesseraError `file_checksum` in the place of the end */
export async function* verified(
  bytes: AsyncIterable<Uint8Array>,
  { hash, expected }: Checksum,
): AsyncGenerator<Uint8Array> {
  for await (const piece of bytes) {
    hash.update(piece);
    yield piece;
  }
  if (hash.digest('base64') !== expected) throw failure('file_checksum');
}
