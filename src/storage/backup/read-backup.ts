/** Reads backups, and verifies their checksums while reading. */
import { failure } from '../../errors/error.js';
import { sha256 } from '../s3/sha256.js';
import type { Blobs } from './blobs.js';
import {
  type BackupHeader,
  type BackupManifest,
  type BackupPart,
  decodeHeader,
  decodeManifest,
  HEADER_BLOB,
  MANIFEST_BLOB,
} from './manifest.js';
import { type PageRun, unpackRuns } from './page-runs.js';
import { type Sealing, type Secret, sealingFor } from './sealing.js';

/** In bytes. A part is at least 16 MiB, but for the last one: the manifest of 16 TiB has some 128 MiB. */
const MAX_HEADER = 64 << 10;
const MAX_MANIFEST = 256 << 20;

/** A backup whose header and manifest are verified. */
export interface OpenBackup {
  readonly header: BackupHeader;
  readonly manifest: BackupManifest;
  readonly blobs: Blobs;
  readonly sealing: Sealing;
}

/**
 * @throws TesseraError `backup_missing`, `backup_format`, `backup_damaged`, `backup_key_missing`, `backup_key_wrong`,
 * those of the blobs; Error of the system
 */
export async function openBackup(blobs: Blobs, secret?: Secret): Promise<OpenBackup> {
  const { location } = blobs;
  const stored = await blobs.read(HEADER_BLOB, MAX_HEADER);
  if (stored === undefined) throw failure('backup_missing', { location });
  const header = decodeHeader(stored, location);
  const sealing = await sealingFor(secret, header.encryption, { id: header.id, location });
  const sealed = await blobs.read(MANIFEST_BLOB, MAX_MANIFEST);
  if (sealed === undefined || sha256(sealed) !== header.manifest) throw damaged(MANIFEST_BLOB);
  const bytes = sealing.open(MANIFEST_BLOB, sealed);
  if (bytes === undefined) throw failure('backup_key_wrong', { location });
  return { header, manifest: decodeManifest(bytes), blobs, sealing };
}

/** Pages of a part, with their bytes. */
export type ReadRun = PageRun & { readonly bytes: Uint8Array };

/**
 * Reads all parts, the next one while one is visited.
 * @throws TesseraError `backup_damaged`, those of the blobs; Error of the system; what `visit` throws
 */
export async function readParts(
  { manifest, blobs, sealing }: OpenBackup,
  visit: (runs: readonly ReadRun[]) => void | Promise<void>,
): Promise<void> {
  const { parts, pages } = manifest;
  const read = (part: BackupPart | undefined) => {
    const reading = part === undefined ? undefined : blobs.read(part.name, part.size);
    // Its failure is reported where it is awaited.
    reading?.catch(() => undefined);
    return reading;
  };
  let count = 0;
  let next = read(parts[0]);
  for (const [index, part] of parts.entries()) {
    const sealed = await next;
    next = read(parts[index + 1]);
    if (sealed === undefined) throw failure('backup_damaged', { what: `${part.name} is missing` });
    if (sealed.length !== part.size || sha256(sealed) !== part.sha256) throw damaged(part.name);
    const bytes = sealing.open(part.name, sealed);
    const runs = bytes && unpackRuns(bytes, pages.size);
    if (runs === undefined || runs.some(({ first, pages: run }) => first + run > pages.last + 1))
      throw damaged(part.name);
    for (const run of runs) count += run.pages;
    if (runs.length === 0 || count > pages.count + 1) break;
    await visit(runs);
  }
  // The meta page isn't counted.
  if (count !== pages.count + 1)
    throw failure('backup_damaged', { what: `it hasn't the ${pages.count + 1} pages that were written` });
}

function damaged(name: string) {
  return failure('backup_damaged', { what: `${name} is not as it was written` });
}
