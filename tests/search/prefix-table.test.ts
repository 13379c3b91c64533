import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countPrefixes, occurrencesOf, plainQuery } from '../../src/search/query/query.js';
import { PrefixTable } from '../../src/search/query/query-counter.js';

test('finds the prefixes that a term has, as a look at each of them does', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'ä'), minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(fc.array(word, { maxLength: 32 }), word, (prefixes, term) => {
      const table = new PrefixTable(prefixes.map((prefix, place) => ({ bytes: Buffer.from(prefix), place })));
      const bytes = Buffer.from(`x${term}x`);
      const found: number[] = [];
      table.visit(bytes, 1, bytes.length - 1, (place) => found.push(place));
      const expected = prefixes.flatMap((prefix, place) => (term.startsWith(prefix) ? place : []));
      expect(found.sort((a, b) => a - b)).toEqual(expected);
    }),
  );
});

test('prefixes are counted in many terms step by step', async () => {
  const counts = new Map(Array.from({ length: 20_000 }, (_, at) => [`w${at}`, 1 + (at % 2)]));
  const terms = Array.from({ length: 32 }, (_, at) => ({ term: `w${at}`, isPrefix: true }));
  let pauses = 0;
  await countPrefixes(
    { ...plainQuery([], 'AND'), terms },
    { length: 30_000, counts },
    {
      checkpoint: () => {
        pauses++;
      },
    },
  );
  expect(pauses).toBeGreaterThanOrEqual(Math.floor((20_000 * 32) / 65_536));
  for (const term of terms) {
    let sum = 0;
    for (const [each, count] of counts) if (each.startsWith(term.term)) sum += count;
    expect(occurrencesOf(term, { length: 30_000, counts })).toBe(sum);
  }
});
