import { toAscii } from '../../base/ascii.js';

/** Lower-case ASCII words joined by hyphens: `Hello, Wörld` → `hello-world`. */
export function slug(text: string): string {
  // Each Chinese character is a word of its own.
  const words = toAscii(text.replace(/\p{Script=Han}/gu, '$& '));
  return words
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '-')
    .replace(/^-|-$/g, '');
}
