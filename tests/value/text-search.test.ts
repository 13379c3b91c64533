import fc from 'fast-check';
import { expect, test } from 'vitest';
import { finderOf, includesText } from '../../src/value/text-search.js';

const few = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 40 });

test('finds what the runtime finds, in short texts and in long ones', () => {
  fc.assert(
    fc.property(few, few, fc.nat(50), fc.boolean(), (text, part, from, isLong) => {
      const [searched, sought] = isLong ? [text.repeat(2000), part.repeat(20)] : [text, part];
      expect(finderOf(searched, sought)(from)).toBe(searched.indexOf(sought, from));
      expect(includesText(searched, sought)).toBe(searched.includes(sought));
    }),
  );
});

test('takes time by the lengths of both, not by their product', () => {
  // The runtime's own search compares some 10^11 characters here.
  const text = 'a'.repeat(2 ** 20);
  const half = 'a'.repeat(2 ** 18);
  expect(includesText(text, `${half}b${half}`)).toBe(false);
  expect(includesText(`${text}${half}b${half}`, `${half}b${half}`)).toBe(true);
});
