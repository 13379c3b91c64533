/**
 * The metadata of a backup: `backup.json`, unencrypted and written last, and `manifest.json`, which is encrypted like
 * the parts.
 */
import { failure } from '../../errors/error.js';
import { sha256 } from '../s3/sha256.js';
import type { Derivation } from './sealing.js';

/** The format of backups, incremented when an older release could misread a newer one's backups. */
export const BACKUP_FORMAT = 1;
export const HEADER_BLOB = 'backup.json';
export const MANIFEST_BLOB = 'manifest.json';

export interface BackupHeader {
  readonly format: number;
  /** 32 hexadecimal digits. */
  readonly id: string;
  /** The version of Tessera that made it. */
  readonly version: string;
  /** SHA-256 of the manifest as it is stored; hexadecimal. */
  readonly manifest: string;
  readonly encryption?: Derivation | undefined;
}

export interface BackupManifest {
  /** When its state of the store was pinned; ISO 8601. */
  readonly taken: string;
  readonly store: StorePosition;
  readonly pages: PageLayout;
  readonly parts: readonly BackupPart[];
}

/** The store and the state that were backed up. */
export interface StorePosition {
  /** Drawn when the store was created, and again when it was restored. */
  readonly id: string;
  /** The format of its data. */
  readonly format: string;
  /** Number of its writes. */
  readonly version: number;
  /** The last assigned versionstamp, in decimal digits. */
  readonly stamp: string;
}

export interface PageLayout {
  /** In bytes. */
  readonly size: number;
  /** The number of the last used page. */
  readonly last: number;
  /** The transaction of LMDB that made the state. */
  readonly transaction: number;
  /** Number of pages in the parts. */
  readonly count: number;
}

/** A part as it is stored. */
export interface BackupPart {
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/** The unencrypted header of a backup, as JSON. */
export function encodeHeader(header: BackupHeader): Uint8Array {
  return encodeJson({ ...header, checksum: checksumOf(header) });
}

/** The manifest of a backup, as JSON. */
export function encodeManifest(manifest: BackupManifest): Uint8Array {
  return encodeJson(manifest);
}

function encodeJson(value: object): Uint8Array {
  return Buffer.from(`${JSON.stringify(value, undefined, 2)}\n`, 'utf8');
}

/** SHA-256 of the other members as JSON, in this order and without white space. */
function checksumOf({ format, id, version, manifest, encryption }: BackupHeader): string {
  return sha256(JSON.stringify({ format, id, version, manifest, encryption }));
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const isText = (value: unknown): value is string => typeof value === 'string';
/** What is printed has no control characters, which terminals obey. */
const isName = (value: unknown): value is string => isText(value) && /^[\w.+-]{0,64}$/.test(value);
const isTime = (value: unknown): value is string => isText(value) && /^\d{4}-\d\d-\d\dT[\d:.]{8,12}Z$/.test(value);

/** @throws TesseraError `backup_damaged`, `backup_format` */
export function decodeHeader(bytes: Uint8Array, location: string): BackupHeader {
  const header = decodeJson(bytes, HEADER_BLOB) as Partial<BackupHeader> & { readonly checksum?: unknown };
  if (!isCount(header.format)) throw malformed(HEADER_BLOB);
  if (header.format !== BACKUP_FORMAT)
    throw failure('backup_format', { location, format: String(header.format), known: BACKUP_FORMAT });
  const { id, version, manifest, encryption } = header;
  if (!isText(id) || !isName(version) || !isText(manifest) || !isDerivation(encryption)) throw malformed(HEADER_BLOB);
  const read: BackupHeader = { format: BACKUP_FORMAT, id, version, manifest, encryption };
  if (header.checksum !== checksumOf(read)) throw malformed(HEADER_BLOB);
  return read;
}

/** @throws TesseraError `backup_damaged` */
export function decodeManifest(bytes: Uint8Array): BackupManifest {
  const { taken, store, pages, parts } = decodeJson(bytes, MANIFEST_BLOB) as Partial<BackupManifest>;
  const isStore = isName(store?.id) && isName(store.format) && isCount(store.version) && isStamp(store.stamp);
  const isPages = [pages?.size, pages?.last, pages?.transaction, pages?.count].every(isCount);
  const areParts = Array.isArray(parts) && parts.every(isPart);
  if (!isTime(taken) || !isStore || !isPages || !areParts) throw malformed(MANIFEST_BLOB);
  return { taken, store, pages: pages as PageLayout, parts };
}

/** Versionstamps have 64 bits. */
function isStamp(value: unknown): boolean {
  return isText(value) && /^\d{1,20}$/.test(value);
}

function isPart(value: unknown): value is BackupPart {
  if (typeof value !== 'object' || value === null) return false;
  const { name, size, sha256 } = value as Partial<BackupPart>;
  return isText(name) && /^[a-z0-9-]+$/.test(name) && isCount(size) && isText(sha256);
}

function isDerivation(value: Derivation | null | undefined): value is Derivation | undefined {
  if (value === undefined) return true;
  if (!isText(value?.salt)) return false;
  return value.kind === 'hkdf-sha256' || (value.kind === 'scrypt' && [value.N, value.r, value.p].every(isCount));
}

function decodeJson(bytes: Uint8Array, name: string): object {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'));
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Reported below.
  }
  throw malformed(name);
}

function malformed(name: string) {
  return failure('backup_damaged', { what: `${name} is not as it was written` });
}
