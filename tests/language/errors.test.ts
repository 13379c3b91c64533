import { describe, expect, test } from 'vitest';
import { TesseraError } from '../../src/errors/error.js';
import { parseExpression, parseQuery, parseRecordId, parseValue } from '../../src/language/parse.js';
import errors from './fixtures/errors.json' with { type: 'json' };

function failureOf(run: () => unknown): TesseraError {
  try {
    run();
  } catch (error) {
    if (error instanceof TesseraError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

/** Our labels for words that are nearly keywords, which the reference engine has none for. */
function withoutSuggestions(message: string): string {
  return message.replaceAll(/ did you maybe mean `[A-Z_]+`\?$/gm, '');
}

describe('texts as the reference engine has them', () => {
  test.each(errors as [text: string, message: string][])('%j', (text, message) => {
    const error = failureOf(() => parseQuery(text));
    expect(withoutSuggestions(error.message)).toBe(message);
    expect(error.code).toBe('parse_error');
    expect(error.kind).toBe('Validation');
  });
});

describe('positions', () => {
  test.each([
    ['RETURN 1\r\n  + ^', 2, 5],
    ['RETURN "\u2028" ^', 1, 12],
    ["RETURN '🎉' ^", 1, 12],
    ['RETURN 1;\n\n\n^', 4, 1],
    ['LIVE SELECT * FROM a\nSINCE "1"', 2, 7],
    ['LIVE SELECT * FROM a SINCE -1', 1, 28],
    ['\n', 1, 1],
  ])('%j', (text, line, column) => {
    expect(failureOf(() => (text === '\n' ? parseExpression(text) : parseQuery(text))).position).toEqual({
      line,
      column,
    });
  });
});

describe('what must not get through', () => {
  test.each([
    ['NUL', 'RETURN \0'],
    ['NUL in a string', "RETURN 'a\0b'"],
    ['NUL in a name', 'SELECT * FROM `a\\0b`'],
    ['NUL in a name with a key', 'RETURN `a\\0b`:1'],
    ['NUL in a name with a range', 'RETURN `a\\0b`:1..2'],
    ['a wrong escape in a name with a key', 'SELECT * FROM `a\\q`:1'],
    ['a lone surrogate', "RETURN '\ud800'"],
    ['an escaped lone surrogate', "RETURN '\\ud800'"],
    ['an empty record id', "RETURN r''"],
    ['an empty datetime', "RETURN d''"],
    ['an empty uuid', "RETURN u''"],
    ['an empty file', "RETURN f''"],
    ['an empty duration', "RETURN <duration> d''"],
    ['a chain of comparisons', 'RETURN 1 < 2 < 3'],
    ['an assignment without LET', '$a = 5'],
    ['a cast to nothing', 'RETURN <> 1'],
  ])('%s', (_, text) => {
    expect(failureOf(() => parseQuery(text)).code).toBe('parse_error');
  });

  test('errors of long lines stay short', () => {
    const message = failureOf(() => parseQuery(`RETURN 1 '${'x'.repeat(1_000_000)}'`)).message;
    expect(message.length).toBeLessThan(2_000);
  });
});

describe('values that are written out', () => {
  test.each(['$x', 'time::now()', 'CREATE a', '(SELECT * FROM a)', 'a', 'a.b', '1 + 1', 'person:rand()', '[1, $x]'])(
    '%s is not one',
    (text) => {
      expect(failureOf(() => parseValue(text)).code).toBe('parse_error');
    },
  );

  test.each(['', ':', 'a', 'a:', 'a:$x', 'a:rand()', 'a:[$x]', 'a:1 b', 'a:1; b', 'a:[fn::x()]', '(', 'a:[[[[['])(
    '%s is no record id',
    (text) => {
      expect(parseRecordId(text)).toBeUndefined();
    },
  );
});
