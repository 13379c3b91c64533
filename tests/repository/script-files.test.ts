/** Scripts have one statement on a line, so that a difference of two versions shows which statement has changed. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { StatementStream } from '../../src/language/statement-stream.js';
import { groupTexts } from '../scripts/script.js';

const FOLDER = 'tests/scripts';
const scripts = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.surql'));

/** Lines on which a second statement begins; nothing for a text that isn't meant to parse. */
function crowdedLines(text: string): string[] {
  const stream = new StatementStream();
  stream.push(text);
  stream.end();
  try {
    const lines = [...stream.statements()].map(({ position }) => position.line);
    return lines.filter((line, at) => line === lines[at - 1]).map((line) => text.split('\n')[line - 1] ?? '');
  } catch {
    return [];
  }
}

test.each(scripts)('%s has one statement on a line', (name) => {
  const texts = groupTexts(readFileSync(join(FOLDER, name), 'utf8'));
  expect(texts.flatMap(crowdedLines)).toEqual([]);
});
