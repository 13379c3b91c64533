import { transliterated } from '../../base/transliterate.js';

/** Lower-case ASCII words joined by hyphens: `Hello, Wörld` → `hello-world`. */
export function slug(text: string): string {
  return text
    .replace(/[^\0-\x7f]/gu, transliterated)
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '-')
    .replace(/^-|-$/g, '');
}
