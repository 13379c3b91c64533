/** The location of a backup, and its encryption. */
import { ConfigurationError } from '../server/setting.js';
import type { Blobs } from '../storage/backup/blobs.js';
import { FolderBlobs } from '../storage/backup/folder-blobs.js';
import { isS3Address, readS3Address, S3Blobs } from '../storage/backup/s3-blobs.js';
import { readSecret, type Secret } from '../storage/backup/sealing.js';

export interface SecretFiles {
  readonly passphraseFile?: string;
  readonly keyFile?: string;
}

/** A folder, or `s3://bucket/prefix`. @throws TesseraError as `readS3Address` does */
export function openBlobs(location: string): Blobs {
  return isS3Address(location) ? new S3Blobs(readS3Address(location, process.env)) : new FolderBlobs(location);
}

/** @throws ConfigurationError; TesseraError `backup_key_invalid`; Error of the system */
export function secretOf({ passphraseFile, keyFile }: SecretFiles): Secret | undefined {
  if (passphraseFile !== undefined && keyFile !== undefined)
    throw new ConfigurationError('--passphrase-file and --key-file exclude each other');
  if (keyFile !== undefined) return readSecret('key', keyFile);
  return passphraseFile === undefined ? undefined : readSecret('passphrase', passphraseFile);
}
