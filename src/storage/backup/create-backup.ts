/** Takes a backup of a store in a folder: the pages of one state of it, while servers use it. */
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { VERSION } from '../../base/package-version.js';
import type { Clock, Timers } from '../../env/environment.js';
import { realEnvironment } from '../../env/real.js';
import { failure } from '../../errors/error.js';
import { DATA_FILE } from '../lmdb/engine/lmdb-store.js';
import { MAX_READERS, openDatabases } from '../lmdb/file/lmdb-databases.js';
import { LmdbFile, readAmidWrites, readMetaFacts } from '../lmdb/file/lmdb-file.js';
import { checkDataFile, METADATA_TREE } from '../lmdb/file/lmdb-integrity.js';
import { lockFileOf } from '../lmdb/file/lmdb-lock-file.js';
import {
  decodeMetadata,
  decodeUnsealed,
  KNOWN_LMDB_FORMATS,
  LMDB_FORMAT,
  type MetadataName,
  UNSEALED_LMDB_FORMAT,
} from '../lmdb/file/lmdb-metadata.js';
import { treeEntries, treesOf } from '../lmdb/file/lmdb-pages.js';
import { allocateLock } from '../lmdb/file/lmdb-space.js';
import { sha256 } from '../s3/sha256.js';
import { awaitLog } from './await-log.js';
import type { Blobs } from './blobs.js';
import {
  BACKUP_FORMAT,
  type BackupHeader,
  type BackupManifest,
  type BackupPart,
  encodeHeader,
  encodeManifest,
  HEADER_BLOB,
  MANIFEST_BLOB,
  type StorePosition,
} from './manifest.js';
import { type PageRun, packRuns, usedRuns } from './page-runs.js';
import { newSealing, type Sealing, type Secret } from './sealing.js';

/** Bytes of pages in a part, at most. Up to three parts are in memory at a time. */
const PART_BYTES = 16 << 20;
/** Bytes that are read in one turn of the event loop. */
const READ_BYTES = 1 << 20;

export interface BackupOptions {
  readonly secret?: Secret | undefined;
  /** Bytes of pages that are copied in a second, at most. */
  readonly rate?: number | undefined;
  readonly environment?: { readonly clock: Clock; readonly timers: Timers };
  /** Called with the bytes of pages that were copied, and with all there are. */
  progress?(bytes: number, of: number): void;
}

export interface CreatedBackup {
  readonly manifest: BackupManifest;
  /** Its stored size in bytes. */
  readonly size: number;
}

/**
 * Copies the newest state of the store in a folder. The backup is complete with its last blob, the header: an
 * interrupted copy isn't a backup.
 * @throws TesseraError `backup_target_not_empty`, `storage_corrupt`, `storage_format`,
 * `restore_incomplete`, those of the blobs; Error of the system
 */
export async function createBackup(folder: string, to: Blobs, options: BackupOptions = {}): Promise<CreatedBackup> {
  const { environment = realEnvironment } = options;
  if (!(await to.isEmpty())) throw failure('backup_target_not_empty', { location: to.location });
  const pinned = await pinFile(folder, environment.timers);
  try {
    const taken = new Date(Number(environment.clock.now() / 1_000_000n)).toISOString();
    const id = randomBytes(16).toString('hex');
    const sealing = await newSealing(options.secret, id);
    const parts = new PartWriter(to, sealing, pinned);
    const limit = new RateLimit(options.rate, environment);
    const { meta } = pinned.file;
    const all = (meta.lastPage + 1) * meta.pageSize;
    let count = 0;
    for (const run of usedRuns(pinned.file, Math.floor(READ_BYTES / meta.pageSize))) {
      await parts.add(run);
      count += run.pages;
      options.progress?.(run.pages * meta.pageSize, all);
      await limit.spend(run.pages * meta.pageSize);
    }
    const manifest: BackupManifest = {
      taken,
      store: pinned.position,
      pages: { size: meta.pageSize, last: meta.lastPage, transaction: meta.transaction, count },
      parts: await parts.end(),
    };
    const stored = sealing.seal(MANIFEST_BLOB, encodeManifest(manifest));
    await to.write(MANIFEST_BLOB, stored);
    const header: BackupHeader = {
      format: BACKUP_FORMAT,
      id,
      version: VERSION,
      manifest: sha256(stored),
      encryption: sealing.derivation,
    };
    const last = encodeHeader(header);
    await to.write(HEADER_BLOB, last);
    return { manifest, size: stored.length + last.length + parts.size };
  } finally {
    await pinned.release();
  }
}

/** Collects runs of pages to parts, of which one is under way while the next is read. */
class PartWriter {
  readonly #to: Blobs;
  readonly #sealing: Sealing;
  readonly #pinned: PinnedFile;
  readonly #parts: BackupPart[] = [];
  #runs: PageRun[];
  #pages: Uint8Array[];
  #bytes = 0;
  #underWay: Promise<void> = Promise.resolve();
  /** Size of all written parts in bytes. */
  size = 0;

  constructor(to: Blobs, sealing: Sealing, pinned: PinnedFile) {
    this.#to = to;
    this.#sealing = sealing;
    this.#pinned = pinned;
    const { number, bytes } = pinned.metaPage;
    this.#runs = [{ first: number, pages: 1 }];
    this.#pages = [bytes];
  }

  async add(run: PageRun): Promise<void> {
    const { bytes } = this.#pinned.file.pages(run.first, run.pages);
    this.#runs.push(run);
    this.#pages.push(bytes);
    this.#bytes += bytes.length;
    if (this.#bytes >= PART_BYTES) await this.#write();
  }

  async end(): Promise<readonly BackupPart[]> {
    if (this.#runs.length > 0) await this.#write();
    await this.#underWay;
    return this.#parts;
  }

  /** Waits for the part before. */
  async #write(): Promise<void> {
    await this.#underWay;
    const name = `part-${String(this.#parts.length + 1).padStart(6, '0')}`;
    const sealed = this.#sealing.seal(name, packRuns(this.#runs, this.#pages));
    this.#parts.push({ name, size: sealed.length, sha256: sha256(sealed) });
    this.size += sealed.length;
    this.#runs = [];
    this.#pages = [];
    this.#bytes = 0;
    this.#underWay = this.#to.write(name, sealed);
    // Its failure is reported where it is awaited next.
    this.#underWay.catch(() => undefined);
  }
}

/** Limits work to a rate of bytes a second, on average since it began. */
class RateLimit {
  readonly #rate: number | undefined;
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #began: number;
  #bytes = 0;

  /** `rate` in bytes a second; `undefined`: no limit. */
  constructor(rate: number | undefined, { clock, timers }: { readonly clock: Clock; readonly timers: Timers }) {
    this.#rate = rate;
    this.#clock = clock;
    this.#timers = timers;
    this.#began = clock.monotonic();
  }

  /** Waits until `bytes` more may have been done by now. */
  async spend(bytes: number): Promise<void> {
    this.#bytes += bytes;
    if (this.#rate === undefined) return;
    const early = this.#began + (this.#bytes / this.#rate) * 1_000 - this.#clock.monotonic();
    if (early >= 1) await this.#timers.wait(early);
  }
}

// One state of a data file, unchanged while servers write: a reader in LMDB's table prevents its pages
// from being reused. It needs neither the folder's lock nor the server.

interface PinnedFile {
  readonly file: LmdbFile;
  readonly position: StorePosition;
  /** The meta page of this state. */
  readonly metaPage: { readonly number: number; readonly bytes: Uint8Array };
  release(): Promise<void>;
}

/**
 * Pins the newest state.
 * @throws TesseraError `storage_corrupt`, `storage_format`, `restore_incomplete`; Error of the system or of the
 * library, such as that there is no such folder
 */
async function pinFile(folder: string, timers: Timers): Promise<PinnedFile> {
  const path = join(folder, DATA_FILE);
  const { uid, gid } = statSync(path);
  const check = { verifyUpTo: 0, readOnly: true, describeKey: () => 'an entry', report: () => undefined };
  readAmidWrites(() => checkDataFile(path, check));
  await awaitLog(folder, timers);
  prepareLock(lockFileOf(path), uid, gid);
  const { root } = openDatabases(path, { sync: true, readOnly: true });
  // Commits from now on don't reuse the pages of the state that is read next.
  const reader = root.useReadTransaction();
  const release = async () => {
    reader.done();
    await root.close();
  };
  try {
    const pinned = readAmidWrites(() => readState(folder, path));
    return {
      ...pinned,
      release: async () => {
        pinned.file.close();
        await release();
      },
    };
  } catch (error) {
    await release();
    throw error;
  }
}

/** If no server has run yet, the lock file must belong to the server's user, not to the user who takes backups. */
function prepareLock(path: string, uid: number, gid: number): void {
  const exists = existsSync(path);
  allocateLock(path, MAX_READERS, false);
  if (!exists && process.getuid?.() === 0) chownSync(path, uid, gid);
}

function readState(folder: string, path: string): Omit<PinnedFile, 'release'> {
  const file = new LmdbFile(path);
  try {
    const number = file.meta.transaction % 2;
    const page = file.pages(number, 1);
    if (readMetaFacts(page).transaction !== file.meta.transaction) file.damaged('it was being written');
    return { file, position: positionOf(file, folder), metaPage: { number, bytes: page.bytes } };
  } catch (error) {
    file.close();
    throw error;
  }
}

/** @throws TesseraError `storage_format`, `storage_corrupt` */
function positionOf(file: LmdbFile, folder: string): StorePosition {
  const header = treesOf(file).get(METADATA_TREE);
  const metadata = header === undefined ? new Map<string, Uint8Array>() : treeEntries(file, header, METADATA_TREE);
  const stored = metadata.get('format');
  if (stored === undefined) file.damaged('the store in it was never used');
  const format = decodeUnsealed(stored);
  if (!KNOWN_LMDB_FORMATS.has(format)) throw failure('storage_format', { folder, format, known: LMDB_FORMAT });
  const text = (name: MetadataName) => {
    const bytes = metadata.get(name);
    return bytes && (format === String(UNSEALED_LMDB_FORMAT) ? decodeUnsealed(bytes) : decodeMetadata(name, bytes));
  };
  return { id: text('store') ?? '', format, version: Number(text('version') ?? 0), stamp: text('stamp') ?? '0' };
}
