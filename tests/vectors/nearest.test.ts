import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareDistances, Nearest } from '../../src/vectors/nearest.js';

const distance = fc.oneof(fc.integer({ min: -5, max: 5 }), fc.double(), fc.constant(Number.NaN));

test('keeps what sorting all of them would put first', () => {
  fc.assert(
    fc.property(fc.array(distance), fc.integer({ min: 0, max: 12 }), (distances, k) => {
      const nearest = new Nearest<number>(k, (a, b) => a - b);
      distances.forEach((each, at) => {
        nearest.offer(each, at);
      });
      const expected = distances
        .map((each, at) => ({ distance: each, item: at }))
        .sort((a, b) => compareDistances(a.distance, b.distance) || a.item - b.item)
        .slice(0, k);
      expect(nearest.items().sort(nearest.compare)).toEqual(expected);
    }),
  );
});

test('nothing beyond its bound is among the nearest', () => {
  fc.assert(
    fc.property(
      fc.array(distance, { minLength: 1 }),
      distance,
      fc.integer({ min: 0, max: 6 }),
      (distances, more, k) => {
        const nearest = new Nearest<number>(k, (a, b) => a - b);
        distances.forEach((each, at) => {
          nearest.offer(each, at);
        });
        const before = nearest.items();
        fc.pre(more > nearest.bound);
        nearest.offer(more, distances.length);
        expect(nearest.items()).toEqual(before);
      },
    ),
  );
});
