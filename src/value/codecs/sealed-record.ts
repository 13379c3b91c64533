/**
 * Values at rest with a checksum:
 *
 *     02 · value · checksum          the value as in `record-encode.ts`, whose bytes begin with 01 instead
 *
 * The checksum covers the key, too, so that a value that turns up under another key is noticed. It is XXH32 of all
 * bytes before it, seeded with FNV-1a of the key, least significant byte first.
 */
import { xxh32 } from '../../base/xxh32.js';
import type { Value } from '../value.js';
import { decodeRecord, encodeRecord } from './record-encode.js';
import { RECORD_VERSION, SEALED_RECORD_VERSION } from './record-tags.js';

const CHECKSUM_LENGTH = 4;

/** The bytes from which `openRecord` makes the value again. @throws TesseraError as `encodeRecord` does */
export function sealRecord(key: string, value: Value): Uint8Array {
  const bytes = encodeRecord(value, CHECKSUM_LENGTH);
  close(key, bytes);
  return bytes;
}

/** Seals bytes that `encodeRecord` gave: the record as it is stored under `key`, with its checksum. */
export function sealEncoded(key: string, encoded: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(encoded.length + CHECKSUM_LENGTH);
  // LMDB's library returns parts of a longer buffer, of which it only overrides the length.
  bytes.set(encoded.subarray(0, encoded.length));
  close(key, bytes);
  return bytes;
}

function close(key: string, bytes: Uint8Array): void {
  bytes[0] = SEALED_RECORD_VERSION;
  writeChecksum(key, bytes);
}

/** Puts the checksum of a key and of all bytes before it into the last four. */
export function writeChecksum(key: string, bytes: Uint8Array): void {
  const end = bytes.length - CHECKSUM_LENGTH;
  const sum = xxh32(bytes, 0, end, seedOf(key));
  for (let at = 0; at < CHECKSUM_LENGTH; at++) bytes[end + at] = sum >>> (at * 8);
}

/** Whether the last four bytes are the checksum of a key and of all bytes before them. */
export function isChecksumRight(key: string, bytes: Uint8Array, length = bytes.length): boolean {
  const end = length - CHECKSUM_LENGTH;
  if (end < 0) return false;
  const stored =
    (bytes[end] as number) |
    ((bytes[end + 1] as number) << 8) |
    ((bytes[end + 2] as number) << 16) |
    ((bytes[end + 3] as number) << 24);
  return stored === xxh32(bytes, 0, end, seedOf(key));
}

/**
 * How bytes of a stored value are protected: by a checksum that is right, by one that is wrong, or, written before
 * there were any, not at all.
 */
export type SealState = 'right' | 'wrong' | 'none';

/** Whether bytes stored under a key carry its checksum. Values of earlier releases have `none`. */
export function sealState(key: string, bytes: Uint8Array): SealState {
  if (bytes[0] === RECORD_VERSION) return 'none';
  return bytes[0] === SEALED_RECORD_VERSION && isChecksumRight(key, bytes) ? 'right' : 'wrong';
}

/** The value of bytes whose checksum is right. @throws TesseraError `stored_bytes_invalid` */
export function decodeSealed(bytes: Uint8Array): Value {
  return decodeRecord(bytes, bytes.length - CHECKSUM_LENGTH);
}

/** FNV-1a (https://www.rfc-editor.org/rfc/rfc9923), one character a byte. */
function seedOf(key: string): number {
  let hash = 0x811c9dc5 | 0;
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  return hash;
}
