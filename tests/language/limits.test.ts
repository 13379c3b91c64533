import { describe, expect, test } from 'vitest';
import { runAtOnce } from '../../src/base/work/stepwise.js';
import { TesseraError } from '../../src/errors/error.js';
import { parseExpression, parseQuery, parseQueryStepwise, parseType } from '../../src/language/parse.js';
import { printExpression } from '../../src/language/print.js';
import { transform, walk } from '../../src/language/visitor.js';

const MANY = 50_000;

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return error instanceof TesseraError ? error.code : String(error);
  }
  return 'fine';
}

describe('nesting', () => {
  test.each([
    '[',
    '(',
    '{',
    '{a:',
    '<array',
    '- ',
    '!',
    '<int>',
    'IF a { ',
    'IF a THEN ',
    '(SELECT * FROM ',
    '|$a| ',
    'a.{a:',
    'a[',
    'f(',
    'RETURN ',
    'EXPLAIN ',
    '1..(',
    'a:[',
    'a:{a:',
    'a OR b AND c = d < e + f * g ** (',
    '->(a WHERE ',
    'FOR $a IN b {',
    'DEFINE FIELD a ON b VALUE ',
    'DEFINE TABLE a AS SELECT * FROM ',
    'RELATE (',
    'INSERT INTO a (',
    'LET $a = ',
    'function(',
    'a.{1}(.',
  ])('%s', (opening) => {
    const text = opening.repeat(MANY);
    expect(codeOf(() => parseQuery(text))).toMatch(/^(query_too_deep|parse_error)$/);
  });

  test('of types', () => {
    expect(codeOf(() => parseType('array<'.repeat(100_000)))).toBe('query_too_deep');
    expect(codeOf(() => parseType('{ a: '.repeat(100_000)))).toBe('query_too_deep');
    expect(codeOf(() => parseType('option<['.repeat(100_000)))).toBe('query_too_deep');
  });

  test('is generous for people', () => {
    expect(codeOf(() => parseExpression(`${'['.repeat(100)}${']'.repeat(100)}`))).toBe('fine');
    expect(codeOf(() => parseExpression(`${'('.repeat(100)}1${')'.repeat(100)}`))).toBe('fine');
  });

  test('can be limited', () => {
    expect(codeOf(() => parseExpression('[[[1]]]', { depth: 3 }))).toBe('query_too_deep');
    expect(codeOf(() => parseExpression('[[1]]', { depth: 3 }))).toBe('fine');
    expect(codeOf(() => parseQuery('RETURN 1', { length: 5 }))).toBe('query_too_long');
  });
});

describe('chains', () => {
  test.each(['+1', ' AND a', ' OR a', ' ?? a', ' ** 1 * 1 + 1', '.a', '[0]', '->a', '.f(1)', '.{a}'])('%s', (link) => {
    expect(codeOf(() => parseExpression(`a${link.repeat(MANY)}`))).toBe('query_too_deep');
  });

  test('of ELSE IF', () => {
    expect(codeOf(() => parseExpression(`IF a {1}${' ELSE IF a {1}'.repeat(MANY)}`))).toBe('query_too_deep');
  });

  test('add up where they are nested', () => {
    let text = 'a';
    for (let level = 0; level < 50; level++) text = `(${text}${' + a'.repeat(900)})`;
    expect(codeOf(() => parseExpression(text))).toBe('query_too_deep');
  });

  test('as long as they may be are printed and walked', () => {
    const tree = parseExpression(`a${' + a'.repeat(990)}`);
    expect(parseExpression(printExpression(tree))).toEqual(tree);
    let count = 0;
    walk(tree, { expression: () => count++ });
    expect(count).toBe(1981);
    expect(transform(tree, () => undefined)).toBe(tree);
  });

  test('of the fields of an object, read at once or in pieces', () => {
    const objectOf = (fields: number) => `{${Array.from({ length: fields }, (_, at) => `f${at}: ${at}`).join(', ')}}`;
    expect(codeOf(() => parseExpression(objectOf(15_000)))).toBe('fine');
    expect(codeOf(() => parseExpression(objectOf(15_001)))).toBe('query_too_large');
    expect(codeOf(() => runAtOnce(parseQueryStepwise(`RETURN ${objectOf(15_000)}`)))).toBe('fine');
    expect(codeOf(() => runAtOnce(parseQueryStepwise(`RETURN ${objectOf(15_001)}`)))).toBe('query_too_large');
  });

  test('beside each other are many', () => {
    const text = `[${Array.from({ length: 5_000 }, () => 'a + 1 - 2').join(', ')}]`;
    expect(codeOf(() => parseExpression(text))).toBe('fine');
  });
});

describe('long tokens', () => {
  test.each([
    '1'.repeat(5_000),
    `0.${'1'.repeat(5_000)}`,
    `1e${'1'.repeat(5_000)}`,
    `${'1'.repeat(5_000)}dec`,
    `${'1'.repeat(5_000)}s`,
    '1s'.repeat(3_000),
    `${'1_'.repeat(3_000)}1`,
  ])('%.9s… is no number', (text) => {
    expect(() => parseExpression(text)).toThrow('it has more than 4096 characters');
  });

  test('an id of many digits is a text', () => {
    const digits = '1'.repeat(100_000);
    expect(parseExpression(`a:${digits}`)).toEqual(parseExpression(`a:⟨${digits}⟩`));
  });

  test('a string of many escapes', () => {
    const written = String.raw`a\n\u{1F600}\u00e9\ud83d\ude00`;
    const plain = ' nothing to decode in these many characters ';
    const meant = 'a\n\u{1F600}é\u{1F600}';
    for (const count of [1, 4_000]) {
      const text = (written + plain).repeat(count);
      expect(parseExpression(`"${text}"`)).toEqual({ kind: 'literal', value: (meant + plain).repeat(count) });
    }
  });
});
