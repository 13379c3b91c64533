/**
 * What others see of a command line. Every user of a machine may read the arguments of its processes (`ps`); where Node
 * can, its title takes their place.
 */
import { withoutPassword } from '../storage/address.js';

const HIDDEN = '…';

/** The options whose values are secrets. */
const LONG: ReadonlySet<string> = new Set(['--pass', '--password', '--token']);
const SHORT: ReadonlySet<string> = new Set(['-p', '-t']);

/** The words of a command line without passwords and tokens. */
export function withoutSecrets(words: readonly string[]): string[] {
  let isValue = false;
  return words.map((word) => {
    if (isValue) {
      isValue = false;
      return HIDDEN;
    }
    isValue = LONG.has(word) || SHORT.has(word);
    if (isValue) return word;
    const [name = ''] = word.split('=', 1);
    if (LONG.has(name)) return `${name}=${HIDDEN}`;
    const short = word.slice(0, 2);
    return SHORT.has(short) ? `${short}${HIDDEN}` : withoutPassword(word);
  });
}

/** Shows the command line of this process without its secrets, if it has any. */
export function hideSecrets(): void {
  const words = process.argv.slice(1);
  const shown = withoutSecrets(words);
  if (shown.every((word, at) => word === words[at])) return;
  process.title = [process.argv0, ...process.execArgv, ...shown].join(' ');
}
