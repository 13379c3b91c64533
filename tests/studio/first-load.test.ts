/** How much a browser loads before the form to sign in, and of all views: bytes, by Brotli as built and by gzip as sent to who takes that alone. */
import { readdirSync, readFileSync } from 'node:fs';
import { brotliDecompressSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';

const FOLDER = new URL('../../dist/pages/studio/', import.meta.url);
const COMPRESSED = /\.br$/;
const FIRST_LOAD = 150_000;
const ALL = 900_000;

const stored = readdirSync(FOLDER).filter((name) => COMPRESSED.test(name));
const bytes = new Map(stored.map((name) => [name.replace(COMPRESSED, ''), readFileSync(new URL(name, FOLDER))]));
const builtFile = (name: string) => brotliDecompressSync(bytes.get(name) ?? new Uint8Array());
const SIZES: Readonly<Record<string, (name: string) => number>> = {
  br: (name) => bytes.get(name)?.length ?? Number.NaN,
  gzip: (name) => gzipSync(builtFile(name)).length,
};

/** The modules that a module imports at once, and those that they import. */
function withImports(name: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(name)) return found;
  found.add(name);
  const text = builtFile(name).toString();
  for (const [, imported] of text.matchAll(/(?:\bfrom|\bimport)\s*"\.\/([\w-]+\.js)"/g)) {
    if (imported !== undefined) withImports(imported, found);
  }
  return found;
}

it.each(Object.entries(SIZES))('is less than the limits by %s', (_, sizeOf) => {
  const html = readFileSync(new URL('index.html', FOLDER), 'utf8');
  const named = [...html.matchAll(/\/studio\/([\w-]+\.(?:js|css))/g)].map(([, name = '']) => name);
  const [script = ''] = named.filter((name) => name.endsWith('.js'));
  const first = new Set([...named, ...withImports(script)]);
  expect(first.size).toBeGreaterThan(5);
  const total = [...first].map(sizeOf).reduce((sum, size) => sum + size, html.length);
  expect(total).toBeLessThan(FIRST_LOAD);
  expect(total).toBeGreaterThan(50_000);
  const all = [...bytes.keys()].map(sizeOf).reduce((sum, size) => sum + size);
  expect(all).toBeLessThan(ALL);
});
