import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CONSTANTS } from '../../src/functions/constants.js';
import { FUNCTIONS } from '../../src/functions/registry.js';
import { isConstantName, isFunctionName, NAMES as PARSED } from '../../src/language/function-names.js';

const NAMES = FUNCTIONS.flatMap(({ name, aliases = [] }) => [name, ...aliases]);

test('the parser knows every function by all of its names, and every constant', () => {
  expect(NAMES.filter((name) => !isFunctionName(name))).toEqual([]);
  expect(CONSTANTS.map(({ name }) => name).filter((name) => !isConstantName(name))).toEqual([]);
});

test('the parser knows no function or constant that there is not', () => {
  const known = new Set([...NAMES, ...CONSTANTS.map(({ name }) => name)]);
  // Middleware of DEFINE API, and what names fields.
  const elsewhere = /^(?:api::(?!invoke$)|type::fields?$)/;
  const unknown = PARSED.map((name) => name.toLowerCase()).filter((name) => !known.has(name) && !elsewhere.test(name));
  expect(unknown).toEqual([]);
});

const SCRIPTS = join(import.meta.dirname, '../scripts');

test('every function is called in a script by all of its names, and every constant is read', () => {
  const files = readdirSync(SCRIPTS, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.surql'));
  const statements = files
    .flatMap((name) => readFileSync(join(SCRIPTS, name), 'utf8').split('\n'))
    .filter((line) => !line.startsWith('--'))
    .join('\n');
  const words = new Set(statements.match(/[a-z_0-9:]+(?=\()/g));
  expect(NAMES.filter((name) => !words.has(name))).toEqual([]);
  expect(CONSTANTS.map(({ name }) => name).filter((name) => !statements.toLowerCase().includes(name))).toEqual([]);
});
