import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Keys } from '../../../src/cli/shell/keys.js';

it('keys go to the line editor, but for those of a search', async () => {
  const source = new PassThrough();
  const taken: string[] = [];
  const keys = new Keys(source, () => {
    taken.push('begun');
    return (typed) => {
      taken.push(typed);
      return typed.includes('\r') ? typed.slice(typed.indexOf('\r')) : undefined;
    };
  });
  let line = '';
  keys.on('data', (chunk) => {
    line += chunk;
  });
  // A character may come in two pieces.
  for (const chunk of ['abc\x12de', Buffer.from('é').subarray(0, 1), Buffer.from('é').subarray(1), 'f\rgh']) {
    source.write(chunk);
    await setImmediate();
  }
  expect(line).toBe('abc\rgh');
  expect(taken).toEqual(['begun', 'de', 'é', 'f\rgh']);
});

it('lends the terminal, and takes it back', async () => {
  const source = Object.assign(new PassThrough(), { raw: [] as boolean[], isTTY: true });
  const terminal = Object.assign(source, { setRawMode: (raw: boolean) => source.raw.push(raw) });
  const keys = new Keys(terminal, () => () => undefined);
  let line = '';
  keys.on('data', (chunk) => {
    line += chunk;
  });
  await keys.lend(async () => {
    source.write('for the other program');
    await setImmediate();
    expect(line).toBe('');
    source.read();
  });
  source.write('x');
  await setImmediate();
  expect(line).toBe('x');
  expect(source.raw).toEqual([false, true]);
  expect(keys.isTTY).toBe(true);
});
