/** Notes are folded while other records are written: what is noted meanwhile waits for the next fold. */
import { expect, test } from 'vitest';
import { AT_ONCE } from '../../src/base/work/work.js';
import { foldPending } from '../../src/search/segments/fold.js';
import { manifestKey, pendingPrefix } from '../../src/search/segments/layout.js';
import { readManifest } from '../../src/search/segments/manifest.js';
import { noteTerms, storeChange } from '../../src/search/segments/pending.js';
import { openEngine } from '../../src/storage/open/open.js';

const INDEX = 'i';
const PREFIX = pendingPrefix(INDEX);

async function change(word: string) {
  const terms = await noteTerms({ length: 1, counts: new Map([[word, 1]]) }, AT_ONCE);
  return storeChange({ before: undefined, after: terms });
}

test('a fold conflicts with changes of what it folds, and with no others', async () => {
  const engine = await openEngine('memory');
  const first = await engine.begin({ writable: true });
  for (const key of ['b', 'd']) first.put(PREFIX + key, await change(key));
  await first.commit();
  const fold = async (meanwhile: string): Promise<void> => {
    const folding = await engine.begin({ writable: true });
    await foldPending(folding, INDEX, { least: 1, most: 100, segments: 1 }, AT_ONCE);
    const writing = await engine.begin({ writable: true });
    writing.put(PREFIX + meanwhile, await change('new'));
    await writing.commit();
    await folding.commit();
  };
  await expect(fold('b')).rejects.toMatchObject({ code: 'transaction_conflict' });
  await fold('c');
  const reading = await engine.begin({ writable: false });
  const { documents } = readManifest(await reading.get(manifestKey(INDEX)));
  expect(documents).toBe(2);
  const left = await reading.scan({ from: PREFIX, to: `${PREFIX}\xff` }).next();
  expect(left?.map(([key]) => key)).toEqual([`${PREFIX}c`]);
  reading.cancel();
  await engine.close();
});
