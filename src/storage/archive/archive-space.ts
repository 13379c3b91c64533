/**
 * Free space on the disk of an archive, reserved before each commit: a full disk must refuse writes, not tear segments.
 */
import { statfsSync } from 'node:fs';
import { failure } from '../../errors/error.js';
import type { SpaceDemand } from '../lmdb/file/lmdb-space.js';

/** Bytes of the disk that stay free; free space is measured again when this may be used up. */
const MARGIN = 16 << 20;
/** Bytes of a record of the archive besides its changes, and of the largest page of the store. */
const RECORD = 64;
const PAGE = 1 << 16;

/** Tracks the free space on the disk of an archive, so that commits are refused before it is full. */
export class ArchiveSpace {
  readonly #folder: string;
  /** Free bytes of the disk beyond the margin, less what may have been written since. */
  #room = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Measures the free space. @throws Error of the system */
  look(): void {
    const { bavail, bsize } = statfsSync(this.#folder);
    this.#room = bavail * bsize - MARGIN;
  }

  /**
   * Checks that the disk has room for the archive of a write with this demand.
   * @throws TesseraError `storage_full`; Error of the system
   */
  admit({ bytes, own }: SpaceDemand): void {
    const needed = RECORD + bytes + own * PAGE;
    if (needed > this.#room) this.look();
    if (needed > this.#room) throw failure('storage_full', { reason: 'the disk of the archive is full' });
    this.#room -= needed;
  }
}
