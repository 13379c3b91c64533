/** Takes a backup of a store in a folder: the pages of one state of it, while servers use it. */
import { randomBytes } from 'node:crypto';
import { VERSION } from '../../base/package-version.js';
import type { Clock, Timers } from '../../env/environment.js';
import { realEnvironment } from '../../env/real.js';
import { failure } from '../../errors/error.js';
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
} from './manifest.js';
import { type PageRun, packRuns, usedRuns } from './page-runs.js';
import { type PinnedFile, pinFile } from './pinned-file.js';
import { newSealing, type Sealing, type Secret } from './sealing.js';
import { sha256 } from './sha256.js';

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
  const pinned = await pinFile(folder);
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
