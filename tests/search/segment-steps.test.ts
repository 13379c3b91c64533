/** A segment is written, and its documents are ranked, in steps. */
import { expect, test } from 'vitest';
import { BestDocuments } from '../../src/search/query/matches.js';
import { SegmentKeys } from '../../src/search/segments/layout.js';
import { SegmentWriter } from '../../src/search/segments/segment-writer.js';

test('keys of documents are written a window at a time', async () => {
  let put = 0;
  let most = 0;
  let since = 0;
  const writer = new SegmentWriter(new SegmentKeys('index', 1), () => {
    put++;
    most = Math.max(most, ++since);
  });
  const documents = Array.from({ length: 8_192 }, (_, at) => ({ key: String(at).padStart(6, '0'), length: 3 }));
  await writer.addDocuments(documents, {
    checkpoint: () => {
      since = 0;
    },
  });
  expect([put, most]).toEqual([32 + 2, 2]);
});

test('many of the best are sorted in steps', async () => {
  let pauses = 0;
  const work = {
    checkpoint: () => {
      pauses++;
    },
  };
  const best = new BestDocuments(1, 4_000, []);
  for (let document = 0; document < 16_000; document++) {
    best.add(0, { document, score: (document * 7919) % 16_000 });
    await best.tidy(work);
  }
  const [found] = await best.documents(work);
  expect(found?.map(({ score }) => score)).toEqual(Array.from({ length: 4_000 }, (_, at) => 15_999 - at));
  expect(pauses).toBeGreaterThan(20);
});
