/** How large patterns are when their repetitions are written out, compared with what the compiler makes of them. */
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { compileRegex, unfoldedSize } from '../../src/value/regex.js';

describe('the unfolded size of a pattern', () => {
  it.each([
    ['abc', 3],
    ['a{3}', 3],
    ['a{2,5}', 5],
    ['a{2,}', 2],
    ['a{0}', 1],
    ['(a{10}){10}', 110],
    ['[a-z]{10}', 10],
    ['[]a]{10}', 10],
    [String.raw`[^\]{5}]{10}`, 10],
    ['[[:alpha:]]{10}', 10],
    [String.raw`\d{10}`, 10],
    [String.raw`\p{Greek}{10}`, 10],
    [String.raw`\x{10FFFF}{10}`, 10],
    [String.raw`\({10}`, 10],
    ['a{', 2],
    ['a{x}', 4],
    [')', 1],
    ['((', 2],
  ])('%s is %d', (source, size) => {
    expect(unfoldedSize(source)).toBe(size);
  });

  it.each([
    'a',
    'a*b+c?',
    '(a|b){40}',
    '((a?){10}b){20}',
    String.raw`(\d{3}[x-z]{4,9}){7}`,
    String.raw`(?i)k{50}(?:\pL{3})*`,
  ])('bounds the instructions of %s', (source) => {
    expect(RE2JS.compile(source).programSize()).toBeLessThanOrEqual(4 * unfoldedSize(source) + 8);
  });
});

it('a pattern that would fill the memory isn’t compiled', () => {
  for (const source of ['a{1,1000}'.repeat(400), '(((a{1,10}){1,10}){1,10}){1,100}', '[a-z]{1000}'.repeat(300)]) {
    expect(() => compileRegex(source)).toThrow('its repetitions make more than 20000 characters of it');
  }
  expect(compileRegex('(a?){900}b$').programSize()).toBeGreaterThan(900);
});
