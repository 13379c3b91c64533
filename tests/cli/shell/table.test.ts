import { describe, expect, it } from 'vitest';
import { cutToWidth, displayWidth } from '../../../src/cli/shell/display-width.js';
import { formatValue } from '../../../src/cli/shell/print.js';
import type { Style } from '../../../src/cli/shell/style.js';
import { objectFrom, RecordId, type Value } from '../../../src/value/value.js';

const PIPE: Style = { isTerminal: false, color: false, width: 40, pretty: false, json: false, table: true };
const TERMINAL: Style = { ...PIPE, isTerminal: true };
const person = (key: number, fields: Record<string, Value>) =>
  objectFrom({ ...fields, id: new RecordId('person', key) });

describe('tables', () => {
  it('have a row for each object and a column for each field, the id first', () => {
    const rows = [
      person(1, { name: 'Ann', age: 18, born: undefined }),
      person(20, { age: 7, pets: ['a', null] }),
      objectFrom({ name: '漢字' }),
    ];
    expect(formatValue(rows, PIPE).split('\n')).toEqual([
      ' id        | age | born | name   | pets',
      '-----------+-----+------+--------+-------------',
      " person:1  |  18 |      | 'Ann'  |",
      " person:20 |   7 |      |        | ['a', NULL]",
      "           |     |      | '漢字' |",
    ]);
  });

  it.each([
    ['an object', objectFrom({ a: 1 }), '{ a: 1 }'],
    ['numbers', [1, 2], '[1, 2]'],
    ['some objects', [objectFrom({ a: 1 }), 2], '[{ a: 1 }, 2]'],
    ['nothing', [], '[]'],
    ['empty objects', [objectFrom({})], '[{  }]'],
  ] as [string, Value, string][])('are not for %s', (_, value, text) => {
    expect(formatValue(value, PIPE)).toBe(text);
    expect(formatValue([objectFrom({ a: 1 })], { ...PIPE, json: true })).toBe('[{"a":1}]');
  });

  it('fit a terminal by cutting the widest cells, and are none where that would not help', () => {
    const rows = [person(1, { text: 'x'.repeat(100), note: 'short' })];
    const lines = formatValue(rows, TERMINAL).split('\n');
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(40);
    expect(lines[2]).toMatch(/^ person:1 \| 'short' \| 'x+…$/);
    expect(formatValue(rows, PIPE)).toContain('x'.repeat(100));
    const wide = objectFrom(Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`f${at}`, 'some text'])));
    expect(formatValue([wide], TERMINAL)).toMatch(/^\[\n/);
  });

  it('are coloured by the kinds of cells, and cannot act on a terminal', () => {
    const text = formatValue([objectFrom({ a: 7, '\x1b[2J': '\x1b]0;' })], { ...TERMINAL, color: true });
    expect(text).toContain('\x1b[33m7\x1b[0m');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
    expect(text.replace(/\x1b\[\d+m/g, '')).not.toMatch(/[\x00-\x09\x0b-\x1f]/);
  });
});

describe('columns', () => {
  it('are counted as terminals draw them', () => {
    expect(displayWidth('abc')).toBe(3);
    expect(displayWidth('e\u0301')).toBe(1);
    expect(displayWidth('漢字')).toBe(4);
    expect(displayWidth('😀')).toBe(2);
  });

  it.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'ab…'],
    ['漢字漢', 4, '漢…'],
    ['漢字', 4, '漢字'],
    ['ae\u0301', 2, 'ae\u0301'],
  ])('%s cut to %d is %s', (text, width, cut) => {
    expect(cutToWidth(text, width)).toBe(cut);
    expect(displayWidth(cut)).toBeLessThanOrEqual(width);
  });
});
