import { readFileSync } from 'node:fs';

/** Our version, as the package says it. */
export const VERSION: string = readVersion();

function readVersion(): string {
  // The sources and what they are compiled to lie equally deep in the package.
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}
