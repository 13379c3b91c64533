/** Ranges and conditions (RFC 9110), against oracles that are as plain as the text. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isRangeCurrent, judgeConditions, onlyTag, type Verdict } from '../../src/http/files/conditions.js';
import { contentRange, readRanges } from '../../src/http/files/ranges.js';

describe('ranges', () => {
  it.each([
    ['bytes=0-0', [{ from: 0, to: 1 }]],
    ['bytes=0-9', [{ from: 0, to: 10 }]],
    ['bytes=0-10', [{ from: 0, to: 10 }]],
    ['bytes=9-', [{ from: 9, to: 10 }]],
    ['bytes=-1', [{ from: 9, to: 10 }]],
    ['bytes=-100', [{ from: 0, to: 10 }]],
    [
      'BYTES=2-3, 5-6 ,-1',
      [
        { from: 2, to: 4 },
        { from: 5, to: 7 },
        { from: 9, to: 10 },
      ],
    ],
    [
      'bytes=8-9,2-3',
      [
        { from: 8, to: 10 },
        { from: 2, to: 4 },
      ],
    ],
    ['bytes=1-2,50-60', [{ from: 1, to: 3 }]],
    ['bytes=10-', 'unsatisfiable'],
    ['bytes=10-11,12-', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=3-2', undefined],
    ['bytes=-', undefined],
    ['bytes=', undefined],
    ['bytes=a-b', undefined],
    ['bytes=1', undefined],
    ['items=0-1', undefined],
    ['bytes=0-5,3-8', undefined],
    [`bytes=${Array.from({ length: 20 }, () => '0-0').join()}`, undefined],
    [undefined, undefined],
  ])('%s', (header, expected) => {
    expect(readRanges(header, 10)).toEqual(expected);
  });

  it('are those bytes that the text names', () => {
    const end = fc.option(fc.nat(30), { nil: undefined });
    fc.assert(
      fc.property(fc.nat(20), fc.array(fc.tuple(end, end), { minLength: 1, maxLength: 5 }), (size, specs) => {
        const header = `bytes=${specs.map(([first, last]) => `${first ?? ''}-${last ?? ''}`).join(',')}`;
        const isValid = specs.every(
          ([first, last]) =>
            (first !== undefined || last !== undefined) && (first === undefined || last === undefined || first <= last),
        );
        const named = specs.map(([first, last]) =>
          Array.from({ length: size }, (_, at) => at).filter((at) =>
            first === undefined ? at >= size - (last ?? 0) : at >= first && at <= (last ?? size),
          ),
        );
        const some = named.filter(({ length }) => length > 0);
        const bytes = some.flat();
        const ranges = readRanges(header, size);
        if (!isValid || new Set(bytes).size < bytes.length) expect(ranges).toBeUndefined();
        else if (some.length === 0) expect(ranges).toBe('unsatisfiable');
        else {
          expect(ranges).toEqual(some.map((each) => ({ from: each[0], to: (each.at(-1) as number) + 1 })));
          expect(contentRange((ranges as { from: number; to: number }[])[0] as never, size)).toBe(
            `bytes ${some[0]?.[0]}-${some[0]?.at(-1)}/${size}`,
          );
        }
      }),
      { numRuns: 500 },
    );
  });
});

const VALIDATORS = { etag: '"v1"', modified: 1_000_000_000 };
const date = (seconds: number) => new Date(seconds * 1000).toUTCString();

describe('conditions', () => {
  it.each<[Record<string, string>, Verdict]>([
    [{}, 'send'],
    [{ 'if-match': '"v1"' }, 'send'],
    [{ 'if-match': '*' }, 'send'],
    [{ 'if-match': '"a", "v1"' }, 'send'],
    [{ 'if-match': 'W/"v1"' }, 'failed'],
    [{ 'if-match': '"v2"' }, 'failed'],
    [{ 'if-none-match': '"v1"' }, 'not-modified'],
    [{ 'if-none-match': 'W/"v1"' }, 'not-modified'],
    [{ 'if-none-match': '*' }, 'not-modified'],
    [{ 'if-none-match': '"v2"' }, 'send'],
    [{ 'if-none-match': '"v2"', 'if-modified-since': date(2_000_000_000) }, 'send'],
    [{ 'if-modified-since': date(1_000_000_000) }, 'not-modified'],
    [{ 'if-modified-since': date(999_999_999) }, 'send'],
    [{ 'if-modified-since': 'yesterday' }, 'send'],
    [{ 'if-unmodified-since': date(1_000_000_000) }, 'send'],
    [{ 'if-unmodified-since': date(999_999_999) }, 'failed'],
    [{ 'if-match': '"v1"', 'if-unmodified-since': date(1) }, 'send'],
    [{ 'if-match': '"v1"', 'if-none-match': '"v1"' }, 'not-modified'],
  ])('%j', (headers, verdict) => {
    expect(judgeConditions(headers, VALIDATORS)).toBe(verdict);
  });

  it.each([
    [undefined, true],
    ['"v1"', true],
    ['"v2"', false],
    ['W/"v1"', false],
    [date(1_000_000_000), true],
    [date(1_000_000_001), false],
    ['never', false],
  ])('If-Range: %s', (given, isCurrent) => {
    expect(isRangeCurrent(given === undefined ? {} : { 'if-range': given }, VALIDATORS)).toBe(isCurrent);
  });

  it.each([
    ['"v1"', '"v1"'],
    ['W/"v1"', undefined],
    ['"v1", "v2"', undefined],
    ['*', undefined],
    ['v1', undefined],
  ])('one tag of %s', (list, tag) => {
    expect(onlyTag(list)).toBe(tag);
  });
});
