import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PENDING } from './pending.js';

const FOLDER = 'tests/security';
/** Published ones up to 64, and those behind them that were found on Tessera itself. */
const KNOWN = 82;

it('knows every attack of the list, as a test or as pending', () => {
  const tested = new Set<number>();
  for (const name of readdirSync(FOLDER).filter((each) => each.endsWith('.test.ts'))) {
    const source = readFileSync(join(FOLDER, name), 'utf8');
    for (const [, number] of source.matchAll(/^\s*attack\((\d+),/gm)) tested.add(Number(number));
  }
  const pending = Object.keys(PENDING).map(Number);
  expect(pending.filter((number) => tested.has(number))).toEqual([]);
  const covered = [...tested, ...pending].sort((a, b) => a - b);
  expect(covered).toEqual(Array.from({ length: KNOWN }, (_, at) => at + 1));
});
