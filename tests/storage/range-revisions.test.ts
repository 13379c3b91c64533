import { expect, test } from 'vitest';
import { RangeRevisions } from '../../src/storage/commit/range-revisions.js';

test('knows of each range since when it has held what it holds, and nothing of snapshots before', () => {
  const revisions = new RangeRevisions(3);
  expect(revisions.of({ from: 'a', to: 'm' }, 3)).toBe(3);
  revisions.advance(4);
  revisions.changed('b');
  expect(revisions.of({ from: 'a', to: 'c' }, 4)).toBe(4);
  // The part from `a` to `m` had not been divided any further.
  expect(revisions.of({ from: 'c', to: 'm' }, 4)).toBe(4);
  expect(revisions.of({ from: 'm', to: 'z' }, 4)).toBe(3);
  expect(revisions.of({ from: 'a', to: 'c' }, 3)).toBeUndefined();
  revisions.advance(5);
  revisions.changed('c');
  revisions.changed('zz');
  expect(revisions.of({ from: 'a', to: 'c' }, 5)).toBe(4);
  expect(revisions.of({ from: 'a', to: 'd' }, 5)).toBe(5);
  expect(revisions.of({ from: 'm', to: 'z' }, 5)).toBe(3);
  revisions.advance(6);
  revisions.clear();
  expect(revisions.of({ from: 'm', to: 'z' }, 6)).toBe(6);
  expect(revisions.of({ from: 'm', to: 'z' }, 5)).toBeUndefined();
});

test('divides keys into no more parts than fit its memory', () => {
  const revisions = new RangeRevisions(0);
  const keyOf = (at: number) => `${String(at).padStart(6, '0')}`;
  for (let at = 0; at < 35_000; at++) expect(revisions.of({ from: keyOf(at), to: keyOf(at + 1) }, 0)).toBe(0);
  const long = 'x'.repeat(2 ** 11);
  for (let at = 0; at < 5_000; at++) expect(revisions.of({ from: long + keyOf(at), to: `${long}z` }, 0)).toBe(0);
  revisions.advance(1);
  revisions.changed(keyOf(0));
  expect(revisions.of({ from: keyOf(0), to: keyOf(1) }, 1)).toBe(1);
});
