/** The scripts that `npm run compare` makes: the same for a seed, and such that they ask what they are meant to ask. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { differencesOf, knownFor, normalized, readKnown } from '../../compare/differences.mjs';
import { FAMILIES, scriptOf } from '../../compare/families/families.mjs';
import { stepsOfFile, stepsOfLines } from '../../compare/script.mjs';
import { TesseraError } from '../../src/errors/error.js';
import { FUNCTIONS } from '../../src/functions/registry.js';
import { parseQuery } from '../../src/language/parse.js';
import { typeText } from '../../src/value/text/type-text.js';

const functions = FUNCTIONS.map(({ name, parameters }) => ({
  name,
  parameters: parameters.map(({ type, optional, rest }) => ({
    type: typeText(type),
    optional: optional === true || rest === true,
  })),
}));
const families = Object.keys(FAMILIES);
const script = (family: string, seed: number, number: number) => scriptOf(family, seed, number, functions);

test.each(families)('%s: a seed gives the same scripts, another one others', (family) => {
  const texts = [0, 1, 2].map((number) => script(family, 7, number));
  expect([0, 1, 2].map((number) => script(family, 7, number))).toEqual(texts);
  expect(new Set([...texts, ...[0, 1, 2].map((number) => script(family, 8, number))]).size).toBe(6);
});

test.each(families.filter((family) => family !== 'parse errors'))('%s: what is made can be parsed', (family) => {
  for (let number = 0; number < 60; number++) {
    for (const { text } of stepsOfLines(script(family, 1, number))) {
      if (text !== undefined) expect(() => parseQuery(text), text).not.toThrow();
    }
  }
});

test('most texts of the family of parse errors fail', () => {
  const texts = Array.from({ length: 60 }, (_, number) => script('parse errors', 1, number).split('\n')).flat();
  const failing = texts.filter((text) => {
    try {
      parseQuery(text);
      return false;
    } catch (error) {
      return error instanceof TesseraError;
    }
  });
  expect(failing.length).toBeGreaterThan(texts.length / 2);
});

test('files of scripts become groups and directives', () => {
  const source = '-- about\n--@session ann\nCREATE a;\n--> []\nRETURN {\n  1;\n};\n--ok\n';
  expect([...stepsOfFile(source)].map(({ text, word }) => text ?? word)).toEqual([
    undefined,
    'session',
    'CREATE a;',
    'RETURN {\n  1;\n};',
    undefined,
  ]);
});

test('generated ids make no difference, answers do', () => {
  expect(normalized('--> [{ id: a:abcdefghij0123456789 }]')).toBe('--> [{ id: a:RANDOM }]');
  const [here, peer] = [[{ asked: 'RETURN 1', lines: ['--> 1'] }], [{ asked: 'RETURN 1', lines: ['--> 2'] }]];
  expect(differencesOf(here, here)).toEqual([]);
  expect(differencesOf(here, peer)).toEqual([{ asked: 'RETURN 1', here: '--> 1', peer: '--> 2' }]);
});

test('each known difference is described in the documentation', () => {
  for (const { page, words, reason } of readKnown()) {
    const text = readFileSync(page, 'utf8').replaceAll(/\s+/g, ' ');
    expect(text.includes(words), `${page} doesn't say '${words}' (${reason})`).toBe(true);
  }
  expect(
    knownFor([{ page: '', words: '', reason: '', asked: '^A', peer: '1$' }], {
      script: '',
      asked: 'Ab',
      peer: '1',
      here: '',
    }),
  ).toBeDefined();
});
