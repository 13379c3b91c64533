/** House rules (`CONTRIBUTING.md`) that a machine can keep. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CATALOGUE } from '../../src/errors/catalogue.js';

const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
  .split('\n')
  .filter((name) => name !== '' && existsSync(name));
const sources = tracked.filter((name) => /^(src|studio|tests|scripts|bench|examples)\/.*\.(ts|tsx|mjs)$/.test(name));
const contents = new Map(sources.map((name) => [name, readFileSync(name, 'utf8')]));

/** What must not stand in the sources, each with what to do instead. Written in pieces, so that this file doesn't offend. */
const BANNED: readonly (readonly [pattern: RegExp, instead: string, where: RegExp])[] = [
  [new RegExp(`\\b(${'TO'}DO|${'FIX'}ME|${'X'}XX)\\b`), 'do it, or write it into docs/internals/open-ends.md', /./],
  [new RegExp(`@ts-(${'ignore'}|${'nocheck'}|expect-error)`), 'give it its type', /./],
  [/\bDate\.now\(|\bperformance\.now\(|\bMath\.random\b/, 'use env/', /^src\/(?!env\/|server\/)/],
  [/\bsetTimeout\(|\bsetInterval\(/, 'use env/', /^src\/(?!env\/|server\/)/],
  // The command and the start of a server have messages for their user; engines describe a faulty file and are wrapped.
  [/\bnew Error\(/, 'use failure(code, …)', /^src\/(?!cli\/|server\/|storage\/(?:lmdb|postgres)\/)/],
  [/\bexport default\b/, 'export by name', /^(src|studio\/\w+)\//],
  [/\binnerHTML\b|dangerouslySet|insertAdjacentHTML/, 'show values as text', /^studio\//],
  [/\benum \w+ \{/, 'use a union of texts', /^src\//],
  [/\b(describe|test|it)\.(skip|only|todo)\(/, 'finish it or leave it out', /^tests\//],
  [
    /new Promise.*\bsetTimeout\b|\bsetTimeout\b.*timers\/promises/,
    'use the clock of env/, or expect.poll on a condition',
    /^tests\//,
  ],
];

test.each(BANNED)('%s: %s', (pattern, _instead, where) => {
  const offenders = [...contents]
    .filter(([name]) => where.test(name) && name !== 'tests/repository/house-rules.test.ts')
    .flatMap(([name, text]) =>
      text.split('\n').flatMap((line, at) => (pattern.test(line) ? [`${name}:${at + 1}: ${line.trim()}`] : [])),
    );
  expect(offenders).toEqual([]);
});

test('no file of src or of the Studio is too long to hold one idea', () => {
  const long = [...contents]
    .filter(([name]) => /^(src|studio)\//.test(name))
    .map(([name, text]) => ({ name, lines: text.split('\n').length }))
    .filter(({ lines }) => lines > 500);
  expect(long).toEqual([]);
});

test('names of files are in kebab-case, and none is called utils or common', () => {
  const odd = tracked.filter(
    (name) =>
      /^(src|studio)\//.test(name) &&
      (!/^[a-z0-9/.-]+$/.test(name) || /(^|\/)(utils?|common|helpers?|misc)(\/|\.)/.test(name)),
  );
  expect(odd).toEqual([]);
});

test('every error of the catalogue is raised somewhere', () => {
  const source = [...contents]
    .filter(([name]) => name.startsWith('src/') && !name.startsWith('src/errors/sections/'))
    .map(([, text]) => text)
    .join('\n');
  const unused = Object.keys(CATALOGUE).filter((code) => !source.includes(`'${code}'`));
  expect(unused).toEqual([]);
});

test('every file of src begins with a comment that says what it holds', () => {
  const bare = [...contents]
    .filter(([name, text]) => name.startsWith('src/') && !/^(#!.*\n)?\/[*/]/.test(text))
    .map(([name]) => name.slice('src/'.length, -'.ts'.length));
  expect(bare).toEqual([]);
});
