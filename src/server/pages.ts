/** The HTML pages that `scripts/pages.mjs` builds from `pages/`, and the Studio, which it builds from `studio/`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import type { Framing, WebPage } from '../http/base/page.js';

/** Sources and compiled files have the same depth in the package. */
const FOLDER = new URL('../../dist/pages/', import.meta.url);
const PAGE = 'index.html';

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
  const files = readdirSync(folder).flatMap((name) => {
    const contentType = CONTENT_TYPES[extname(name)];
    if (contentType === undefined) return [];
    return [[name, { tag: name, contentType, body: readFileSync(new URL(name, folder)) }] as const];
  });
  return { html: readFileSync(new URL(PAGE, folder), 'utf8'), files: new Map(files), framing: PAGES[page] };
}
