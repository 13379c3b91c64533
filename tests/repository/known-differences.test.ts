/** What `npm run compare` passes over is said in the documentation, where its entry claims it to be. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

interface Known {
  readonly reason: string;
  readonly page: string;
  readonly words: string;
}

const ROOT = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8');
const oneLine = (text: string) => text.replace(/\s+/g, ' ');

it('has a reason of its own for each known difference, and words for it in the documentation', () => {
  const known = JSON.parse(read('compare/known-differences.json')) as readonly Known[];
  expect(known.filter(({ page, words }) => !oneLine(read(page)).includes(oneLine(words)))).toEqual([]);
  expect(new Set(known.map(({ reason }) => reason)).size).toBe(known.length);
});
