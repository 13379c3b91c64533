import { statfsSync } from 'node:fs';
import { failure } from '../../errors/error.js';
import type { SpaceDemand } from '../engines/lmdb-space.js';

/** So much of the disk is left free, and looked for again when it may be used up. */
const MARGIN = 16 << 20;
/** What a record of the archive takes beside the changes in it, and a page of the store at most. */
const RECORD = 64;
const PAGE = 1 << 16;

/** The room on the disk of an archive, so that commits are refused before there is none left. */
export class ArchiveSpace {
  readonly #folder: string;
  /** What the disk had free beyond the margin, less what may have been written since. */
  #room = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Finds out how much is free. @throws Error of the system */
  look(): void {
    const { bavail, bsize } = statfsSync(this.#folder);
    this.#room = bavail * bsize - MARGIN;
  }

  /**
   * Makes sure that there is room for what a store needs as much for.
   * @throws TesseraError `storage_full`; Error of the system
   */
  admit({ bytes, own }: SpaceDemand): void {
    const needed = RECORD + bytes + own * PAGE;
    if (needed > this.#room) this.look();
    if (needed > this.#room) throw failure('storage_full', { reason: 'the disk of the archive is full' });
    this.#room -= needed;
  }
}
