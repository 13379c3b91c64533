/**
 * Contents in a folder of the file system: `<folder>/<bucket>/<last two digits>/<id>`. Names are ids that we draw, so
 * that the keys of files never become paths. Links are never followed: a folder or file that is one is refused.
 */
import { constants } from 'node:fs';
import { lstat, mkdir, open, readdir, realpath, rename, rm, unlink } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { OWNER_ONLY } from '../../base/private-file.js';
import { failure, TesseraError } from '../../errors/error.js';
import { syncFolder } from '../../storage/file-system.js';
import type { Contents } from './contents.js';
import { equalPieces, writeBehind } from './pieces.js';

const OWNER_ONLY_FOLDER = 0o700;
const UNFINISHED = '.unfinished';
const READ_AT_ONCE = 256 * 2 ** 10;
/** Bytes that are written with one call: what comes from a client comes in smaller pieces. */
const WRITTEN_AT_ONCE = 512 * 2 ** 10;

/**
 * The real path of a folder, which is made when it is missing, if it lies in one of those that are allowed.
 * @throws TesseraError `bucket_denied`
 */
export async function allowedFolder(folder: string, allowed: readonly string[]): Promise<string> {
  const denied = () => failure('bucket_denied', { backend: folder });
  const wanted = resolve(folder);
  const roots = (await Promise.all(allowed.map(realOrNone))).filter((root) => root !== undefined);
  const isWithin = (path: string) => roots.some((root) => path === root || path.startsWith(root + sep));
  // What exists of the path must lie within, so that nothing is made elsewhere.
  if (!isWithin(await nearestReal(wanted))) throw denied();
  try {
    const made = await mkdir(wanted, { recursive: true, mode: OWNER_ONLY_FOLDER });
    for (let each = wanted; made !== undefined && each.length >= made.length; each = dirname(each))
      syncFolder(dirname(each));
    const real = await realpath(wanted);
    if (!isWithin(real)) throw denied();
    return real;
  } catch (error) {
    throw error instanceof TesseraError ? error : denied();
  }
}

async function realOrNone(path: string): Promise<string | undefined> {
  return realpath(path).catch(() => undefined);
}

async function nearestReal(path: string): Promise<string> {
  const real = await realOrNone(path);
  if (real !== undefined || dirname(path) === path) return real ?? path;
  return nearestReal(dirname(path));
}

export class FolderContents implements Contents {
  /** Of the bucket, once it is known that it may be used. */
  readonly #folder: () => Promise<string>;
  readonly #name: string;
  /** Folders whose names this process knows to be durable. */
  readonly #durable: Set<string>;

  constructor(folder: () => Promise<string>, name: string, durable: Set<string>) {
    this.#folder = folder;
    this.#name = name;
    this.#durable = durable;
  }

  async write(id: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const path = await this.#pathOf(id, true);
    const unfinished = `${path}${UNFINISHED}`;
    await this.#orUnreachable(async () => {
      const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
      const file = await open(unfinished, flags, OWNER_ONLY);
      try {
        await writeBehind(equalPieces(bytes, WRITTEN_AT_ONCE), (piece) => file.writeFile(piece));
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(unfinished, path);
      syncFolder(dirname(path));
    });
  }

  async *read(id: string, from: number, to: number): AsyncGenerator<Uint8Array> {
    const path = await this.#pathOf(id, false);
    const file = await this.#orUnreachable(() => open(path, constants.O_RDONLY | constants.O_NOFOLLOW));
    try {
      for (let at = from; at < to; ) {
        const piece = Buffer.allocUnsafe(Math.min(READ_AT_ONCE, to - at));
        const { bytesRead } = await this.#orUnreachable(() => file.read(piece, 0, piece.length, at));
        if (bytesRead === 0) throw this.#unreachable('the file is shorter than it was');
        yield piece.subarray(0, bytesRead);
        at += bytesRead;
      }
    } finally {
      await file.close();
    }
  }

  async delete(id: string): Promise<void> {
    const path = await this.#pathOf(id, false);
    for (const each of [path, `${path}${UNFINISHED}`]) {
      await this.#orUnreachable(async () => {
        await unlink(each);
        // Nothing else would delete what comes back after a failure of power.
        syncFolder(dirname(path));
      }).catch((error: unknown) => {
        if (!isMissing(error)) throw error;
      });
    }
  }

  async *list(): AsyncGenerator<string> {
    const folder = await this.#folder();
    for (const part of await namesInFolder(folder)) {
      for (const name of await namesInFolder(join(folder, part))) {
        yield name.endsWith(UNFINISHED) ? name.slice(0, -UNFINISHED.length) : name;
      }
    }
  }

  async clear(): Promise<void> {
    const folder = await this.#folder();
    await this.#orUnreachable(() => rm(folder, { recursive: true, force: true }));
  }

  async #pathOf(id: string, isNew: boolean): Promise<string> {
    const folder = await this.#folder();
    const parent = join(folder, id.slice(-2));
    return this.#orUnreachable(async () => {
      if (isNew) {
        await mkdir(parent, { recursive: true, mode: OWNER_ONLY_FOLDER });
        this.#makeDurable(parent, folder);
      }
      for (const each of [folder, parent]) {
        const found = await lstat(each).catch((error: unknown) => {
          if (isMissing(error)) return undefined;
          throw error;
        });
        if (found !== undefined && !found.isDirectory()) throw this.#unreachable('a folder has been replaced');
      }
      return join(parent, id);
    });
  }

  /** Without its own name, all that is in a folder would be lost with the power. Another process may have made it. */
  #makeDurable(parent: string, folder: string): void {
    if (this.#durable.has(parent)) return;
    syncFolder(folder);
    syncFolder(dirname(folder));
    this.#durable.add(parent);
  }

  /** Errors of the system name paths of the host. */
  async #orUnreachable<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof TesseraError || !isSystemError(error)) throw error;
      throw this.#unreachable(`the system says ${error.code}`, error);
    }
  }

  #unreachable(reason: string, cause?: unknown): TesseraError {
    return failure('bucket_store', { name: this.#name, reason }, { cause });
  }
}

/** The names of what lies in a folder; none if there is no folder. */
export async function namesInFolder(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function isSystemError(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && typeof (error as { readonly code?: unknown }).code === 'string';
}

function isMissing(error: unknown): boolean {
  const found = error instanceof TesseraError ? error.cause : error;
  return isSystemError(found) && found.code === 'ENOENT';
}
