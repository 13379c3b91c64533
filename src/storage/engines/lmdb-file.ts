import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { endianness } from 'node:os';

/** Where each LMDB file says that it is one, and how. */
const MAGIC_POSITION = 24;
const MAGIC = 0xbeefc0de;

/**
 * Makes sure that a file is LMDB's, empty, or not there at all: the library ends the process over anything else.
 * @throws Error with a text for people
 */
export function checkLmdbFile(path: string): void {
  if (!existsSync(path)) return;
  const descriptor = openSync(path, 'r');
  const header = new DataView(new ArrayBuffer(MAGIC_POSITION + 4));
  const length = readSync(descriptor, header);
  closeSync(descriptor);
  if (length === 0) return;
  if (length < header.byteLength || header.getUint32(MAGIC_POSITION, endianness() === 'LE') !== MAGIC) {
    throw new Error(`${path} is no data file of Tessera's, or it is damaged`);
  }
}
