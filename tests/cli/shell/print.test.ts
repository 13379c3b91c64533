import { describe, expect, it } from 'vitest';
import { formatValue } from '../../../src/cli/shell/print.js';
import { escapeControls, type Style, styleOf } from '../../../src/cli/shell/style.js';
import { objectFrom, type Value } from '../../../src/value/value.js';

const PIPE: Style = { isTerminal: false, color: false, width: 80, pretty: false, json: false, table: false };
const TERMINAL: Style = { ...PIPE, isTerminal: true };
const short = [1, objectFrom({ a: 'x' })];
const long = [objectFrom({ name: 'x'.repeat(50), tags: ['a', 'b'], text: 'y'.repeat(40) }), null];

describe('printed values', () => {
  it('are one line in a pipe', () => {
    expect(formatValue(short, PIPE)).toBe("[1, { a: 'x' }]");
    expect(formatValue(long, PIPE)).not.toContain('\n');
  });

  it('are laid out on a terminal when they do not fit', () => {
    expect(formatValue(short, TERMINAL)).toBe("[1, { a: 'x' }]");
    expect(formatValue(long, TERMINAL)).toBe(
      `[\n  {\n    name: '${'x'.repeat(50)}',\n    tags: ['a', 'b'],\n    text: '${'y'.repeat(40)}'\n  },\n  NULL\n]`,
    );
  });

  it('are coloured by their kind, and only on a terminal', () => {
    expect(formatValue(objectFrom({ a: 'x', n: 1 }), { ...TERMINAL, color: true })).toBe(
      "{ a: \x1b[32m'x'\x1b[0m, n: \x1b[33m1\x1b[0m }",
    );
    expect(styleOf({}, { isTTY: true }, {}).color).toBe(true);
    expect(styleOf({}, {}, {}).color).toBe(false);
    expect(styleOf({ color: false }, { isTTY: true }, {}).color).toBe(false);
    expect(styleOf({}, { isTTY: true }, { NO_COLOR: '1' }).color).toBe(false);
    expect(styleOf({}, { isTTY: true }, { TERM: 'dumb' }).color).toBe(false);
  });

  it('cannot act on a terminal', () => {
    const stored = objectFrom({ '\x1b[2J': '\x1b]0;title\x07 \u009b31m \u202e' });
    for (const style of [TERMINAL, { ...TERMINAL, color: true }, { ...TERMINAL, json: true }]) {
      const text = formatValue(stored, style);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
      expect(text.replace(/\x1b\[\d+m/g, '')).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]/);
    }
    expect(escapeControls(PIPE, '\x1b')).toBe('\x1b');
  });

  it('are bounded in depth', () => {
    let deep: Value = 1;
    for (let level = 0; level < 60; level++) deep = [deep, 'x'.repeat(80)];
    const text = formatValue(deep, { ...TERMINAL, color: true });
    expect(text).toContain('1, ');
    expect(Math.max(...text.split('\n').map((line) => line.search(/\S/)))).toBe(64);
  });

  it('are JSON without losing digits', () => {
    const value = objectFrom({ big: 2n ** 62n, list: [], none: objectFrom({}), text: 'a:"[b]",' });
    const json = formatValue(value, { ...PIPE, json: true, pretty: true });
    expect(json).toBe('{\n  "big": 4611686018427387904,\n  "list": [],\n  "none": {},\n  "text": "a:\\"[b]\\","\n}');
  });
});
