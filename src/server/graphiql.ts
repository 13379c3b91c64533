/** The page that `scripts/graphiql.mjs` makes of `graphiql/`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import type { Graphiql } from '../http/graphiql-page.js';

/** The sources and what they are compiled to lie equally deep in the package. */
const FOLDER = new URL('../../dist/graphiql/', import.meta.url);
const PAGE = 'index.html';

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
};

/** Nothing where the sources run without having been built. */
export function readGraphiql(): Graphiql | undefined {
  if (!existsSync(new URL(PAGE, FOLDER))) return undefined;
  const files = readdirSync(FOLDER).flatMap((name) => {
    const contentType = CONTENT_TYPES[extname(name)];
    if (contentType === undefined) return [];
    return [[name, { tag: name, contentType, body: readFileSync(new URL(name, FOLDER)) }] as const];
  });
  return { html: readFileSync(new URL(PAGE, FOLDER), 'utf8'), files: new Map(files) };
}
