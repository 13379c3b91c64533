/** UUIDs (RFC 9562). */
import { Buffer } from 'node:buffer';
import { Uuid } from './value.js';

const UUID = /^(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{32})$/i;

/**
 * Reads a UUID, also without hyphens, in braces or as a URN; `undefined` if it isn't one.
 *
 *     parseUuid('not one')   // undefined
 */
export function parseUuid(text: string): Uuid | undefined {
  const bare = text.startsWith('{') && text.endsWith('}') ? text.slice(1, -1) : text.replace(/^urn:uuid:/i, '');
  if (!UUID.test(bare)) return undefined;
  return uuidFromHex(bare.replaceAll('-', '').toLowerCase());
}

/** The UUID in the first 16 bytes; there must be as many. */
export function uuidFromBytes(bytes: Uint8Array): Uuid {
  return uuidFromHex(Buffer.from(bytes.buffer, bytes.byteOffset, 16).toString('hex'));
}

/** The 16 bytes. */
export function uuidBytes(uuid: Uuid): Uint8Array {
  return Uint8Array.from(Buffer.from(uuid.text.replaceAll('-', ''), 'hex'));
}

/** From 32 lower-case hexadecimal digits. */
export function uuidFromHex(hex: string): Uuid {
  return new Uuid(
    `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`,
  );
}
