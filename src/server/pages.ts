/** The HTML pages that `scripts/pages.mjs` builds from `pages/`, and the Studio, which it builds from `studio/`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import type { Framing, PageFile, PageFiles, WebPage } from '../http/base/page.js';

/** Sources and compiled files have the same depth in the package. */
const FOLDER = new URL('../../dist/pages/', import.meta.url);
const PAGE = 'index.html';
/** What a file's name ends with that is compressed by Brotli. */
const COMPRESSED = '.br';

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
};

/** The Studio shows the page of GraphQL in a frame. */
const PAGES = {
  auth: {},
  graphql: { isFramed: true },
  studio: { frames: true },
  welcome: {},
} as const satisfies Record<string, Framing>;

/** `undefined` if the pages haven't been built. */
export function readWebPage(page: keyof typeof PAGES): WebPage | undefined {
  const folder = new URL(`${page}/`, FOLDER);
  if (!existsSync(new URL(PAGE, folder))) return undefined;
  return { html: readFileSync(new URL(PAGE, folder), 'utf8'), files: new FolderFiles(folder), framing: PAGES[page] };
}

/** They are read when they are asked for: browsers keep them. */
class FolderFiles implements PageFiles {
  readonly #folder: URL;
  /** The names of the files in the folder by those under which they are served. */
  readonly #names: ReadonlyMap<string, string>;

  constructor(folder: URL) {
    this.#folder = folder;
    this.#names = new Map(readdirSync(folder).map((name) => [servedName(name), name]));
  }

  async find(name: string): Promise<PageFile | undefined> {
    const stored = this.#names.get(name);
    const contentType = CONTENT_TYPES[extname(name)];
    if (stored === undefined || contentType === undefined) return undefined;
    const body = await readFile(new URL(stored, this.#folder));
    return { tag: name, contentType, body, isCompressed: stored !== name };
  }
}

function servedName(stored: string): string {
  return stored.endsWith(COMPRESSED) ? stored.slice(0, -COMPRESSED.length) : stored;
}
