import { lazyLibrary } from './lazy.js';

const library = lazyLibrary<typeof import('any-ascii')>('any-ascii');

/** A text in ASCII, each character written as it sounds or looks: `Łódź` → `Lodz`. */
export function toAscii(text: string): string {
  return library().default(text);
}
