import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Key } from '../../src/storage/contract.js';
import { OrderedTree } from '../../src/storage/tree/ordered-tree.js';

const ALL = { from: '', to: '\xff' };

function contents<V>(tree: OrderedTree<V>, range = ALL, reverse = false): [Key, V][] {
  const entries: [Key, V][] = [];
  tree.cursor(range, reverse).read(entries, Number.POSITIVE_INFINITY);
  return entries;
}

function key(number: number): Key {
  return String(number).padStart(6, '0');
}

/** Numbers that look random but are the same each time. */
function* numbers(seed: number): Generator<number> {
  for (let state = seed; ; ) {
    state = (state * 48_271) % 2_147_483_647;
    yield state;
  }
}

describe('OrderedTree', () => {
  it.each([
    ['ascending', (index: number) => index],
    ['descending', (index: number) => 9_999 - index],
    ['scattered', (index: number) => (index * 7_919) % 10_000],
  ])('takes keys in %s order and gives them up again', (_, order) => {
    const tree = new OrderedTree<number>();
    for (let index = 0; index < 10_000; index++) tree.put(key(order(index)), order(index));
    expect(tree.size).toBe(10_000);
    expect(contents(tree).map(([, value]) => value)).toEqual(Array.from({ length: 10_000 }, (_, index) => index));
    for (let index = 0; index < 10_000; index++) {
      expect(tree.delete(key(order(index)))).toBe(true);
      if (index % 997 === 0) {
        const left = contents(tree);
        expect(left.length).toBe(9_999 - index);
        expect(contents(tree, ALL, true)).toEqual(left.reverse());
      }
    }
    expect(tree.size).toBe(0);
    expect(tree.delete(key(0))).toBe(false);
    tree.put('again', 1);
    expect(contents(tree)).toEqual([['again', 1]]);
  });

  it('leaves every snapshot as it was', () => {
    const random = numbers(42);
    const next = (below: number) => random.next().value! % below;
    const tree = new OrderedTree<number>();
    const model = new Map<Key, number>();
    const taken: { tree: OrderedTree<number>; entries: [Key, number][] }[] = [];
    const sorted = () => [...model].sort(([a], [b]) => (a < b ? -1 : 1));
    for (let round = 0; round < 20_000; round++) {
      // Growing for a while and then shrinking.
      const grow = Math.floor(round / 5_000) % 2 === 0;
      const k = key(next(3_000));
      if (next(10) < (grow ? 7 : 3)) {
        tree.put(k, round);
        model.set(k, round);
      } else {
        expect(tree.delete(k)).toBe(model.delete(k));
      }
      if (next(500) === 0) taken.push({ tree: tree.snapshot(), entries: sorted() });
      // Some are read only until they are released, and others may be taken of them, which are not.
      if (next(50) === 0) {
        const released = tree.snapshot();
        if (next(20) === 0) taken.push({ tree: released.snapshot(), entries: sorted() });
        released.release();
        released.release();
      }
    }
    expect(contents(tree)).toEqual(sorted());
    for (const { tree: snapshot, entries } of taken) {
      expect(contents(snapshot)).toEqual(entries);
      expect(snapshot.size).toBe(entries.length);
    }
    const [first] = taken;
    first!.tree.put('zzz', 1);
    expect(first!.tree.size).toBe(first!.entries.length + 1);
    expect(contents(tree)).toEqual(sorted());
  });

  it('keeps from a change what others of its snapshots show when one is released', () => {
    const tree = new OrderedTree<number>();
    tree.put('a', 1);
    const [first, second] = [tree.snapshot(), tree.snapshot()];
    first.release();
    tree.put('a', 2);
    expect(contents(second)).toEqual([['a', 1]]);
    const third = tree.snapshot();
    second.release();
    tree.put('a', 3);
    expect(contents(third)).toEqual([['a', 2]]);
    expect(contents(tree)).toEqual([['a', 3]]);
  });

  it('counts and reads any range both ways', () => {
    const tree = new OrderedTree<number>();
    for (let index = 0; index < 3_000; index += 3) tree.put(key(index), index);
    const bound = fc.integer({ min: -1, max: 3_001 });
    fc.assert(
      fc.property(bound, bound, fc.nat(300), (from, to, limit) => {
        const range = { from: from < 0 ? '' : key(from), to: to < 0 ? '' : key(to) };
        const expected: number[] = [];
        for (let index = 0; index < 3_000; index += 3)
          if (key(index) >= range.from && key(index) < range.to) expected.push(index);
        expect(tree.count(range)).toBe(expected.length);
        expect(contents(tree, range).map(([, value]) => value)).toEqual(expected);
        const some: [Key, number][] = [];
        const cursor = tree.cursor(range, true);
        cursor.read(some, limit);
        cursor.read(some, limit);
        const values = (reverse: boolean) => {
          const walk = tree.cursor(range, reverse);
          const [first, second] = [walk.readValues(limit), walk.readValues(limit)];
          if (limit > 0) expect(first.values.at(-1)).toBe(first.last === undefined ? undefined : Number(first.last));
          return [...first.values, ...second.values];
        };
        expect(values(false)).toEqual(expected.slice(0, 2 * limit));
        expect(some.map(([, value]) => value)).toEqual(expected.reverse().slice(0, 2 * limit));
        expect(values(true)).toEqual(expected.slice(0, 2 * limit));
        const stepped: number[] = [];
        for (const step = tree.cursor(range, true); step.key !== undefined; step.advance()) stepped.push(step.value);
        expect(stepped).toEqual(expected);
      }),
      { numRuns: 200 },
    );
  });

  it('finds the greatest key that is not above one', () => {
    const tree = new OrderedTree<number>();
    for (let index = 0; index < 3_000; index++) tree.put(key(index), index);
    // Keys that go leave bounds behind that no key has.
    for (let index = 0; index < 3_000; index++) if (index % 7 !== 3) tree.delete(key(index));
    const greatest = (bound: number) => (bound < 3 ? undefined : bound - ((bound - 3) % 7));
    for (let bound = 0; bound < 3_000; bound++) {
      expect(tree.floor(key(bound))).toBe(greatest(bound));
      expect(tree.floor(`${key(bound)}+`)).toBe(greatest(bound));
    }
    expect(tree.floor('')).toBeUndefined();
  });

  // Nodes look at what their keys have in common, and at the six bytes behind it, before they look at keys.
  const BEGINNINGS = ['', 'x', 'xxxxy', 'x'.repeat(9), 'x'.repeat(255), 'x'.repeat(256), 'x'.repeat(300)];
  const bytes = fc.array(fc.constantFrom('\0', '\x01', 'a', '\xfe', '\xff'), { maxLength: 9 });
  const anyKey = fc.tuple(fc.constantFrom(...BEGINNINGS), bytes).map(([beginning, rest]) => beginning + rest.join(''));

  it('finds keys that begin alike, that begin others, and that end in the least and greatest bytes', () => {
    const changes = fc.array(fc.tuple(anyKey, fc.nat(9)), { minLength: 200, maxLength: 2_000, size: 'max' });
    const ranges = fc.array(fc.tuple(anyKey, anyKey), { minLength: 20, maxLength: 20 });
    fc.assert(
      fc.property(changes, ranges, fc.nat(7), (all, bounds, deletions) => {
        const tree = new OrderedTree<number>();
        const model = new Map<Key, number>();
        for (const [at, [k, dice]] of all.entries()) {
          if (k === '') continue;
          if (dice < deletions) expect(tree.delete(k)).toBe(model.delete(k));
          else {
            tree.put(k, at);
            model.set(k, at);
          }
        }
        // All that begin alike go, so that what is left has more in common.
        for (const k of [...model.keys()].filter((each) => !each.startsWith('x'.repeat(deletions)))) {
          expect(tree.delete(k)).toBe(model.delete(k));
        }
        const sorted = [...model].sort(([a], [b]) => (a < b ? -1 : 1));
        expect(contents(tree, { from: '', to: '\xff'.repeat(10) })).toEqual(sorted);
        for (const [k] of all) expect(tree.get(k)).toBe(model.get(k));
        for (const [from, to] of bounds) {
          expect(tree.get(from)).toBe(model.get(from));
          expect(tree.floor(to)).toBe(sorted.findLast(([k]) => k <= to)?.[1]);
          const expected = sorted.filter(([k]) => k >= from && k < to);
          expect(tree.count({ from, to })).toBe(expected.length);
          expect(contents(tree, { from, to })).toEqual(expected);
          expect(contents(tree, { from, to }, true)).toEqual(expected.reverse());
        }
      }),
      // Shrinking thousands of changes would take longer than reading them.
      { numRuns: 40, endOnFailure: true },
    );
  });

  it('takes up keys whose beginnings get shorter and longer again', () => {
    const tree = new OrderedTree<number>();
    const lengths = Array.from({ length: 200 }, (_, index) => 400 - 2 * index);
    for (const length of lengths) {
      for (let index = 0; index < 40; index++) tree.put('k'.repeat(length) + key(index), length);
    }
    for (const length of lengths) expect(tree.get(`${'k'.repeat(length)}000039`)).toBe(length);
    for (const length of lengths.slice(20)) {
      for (let index = 0; index < 40; index++) expect(tree.delete('k'.repeat(length) + key(index))).toBe(true);
    }
    for (let index = 0; index < 5_000; index++) tree.put('k'.repeat(390) + key(index), index);
    expect(tree.size).toBe(tree.keys().length);
    expect([...tree.keys()].sort()).toEqual(tree.keys());
    expect(tree.get(`${'k'.repeat(390)}004321`)).toBe(4_321);
    expect(tree.get(`${'k'.repeat(300)}000001`)).toBeUndefined();
  });
});
