/** The version of this package, as `--version`, banners and responses show it. */
import { readFileSync } from 'node:fs';

/** The version in package.json. */
export const VERSION: string = readVersion();

function readVersion(): string {
  // Sources and compiled files have the same depth in the package.
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}
