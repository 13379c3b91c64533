/**
 * The metadata of a store, in a tree of its own beside the records:
 *
 *     format     the layout of everything, as bare text, so that every version can read it
 *     version    counts writes
 *     stamp      the last assigned versionstamp
 *     store      identifies the store: drawn when it is created, and again when it is restored from a backup
 *     unsealed   exists while values without a checksum, as before format 2, may be left
 *
 * All values but the format have a checksum behind the text.
 */
import { failure } from '../../../errors/error.js';
import { isChecksumRight, writeChecksum } from '../../../value/codecs/sealed-record.js';

/** The format of the files, incremented when an older release could misread a newer one's files. */
export const LMDB_FORMAT = 2;
/** The same format of a store with a log beside it: an older release would pass over what is only in that. */
export const LOGGED_LMDB_FORMAT = 3;
/** The former format: no checksums. Its stores are read, and converted. */
export const UNSEALED_LMDB_FORMAT = 1;
/** The formats that are read, as they are stored. */
export const KNOWN_LMDB_FORMATS: ReadonlySet<string> = new Set(
  [LMDB_FORMAT, LOGGED_LMDB_FORMAT, UNSEALED_LMDB_FORMAT].map(String),
);

const NAMES = ['format', 'version', 'stamp', 'store', 'unsealed'] as const;
export type MetadataName = (typeof NAMES)[number];

const CHECKSUM_LENGTH = 4;

export function encodeMetadata(name: MetadataName, text: string): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  if (name === 'format') return bytes;
  const sealed = new Uint8Array(bytes.length + CHECKSUM_LENGTH);
  sealed.set(bytes);
  writeChecksum(name, sealed);
  return sealed;
}

/** @throws TesseraError `storage_corrupt` if the checksum is wrong */
export function decodeMetadata(name: MetadataName, bytes: Uint8Array): string {
  if (name === 'format') return decodeUnsealed(bytes);
  if (!isChecksumRight(name, bytes))
    throw failure('storage_corrupt', { what: `the store's ${name} has a wrong checksum` });
  return decodeUnsealed(bytes.subarray(0, bytes.length - CHECKSUM_LENGTH));
}

/** The text as format 1 has it. */
export function decodeUnsealed(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

export function isMetadataName(name: string): name is MetadataName {
  return (NAMES as readonly string[]).includes(name);
}
