/** The differences of two results lead from one to the other, in as few steps as there can be. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AT_ONCE } from '../../src/base/work/work.js';
import { differences } from '../../src/session/results/differences.js';
import { diff } from '../../src/value/patch/diff.js';
import { patch } from '../../src/value/patch/patch.js';
import { toText } from '../../src/value/text/text.js';
import { objectFrom, RecordId, type Value } from '../../src/value/value.js';

const rows = (list: readonly (readonly [number, number])[]): Value[] =>
  list.map(([id, n]) => objectFrom({ id: new RecordId('a', id), n }));
const list = fc.uniqueArray(fc.tuple(fc.nat(12), fc.nat(2)), { selector: ([id]) => id, maxLength: 12 });

const ORDERED = { isOrdered: true, isPatched: false };

test('of rows with an order', async () => {
  await fc.assert(
    fc.asyncProperty(list, list, async (before, after) => {
      const steps = await differences(rows(before), rows(after), ORDERED, AT_ONCE);
      const result = rows(before);
      for (const { action, record, result: row, position } of steps) {
        const at = result.findIndex((each) => toText((each as { id: Value }).id) === toText(record));
        expect(action === 'CREATE').toBe(at < 0);
        if (at >= 0) result.splice(at, 1);
        if (action === 'DELETE') continue;
        expect(position).toBeLessThanOrEqual(result.length);
        result.splice(position ?? -1, 0, row);
      }
      expect(toText(result)).toBe(toText(rows(after)));
      const texts = new Set(rows(before).map((row) => toText(row)));
      const same = rows(after).filter((row) => texts.has(toText(row))).length;
      const gone = before.filter(([id]) => !after.some(([other]) => other === id)).length;
      expect(steps.length).toBeGreaterThanOrEqual(after.length - same + gone);
      expect(steps.length).toBeLessThanOrEqual(after.length + gone);
    }),
    { numRuns: 500 },
  );
});

test('a row that moves alone is one difference, wherever it goes', async () => {
  const all = Array.from({ length: 30 }, (_, id) => [id, 0] as const);
  for (const [from, to] of [
    [0, 29],
    [29, 0],
    [10, 20],
    [20, 10],
  ] as const) {
    const moved = all.filter((_, at) => at !== from);
    moved.splice(to, 0, all[from] as (typeof all)[number]);
    const steps = await differences(rows(all), rows(moved), ORDERED, AT_ONCE);
    expect(steps).toMatchObject([{ action: 'UPDATE', position: to }]);
  }
});

test('of long lists in steps, none of which is long', async () => {
  const all = Array.from({ length: 20_000 }, (_, id) => [id, 0] as const);
  const turned = [...all].reverse().map(([id]) => [id, id % 3] as const);
  let checkpoints = 0;
  const steps = await differences(rows(all), rows(turned), ORDERED, {
    checkpoint: () => {
      checkpoints++;
      return undefined;
    },
  });
  expect(steps.length).toBe(19_999);
  // Each row is looked at some times, 256 between two checkpoints.
  expect(checkpoints).toBeGreaterThan(300);
});

test('of long lists as a patch in steps, too', async () => {
  const before = Array.from({ length: 20_000 }, (_, at) => at);
  const replaced = before.map((at) => (at % 3 === 0 ? at + 1 : at));
  for (const after of [replaced, before.slice(0, 12_000), before.map((at) => -1 - at)]) {
    for (const [from, to] of [
      [before, after],
      [after, before],
    ] as const) {
      let checkpoints = 0;
      const counting = { checkpoint: () => void checkpoints++ };
      const patched = await differences(from, to, { isOrdered: true, isPatched: true }, counting);
      expect(checkpoints).toBeGreaterThan(70);
      const operations = diff(from, to);
      if (operations.length < 10_000) expect(patched[0]?.result).toEqual(operations);
      expect(patch(from, patched[0]?.result)).toEqual(to);
    }
  }
});

test('of anything else the whole, or a patch', async () => {
  const options = { isOrdered: true, isPatched: false };
  expect(await differences([1, 2], [1, 2], options, AT_ONCE)).toEqual([]);
  expect(await differences([1, 2], [1, 3], options, AT_ONCE)).toEqual([{ action: 'UPDATE', result: [1, 3] }]);
  expect(await differences([], rows([[1, 1]]), options, AT_ONCE)).toMatchObject([{ action: 'CREATE', position: 0 }]);
  expect(await differences(rows([[1, 1]]), [5], options, AT_ONCE)).toEqual([{ action: 'UPDATE', result: [5] }]);
  const twice = [...rows([[1, 1]]), ...rows([[1, 1]])];
  expect(await differences([], twice, options, AT_ONCE)).toMatchObject([{ action: 'UPDATE', result: twice }]);
  const patched = await differences([1, 2], [1, 3], { ...options, isPatched: true }, AT_ONCE);
  expect(toText(patched[0]?.result)).toBe("[{ op: 'replace', path: '/1', value: 3 }]");
});
