import { expect, test } from 'vitest';
import { terminalText } from '../../src/cli/terminal-text.js';

test('A terminal gets no control characters but line breaks and tabs', () => {
  expect(terminalText('a\u001b[2Jb\u0007\u009b1m\r\0')).toBe('a\uFFFD[2Jb\uFFFD\uFFFD1m\uFFFD\uFFFD');
  expect(terminalText(' --> [1:1]\n\t| größer → 日本')).toBe(' --> [1:1]\n\t| größer → 日本');
});
