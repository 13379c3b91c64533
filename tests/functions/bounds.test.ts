import { describe, expect, test } from 'vitest';
import { Regex } from '../../src/value/value.js';
import { call, checkRows, closure, testContext } from './calls.js';

// What the reference engine answers otherwise, or not at all.
checkRows([
  ['math::sum([9223372036854775807,1])', "Cannot perform addition with '9223372036854775807' and '1'"],
  ['math::product([9223372036854775807,2])', "Cannot perform multiplication with '9223372036854775807' and '2'"],
  ['math::sign(0f)', '0f'],
  ['math::lerpangle(0,270,0.25)', '-22.5f'],
  ['math::lerpangle(10,350,0.5)', '0f'],
  ['math::fixed(1.2,400)', '1.2f'],
  [
    'duration::secs(duration::max)',
    'Failed to compute: "duration::secs(584942417355y3w5d7h15s999ms999µs999ns)", as the operation results in an arithmetic overflow.',
  ],
  [
    'duration::from_secs(-1)',
    'Failed to compute: "duration::from_secs(18446744073709551615)", as the operation results in an arithmetic overflow.',
  ],
  [
    "string::semver::major('18446744073709551615.0.0')",
    'Incorrect arguments for function string::semver::major(). Invalid semantic version',
  ],
  [
    "string::semver::set::patch('1.2.3',-9)",
    'Incorrect arguments for function string::semver::set::patch(). Invalid semantic version',
  ],
  [
    "time::format(d'2024-02-09T03:04:05Z','%Q')",
    'Incorrect arguments for method time::format(). `%Q` is not a valid time formatting string',
  ],
  [
    "time::format(d'2024-02-09T03:04:05Z','%')",
    'Incorrect arguments for method time::format(). `%` is not a valid time formatting string',
  ],
  [
    "time::format(d'2020-01-01T00:00:00Z','%3NZ')",
    'Incorrect arguments for method time::format(). `%3NZ` is not a valid time formatting string',
  ],
  [
    'rand::string(-1)',
    'Incorrect arguments for function rand::string(). To generate a string of X characters in length, the argument must be a positive number and no higher than 65536.',
  ],
  ["geo::hash::decode('a')", 'NONE'],
  ["geo::hash::decode('GCPVJ')", '(-0.10986328125, 51.52587890625)'],
  ['vector::similarity::jaccard([1,2,2],[2,3,3])', '0.3333333333333333f'],
  ['vector::similarity::spearman([1,2,3],[3,7,4])', '0.5f'],
  ['vector::similarity::spearman([1,2,2,3],[1,2,2,3])', '1f'],
  ['vector::distance::mahalanobis([1],[2])', 'Unimplemented functionality: vector::distance::mahalanobis() function'],
  ['vector::distance::chebyshev([],[])', '0f'],
  [
    'vector::distance::knn()',
    "Invalid query: Index function 'vector::distance::knn': no KNN operator found in WHERE condition",
  ],
  ['vector::magnitude([])', '0f'],
  ['value::diff({a:1},{a:2})', "[{ op: 'replace', path: '/a', value: 2 }]"],
  ["value::patch({a:1},[{op:'replace',path:'/a',value:2}])", '{ a: 2 }'],
  ['array::sort_natural(["a01","a1","a2","a10"])', "['a01', 'a1', 'a2', 'a10']"],
  ['encoding::json::encode({a:[1,1.5f,NONE]})', `'{"a":[1,1.5,null]}'`],
  [`encoding::json::decode('{"a":[1,1.5]}')`, '{ a: [1, 1.5f] }'],
  [`encoding::json::decode('{"a"')`, 'Incorrect arguments for function encoding::json::decode(). invalid json'],
  ['array::includes([1,2],2)', 'true'],
]);

const long = 'a'.repeat(1_000_000);
const wide = new Array(10_000).fill(1);

describe('nothing grows without a bound', () => {
  test.each<[name: string, args: Parameters<typeof call>[1]]>([
    ['string::repeat', ['ab', 2 ** 40]],
    ['string::concat', [long, long]],
    ['string::join', [long, 'a', 'b', 'c']],
    ['string::replace', [long, 'a', long]],
    ['string::replace', [long, '', 'b']],
    ['string::slug', [`${long}${long}`]],
    ['array::join', [wide, long]],
    ['array::join', [new Array(20).fill(wide.map(() => long)), ',']],
    ['array::range', [0, 9_007_199_254_740_991]],
    ['array::sequence', [2 ** 40]],
    ['array::repeat', [1, 2 ** 40]],
    ['array::combine', [wide, wide]],
    ['array::windows', [wide, 5000]],
    ['array::flatten', [new Array(1000).fill(wide)]],
    ['array::group', [new Array(1000).fill(wide)]],
    ['array::transpose', [[wide, ...new Array(1000).fill(1)]]],
    ['array::concat', new Array(1000).fill(wide)],
  ])('%s', (name, args) => {
    expect(() => call(name, args)).toThrow(/Output must not exceed 1048576 bytes\.|is larger than the limit of \d+/);
  });

  test.each([
    'string::distance::levenshtein',
    'string::distance::damerau_levenshtein',
    'string::distance::osa',
    'string::similarity::jaro',
    'string::similarity::fuzzy',
  ])('%s', (name) => {
    const text = long.slice(0, 1000);
    expect(() => call(name, [text, text])).toThrow('The strings are too long to be compared.');
    expect(() => call(name, [long, long])).toThrow('is larger than the limit of 8192');
  });

  test('HTML may be nested as deeply as it is long', () => {
    const html = '<b>'.repeat(1300);
    expect(call('string::html::sanitize', [`${html}x`])).toContain('x');
  });

  test('patterns take linear time', () => {
    expect(call('string::matches', ['a'.repeat(5000), '^(a+)+$b'])).toBe(false);
  });

  test('values with equal beginnings are distinguished', () => {
    const values = Array.from({ length: 200 }, (_, last) => [...wide.slice(0, 100), last % 100]);
    expect(call('array::distinct', [values])).toHaveLength(100);
  });

  test('a closure is printed in an error, not run', () => {
    expect(() => call('array::len', [closure(() => 1)])).toThrow('Expected `array` but found `|…| …`');
  });
});

test('what many matches cost is spread over many turns, and no search is without an end', async () => {
  let pauses = 0;
  const context = testContext({
    checkpoint: async (units) => {
      if (units === undefined) pauses++;
    },
  });
  expect(await call('string::replace', ['aab', new Regex('a+c|a'), 'x'], context)).toBe('xxb');
  expect(pauses).toBe(2);
  expect(() => call('string::matches', ['a'.repeat(5000), new Regex('(a?){900}b$')])).toThrow(
    'The regular expression is too large for a text of 5000 characters',
  );
});
