/**
 * The pages of `GET /docs`, which `scripts/manual.mjs` makes from `docs/`. They are read when they are asked
 * for, since most servers serve none of them.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Manual, ManualFile } from '../http/base/page.js';

/** Sources and compiled files have the same depth in the package. */
const FOLDER = new URL('../../dist/pages/docs/', import.meta.url);
const MANIFEST = new URL('manifest.json', FOLDER);

interface Entry {
  readonly address: string;
  readonly file: string;
  readonly tag: string;
  readonly forever: boolean;
  readonly contentType: string;
}

/** `undefined` if they haven't been built. */
export function readManual(): Manual | undefined {
  return existsSync(MANIFEST) ? new ManualFolder() : undefined;
}

class ManualFolder implements Manual {
  #entries: Promise<ReadonlyMap<string, Entry>> | undefined;

  async find(address: string): Promise<ManualFile | undefined> {
    this.#entries ??= readManifest();
    const entry = (await this.#entries).get(address);
    if (entry === undefined) return undefined;
    const { file, tag, forever: isForever, contentType } = entry;
    return { tag, contentType, isForever, body: await readFile(new URL(file, FOLDER)) };
  }
}

async function readManifest(): Promise<ReadonlyMap<string, Entry>> {
  const entries = JSON.parse(await readFile(MANIFEST, 'utf8')) as readonly Entry[];
  return new Map(entries.map((entry) => [entry.address, entry]));
}
