/** How often documents are rewritten, how many segments there are, and how much of them is void. */
import { expect, test } from 'vitest';
import { toMerge } from '../../src/search/segments/fold.js';
import type { SegmentEntry } from '../../src/search/segments/manifest.js';
import { MAX_DOCUMENTS } from '../../src/search/segments/segment-writer.js';

const live = ({ documents, changed }: SegmentEntry): number => documents - changed;
const sum = (segments: readonly SegmentEntry[]): number => segments.reduce((all, each) => all + live(each), 0);

function folded(segments: readonly SegmentEntry[], count: number): SegmentEntry[] {
  const { kept, merged } = toMerge(segments, count);
  expect(sum(kept) + sum(merged)).toBe(sum(segments));
  const documents = count + sum(merged);
  return [...kept, { id: 0, documents, changed: 0, bytes: 100 * documents }];
}

const first: SegmentEntry = { id: 0, documents: 20_000, changed: 0, bytes: 2_000_000 };

test.each([
  [128, 4.2, 11],
  [500, 3, 10],
  [2_000, 2.4, 8],
])('of folds of %i documents each is written %f times, into %i segments at most', (size, times, most) => {
  let segments = [first];
  let written = 0;
  for (let total = 0; total < 50_000; total += size) {
    segments = folded(segments, size);
    written += segments.at(-1)?.documents ?? 0;
    expect(segments.length).toBeLessThanOrEqual(most);
  }
  expect(written / 50_000).toBeLessThan(times);
});

test('no more than about half of a segment is void, wherever it stands', () => {
  let segments = [{ ...first, documents: 60_000, bytes: 6_000_000 }, first];
  for (let fold = 0; fold < 600; fold++) {
    // Each fold changes documents of all segments evenly.
    const all = sum(segments);
    let left = 500;
    segments = segments.map((segment) => {
      const own = Math.min(left, Math.ceil((500 * live(segment)) / all));
      left -= own;
      return { ...segment, changed: segment.changed + own };
    });
    segments = folded(segments, 500 - left);
    for (const segment of segments) {
      expect(segment.documents).toBeLessThanOrEqual(MAX_DOCUMENTS);
      // Two large ones that are half void at once take turns.
      expect(segment.changed).toBeLessThanOrEqual(segment.documents / 2 + 3 * 500);
    }
  }
  expect(sum(segments)).toBe(80_000);
});
