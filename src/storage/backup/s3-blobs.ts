/**
 * Backups in a store that speaks S3's protocol. Each blob is one object, which needs no multipart upload: parts of
 * backups have 16 MiB.
 */
import { failure } from '../../errors/error.js';
import { readS3Environment, readS3Location, type S3Settings } from '../s3/s3-address.js';
import { percentEncoded, S3Bucket } from '../s3/s3-bucket.js';
import type { Blobs } from './blobs.js';

/** Whether a backup's address names a bucket (`s3://bucket/prefix`) rather than a folder. */
export function isS3Address(location: string): boolean {
  return location.startsWith('s3://');
}

/**
 * Reads `s3://bucket/prefix`, with the variables of the environment that Amazon's own tools take.
 * @throws TesseraError `backup_remote` that names what is missing
 */
export function readS3Address(location: string, environment: Readonly<Record<string, string | undefined>>): S3Settings {
  const named = readS3Location(location);
  if (named === undefined)
    throw failure('backup_remote', { location, reason: 'it is not of the form s3://bucket/prefix' });
  const { credentials, endpoint, region } = readS3Environment(environment);
  if (credentials === undefined)
    throw failure('backup_remote', { location, reason: 'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set' });
  return { ...named, ...credentials, endpoint, region };
}

/** Bytes of a page of the list of objects, of which there are a thousand. */
const LONGEST_LIST = 8 * 2 ** 20;

export class S3Blobs implements Blobs {
  readonly location: string;
  readonly #bucket: S3Bucket;

  constructor(settings: S3Settings) {
    const location = `s3://${settings.bucket}/${settings.prefix}`;
    this.location = location;
    this.#bucket = new S3Bucket(settings, (reason, cause) => failure('backup_remote', { location, reason }, { cause }));
  }

  async isEmpty(): Promise<boolean> {
    // Signed texts have %20 for a blank.
    const query = `list-type=2&prefix=${percentEncoded(this.#bucket.prefix)}`;
    const answer = await this.#bucket.expect('GET', { query }, 200);
    const list = await answer.bytes(LONGEST_LIST, () => tooLong('the list of objects', LONGEST_LIST));
    return !list.includes('<Contents>');
  }

  async read(name: string, most: number): Promise<Uint8Array | undefined> {
    const answer = await this.#bucket.expect('GET', { name }, 200, 404);
    return answer.status === 404 ? undefined : answer.bytes(most, () => tooLong(name, most));
  }

  async write(name: string, body: Uint8Array): Promise<void> {
    await this.#bucket.expect('PUT', { name, body }, 200);
  }
}

function tooLong(name: string, most: number): Error {
  return failure('backup_damaged', { what: `${name} has more than ${most} bytes` });
}
