/** Whether a password is among the most used ones, which guessers try first (NIST SP 800-63B, section 5.1.1.2). */
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';

const LONGEST = 64;

let known: ReadonlySet<string> | undefined;
let loading: Promise<ReadonlySet<string>> | undefined;

/** Case doesn't count. The list is loaded by the first call. */
export function isCommonPassword(password: string): boolean | Promise<boolean> {
  if (password.length > LONGEST) return false;
  const lower = password.toLowerCase();
  if (known !== undefined) return known.has(lower);
  loading ??= load();
  return loading.then((words) => words.has(lower));
}

async function load(): Promise<ReadonlySet<string>> {
  const { MOST_USED } = await import('./most-used.js');
  const text = await promisify(brotliDecompress)(Buffer.from(MOST_USED, 'base64'));
  known = new Set(text.toString('latin1').split('\n'));
  return known;
}
