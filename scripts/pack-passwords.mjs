// The source of src/functions/password/most-used.ts.
import { brotliCompressSync } from 'node:zlib';

const COUNT = 10_000;
/** Characters of a line of the source. */
const LINE = 112;

/** `ranked`: passwords, the most used first. */
export function packed(ranked, version) {
  const words = ranked.slice(0, COUNT).sort();
  const text = brotliCompressSync(Buffer.from(words.join('\n'), 'latin1')).toString('base64');
  const lines = Array.from({ length: Math.ceil(text.length / LINE) }, (_, at) =>
    text.slice(at * LINE, (at + 1) * LINE),
  );
  return `// cspell:disable
/**
 * The 10,000 most used passwords in lower case, sorted, one a line: compressed with Brotli, in base64. They are the
 * first of \`passwords-common\` in @zxcvbn-ts/language-common ${version} (MIT licence, Copyright (c) 2012-2016 Dan Wheeler and
 * Dropbox, Inc., and the contributors of zxcvbn-ts), which ranks them by how often they were found in leaks.
 * \`npm run passwords\` makes this file.
 */
export const MOST_USED =
${lines.map((line) => `  '${line}'`).join(' +\n')};
`;
}
