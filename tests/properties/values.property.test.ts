import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeKey, encodeKey, encodeOrder } from '../../src/value/codecs/key-codec.js';
import { compare, equals, setFrom } from '../../src/value/order.js';
import { diff, TextDiffs } from '../../src/value/patch/diff.js';
import { patch, patchText } from '../../src/value/patch/patch.js';
import { withoutNone } from '../../src/value/paths.js';
import { toText } from '../../src/value/text/text.js';
import { objectFrom, type SetValue, type Value } from '../../src/value/value.js';
import { anyValue, closeValue, pairOfAKind, storableValue, text } from '../support/arbitraries.js';
import { expectSame } from './same.js';

const pair = fc.oneof(fc.tuple(anyValue, anyValue), fc.tuple(closeValue, closeValue), pairOfAKind);

describe('order', () => {
  it('is antisymmetric', () => {
    fc.assert(fc.property(pair, ([a, b]) => Math.sign(compare(a, b)) === -Math.sign(compare(b, a))));
  });

  it('is reflexive', () => {
    fc.assert(fc.property(anyValue, (value) => compare(value, value) === 0 && equals(value, value)));
  });

  it('is transitive', () => {
    fc.assert(
      fc.property(fc.array(closeValue, { minLength: 3, maxLength: 3 }), (values) => {
        const [a, b, c] = values
          .map((value) => ({ value }))
          .sort((x, y) => compare(x.value, y.value))
          .map(({ value }) => value);
        expect(compare(a, b)).toBeLessThanOrEqual(0);
        expect(compare(b, c)).toBeLessThanOrEqual(0);
        expect(compare(a, c)).toBeLessThanOrEqual(0);
        if (equals(a, b) && equals(b, c)) expect(equals(a, c)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('agrees with equality', () => {
    fc.assert(fc.property(pair, ([a, b]) => equals(a, b) === (compare(a, b) === 0)));
  });
});

describe('sets', () => {
  const items = fc.array(closeValue, { maxLength: 8 });

  it('ascend without repetition', () => {
    fc.assert(fc.property(items, (values) => ascends(setFrom(values))));
  });

  it('hold what they were made of, whatever its order', () => {
    fc.assert(
      fc.property(items, (values) => {
        const set = setFrom(values);
        expect(values.every((value) => set.items.some((item) => equals(item, value)))).toBe(true);
        expect(equals(setFrom([...values].reverse()), set)).toBe(true);
        expect(equals(setFrom([...values, ...set.items]), set)).toBe(true);
      }),
    );
  });

  function ascends({ items: sorted }: SetValue): boolean {
    return sorted.every((item, index) => index === 0 || compare(sorted[index - 1], item) < 0);
  }
});

describe('keys', () => {
  it('are ordered as values are', () => {
    fc.assert(
      fc.property(pair, ([a, b]) => {
        const x = encodeOrder(a);
        const y = encodeOrder(b);
        expect(x < y ? -1 : x > y ? 1 : 0).toBe(Math.sign(compare(a, b)));
      }),
      { numRuns: 500 },
    );
  });

  it('give back the value and the position of its end', () => {
    fc.assert(
      fc.property(storableValue, fc.string({ unit: fc.constantFrom('\0', 'a', '\xff') }), (value, rest) => {
        // A coordinate of -0 is kept in keys as 0, which is the same place.
        fc.pre(!/-0[,)\]]/.test(toText(value)));
        const key = encodeKey(value);
        expect([...key].every((character) => character.charCodeAt(0) < 256)).toBe(true);
        const { value: decoded, next } = decodeKey(`xy${key}${rest}`, 2);
        expect(next).toBe(key.length + 2);
        expectSame(decoded, value);
      }),
      { numRuns: 300 },
    );
  });

  it('are no prefixes of each other', () => {
    fc.assert(
      fc.property(pair, ([a, b]) => {
        if (!equals(a, b)) expect(encodeOrder(a).startsWith(encodeOrder(b))).toBe(false);
      }),
    );
  });
});

describe('patches', () => {
  it('turn the one value into the other', () => {
    const stored = fc.oneof(storableValue, closeValue).map(withoutNone);
    fc.assert(
      fc.property(fc.oneof(fc.tuple(stored, stored), similar), ([before, after]) => {
        expect(compare(patch(before, diff(before, after)), after)).toBe(0);
      }),
      { numRuns: 300 },
    );
  });

  it('turn the one text into the other', () => {
    const pieces = fc.array(
      fc.oneof(text, fc.constantFrom('word ', 'été ', '日本', '😀', '𝒜', '\n\n', '12345678', 'abab', '\uf8ff')),
      {
        maxLength: 20,
      },
    );
    const edited = fc
      .tuple(pieces, pieces, fc.array(fc.tuple(fc.nat(), fc.nat(4)), { maxLength: 4 }))
      .map(([before, others, places]) => {
        const after = [...before];
        for (const [index, [place, removed]] of places.entries()) {
          after.splice(place % (after.length + 1), removed, ...others.slice(index, index + 2));
        }
        return [before.join(''), after.join('')] as const;
      });
    fc.assert(
      fc.property(edited, ([before, after]) => {
        fc.pre(before !== after);
        expect(patchText(before, new TextDiffs().patch(before, after))).toBe(after);
      }),
      { numRuns: 1000 },
    );
  });

  /** Two objects with some fields and elements in common. */
  const similar = fc
    .tuple(
      fc.array(closeValue, { maxLength: 5 }),
      fc.array(closeValue, { maxLength: 5 }),
      fc.array(text, { maxLength: 4 }),
    )
    .map(([a, b, names]) => {
      const make = (items: Value[]) =>
        withoutNone(
          objectFrom(items.map((item, index) => [names[index] ?? 'list', index > 2 ? items : item] as const)),
        );
      return [make(a), make(b)] as const;
    });
});
