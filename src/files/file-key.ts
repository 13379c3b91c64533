/** The keys of files: kept as they are given, but for those that a path could be led astray by. */
import { nameBytes } from '../catalog/keys/key-bytes.js';
import { failure } from '../errors/error.js';
import { quoteString } from '../value/text/quote.js';

/** Bytes of a key in UTF-8, as in S3. */
const LONGEST = 1024;

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused.
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/** Whether there may be a file with a key. */
export function isFileKey(key: string): boolean {
  return faultOf(key) === undefined;
}

/** @throws TesseraError `file_key` */
export function assertFileKey(key: string): void {
  const reason = faultOf(key);
  if (reason !== undefined) throw failure('file_key', { key: quoteString(key.slice(0, 100)), reason });
}

function faultOf(key: string): string | undefined {
  if (key === '/') return 'it names no file';
  if (CONTROL.test(key)) return 'it has a control character';
  if (!key.isWellFormed()) return 'it is no Unicode text';
  if (nameBytes(key).length > LONGEST) return `it has more than ${LONGEST} bytes`;
  const segments = key.slice(1).split('/');
  if (segments.includes('')) return 'a part between slashes is empty';
  if (segments.includes('.') || segments.includes('..')) return 'a part between slashes is . or ..';
  return undefined;
}
