/** The index of what results were made of finds just those that depend on a key. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DependencyIndex, NO_DEPENDENCIES } from '../../src/session/results/dependency-index.js';
import type { ReadParts } from '../../src/storage/contract.js';

const key = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '\0'), minLength: 1, maxLength: 4 });
const range = fc
  .tuple(key, key)
  .filter(([from, to]) => from !== to)
  .map(([one, other]) => (one < other ? { from: one, to: other } : { from: other, to: one }));
const parts = fc
  .record({ keys: fc.array(key, { maxLength: 3 }), ranges: fc.array(range, { maxLength: 3 }) })
  .map(({ keys, ranges }): ReadParts => ({ keys: new Set(keys), ranges }));

test('whatever was replaced before', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(5), parts), { maxLength: 15 }), fc.array(key), (changes, written) => {
      const index = new DependencyIndex<number>();
      const held = new Map<number, ReadParts>();
      for (const [dependent, after] of changes) {
        index.replace(dependent, held.get(dependent) ?? NO_DEPENDENCIES, after);
        held.set(dependent, after);
      }
      for (const each of written) {
        const found = new Set<number>();
        index.dependentsOn(each, (dependent) => found.add(dependent));
        const within = new Set<number>();
        index.dependentsWithin({ from: each, to: `${each}\0` }, (dependent) => within.add(dependent));
        const depend = [...held].filter(
          ([, { keys, ranges }]) => keys.has(each) || ranges.some(({ from, to }) => from <= each && each < to),
        );
        const expected = depend.map(([dependent]) => dependent).sort();
        expect([...found].sort()).toEqual(expected);
        expect([...within].sort()).toEqual(expected);
      }
    }),
    { numRuns: 500 },
  );
});
