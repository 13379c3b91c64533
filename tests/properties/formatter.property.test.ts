/** The formatter over the statements of all scripts, with comments and line breaks where blanks may stand. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TesseraError } from '../../src/errors/error.js';
import { formatText } from '../../src/language/format.js';
import { tokenize } from '../../src/language/formatter/tokens.js';
import { parseQuery } from '../../src/language/parse.js';
import { atLeast } from '../support/timeouts.js';

const SCRIPTS = 'tests/scripts';

/** `undefined` for a text that isn't one. */
function treeOf(text: string): unknown {
  try {
    return parseQuery(text).statements;
  } catch (error) {
    if (error instanceof TesseraError) return undefined;
    throw error;
  }
}

const statements = readdirSync(SCRIPTS, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.surql'))
  .flatMap((name) => readFileSync(join(SCRIPTS, name), 'utf8').split('\n'))
  .filter((line) => line.trim() !== '' && !line.startsWith('--') && line.length < 2_000 && treeOf(line) !== undefined);

/** What stands in a gap; `§` is the number of the comment. */
const FILLINGS = [
  ' -- note§;\n',
  '\n-- note§;\n',
  ' /* note§; */ ',
  '\n  /* note§;\n   more */\n',
  '# note§;\n\n',
  '\n\n// note§;\n',
  '\n',
  '\n\n\n',
];

/** The texts with fillings at some of their gaps. */
const commented = fc
  .array(fc.constantFrom(...statements), { minLength: 1, maxLength: 3 })
  .map((lines) => lines.map((line) => line.replace(/;\s*$/, '')).join(';\n'))
  .chain((text) => {
    const gaps = tokenize(text).tokens.map(({ start }) => start);
    const filling = fc.record({ at: fc.constantFrom(...gaps), text: fc.constantFrom(...FILLINGS) });
    return fc.array(filling, { maxLength: 6 }).map((fillings) => filled(text, fillings));
  });

function filled(text: string, fillings: readonly { readonly at: number; readonly text: string }[]): string {
  let result = '';
  let from = 0;
  for (const [number, filling] of fillings.toSorted((a, b) => a.at - b.at).entries()) {
    result += text.slice(from, filling.at) + filling.text.replace('§', String(number));
    from = filling.at;
  }
  return result + text.slice(from);
}

const comments = (text: string) => text.match(/note\d;/g) ?? [];

test('keeps statements and comments, and changes nothing the second time', { timeout: atLeast(120_000) }, () => {
  let laidOut = 0;
  fc.assert(
    fc.property(commented, (text) => {
      const tree = treeOf(text);
      // In some gaps no blank may stand: `person:1`.
      fc.pre(tree !== undefined);
      const formatted = formatText(text);
      expect(treeOf(formatted)).toEqual(tree);
      expect(comments(formatted)).toEqual(comments(text));
      expect(formatText(formatted)).toBe(formatted);
      laidOut++;
    }),
    { numRuns: Number(process.env.FORMATTER_RUNS ?? 1_500), maxSkipsPerRun: 1_000 },
  );
  expect(laidOut).toBeGreaterThan(100);
});

test('lays out each statement of the scripts', { timeout: atLeast(120_000) }, () => {
  for (const statement of statements) {
    const { tokens } = tokenize(statement);
    if (tokens.some(({ leading, trailing }) => leading.length + trailing.length > 0)) continue;
    // What can't be laid out is kept, with its blanks.
    const spaced = tokens.map(({ isApart, text }) => (isApart ? '  ' : '') + text).join('');
    expect(formatText(spaced)).toBe(formatText(statement));
  }
});
