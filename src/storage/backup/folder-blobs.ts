/**
 * Backups in a folder of the file system: files become visible under their name only once they are complete and synced.
 */
import { mkdir, open, readdir, rename } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { OWNER_ONLY } from '../../base/private-file.js';
import { failure } from '../../errors/error.js';
import { openRegularFile, syncFolder } from '../file-system.js';
import type { Blobs } from './blobs.js';

/** Keeps each blob as a file, under its name. */
export class FolderBlobs implements Blobs {
  readonly location: string;

  constructor(folder: string) {
    this.location = folder;
  }

  async isEmpty(): Promise<boolean> {
    try {
      return (await readdir(this.location)).length === 0;
    } catch (error) {
      if (isMissing(error)) return true;
      throw error;
    }
  }

  async read(name: string, most: number): Promise<Uint8Array | undefined> {
    try {
      return await readFile(join(this.location, name), most);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  async write(name: string, bytes: Uint8Array): Promise<void> {
    const path = join(this.location, name);
    if ((await mkdir(this.location, { recursive: true, mode: 0o700 })) !== undefined) {
      syncFolder(dirname(resolve(this.location)));
    }
    const unfinished = `${path}.unfinished`;
    const file = await open(unfinished, 'w', OWNER_ONLY);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(unfinished, path);
    syncFolder(this.location);
  }
}

/** @throws TesseraError `backup_damaged` for a longer file, or one that isn't regular; Error of the system */
async function readFile(path: string, most: number): Promise<Uint8Array> {
  const file = await openRegularFile(path);
  if (file === undefined) throw failure('backup_damaged', { what: `${path} is not a file` });
  try {
    const { size } = await file.stat();
    if (size > most) throw failure('backup_damaged', { what: `${path} has ${size} bytes, where ${most} are the most` });
    return await file.readFile();
  } finally {
    await file.close();
  }
}

function isMissing(error: unknown): boolean {
  return (error as { readonly code?: unknown }).code === 'ENOENT';
}
