/**
 * Comments and documents in plain English (`CONTRIBUTING.md`): no riddles, no personified code; lines and cells of at
 * most 120 columns.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Commented code whose words are checked; the length of its lines is checked in `src` alone. */
const CODE = /^(src|tests|bench|scripts|compare|pages|examples)\/.*\.(ts|mjs)$/;
/** Documents. Attacks and results of measurements quote what they are about. */
const DOCUMENT = /^(README|CONTRIBUTING|CHANGELOG)\.md$|^(docs|bench|examples)\/.*\.md$/;
const MAX_COLUMNS = 120;

/** What comments don't say, each with what to say instead. */
const PRIVATE_WORDS: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/(?<!`)\b(hears?|heard)\b/i, 'receives'],
  [/\bunless told\b/i, 'Default: …'],
  [/\b(is|are|isn't|aren't|was|were|be|been|has) told\b|\btold of\b|\btells? of\b/i, 'gets, is sent, describes'],
  [/\b(doesn't|would|may) tell\b/i, 'reveals, reports'],
  [/\b(who|whom)ever\b/i, 'the caller, the client'],
  [
    /\bgoes by\b|\blets (nobody|no one) in\b|\bhanded out\b|\bheld against\b/i,
    'is named, is refused, issued, compared',
  ],
  [/\b(nobody|somebody|anybody|everybody)\b/i, 'a user, a client, no one else: name who it is'],
  [/\bwants? to be\b|\bhad better\b/i, 'must, should'],
  [/\bstands? for\b/i, 'denotes, replaces, means'],
  [/\b(comes|came|come) of\b|\bwhat becomes of\b/i, 'the result'],
  [/\banew\b|\bin the stead\b|\bno good\b|\bany ?more\b/i, 'again, instead, invalid, no longer'],
  [/\b(given|gives?|gave|giving) out\b/i, 'assigned, issued'],
  [/\bfor good\b|\bin vain\b|\b(comes?|came) to nothing\b|\bserves? for nothing\b/i, 'permanently, fails, unused'],
  [/\b(whom PERMISSIONS bind|bound by PERMISSIONS)\b/i, 'subject to PERMISSIONS'],
  [/\b(takes?|took|taken) (it |them |a node )?for (dead|gone)\b/i, 'declared dead'],
  [/\bturn(s|ed)? down\b|\b(comes?|came) upon\b|\bas (it|they) stands?\b|\bhasn't got\b/i, 'rejects, finds, is'],
  [/\bgives? way\b|\bhave their turns?\b|\bin its turn\b/i, 'yields'],
];

const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
  .split('\n')
  .filter((name) => name !== '' && existsSync(name));

interface ProseLine {
  readonly at: string;
  readonly line: string;
}

/** What a kind of file holds of prose. `picker` makes, for each file, what gives a line's prose, if it has any. */
function proseOf(names: RegExp, picker: () => (line: string) => string | undefined): readonly ProseLine[] {
  return tracked
    .filter((name) => names.test(name))
    .flatMap((file) => {
      const pick = picker();
      return readFileSync(file, 'utf8')
        .split('\n')
        .flatMap((text, at) => {
          const line = pick(text);
          return line === undefined ? [] : [{ at: `${file}:${at + 1}`, line }];
        });
    });
}

/** The lines that are nothing but comments. */
const comments = proseOf(CODE, () => {
  let isOpen = false;
  return (line) => {
    const text = line.trimStart();
    const isComment = isOpen || text.startsWith('//') || text.startsWith('/*');
    if (isComment && !text.startsWith('//')) isOpen = !text.includes('*/');
    return isComment ? line : undefined;
  };
});

/** The lines of documents, without their code. */
const prose = proseOf(DOCUMENT, () => {
  let isCode = false;
  return (line) => {
    const isFence = line.trimStart().startsWith('```');
    if (isFence) isCode = !isCode;
    return isCode || isFence ? undefined : line.replaceAll(/`[^`]*`/g, '``');
  };
});

/** The titles of tests, which say what is expected. */
const titles = proseOf(
  /^tests\/.*\.ts$/,
  () => (line) => (/^\s*(it|test|describe)\b.*['"`]/.test(line) ? line : undefined),
);

test.each(PRIVATE_WORDS)('%s: %s', (pattern) => {
  const found = [...comments, ...prose, ...titles].filter(({ line }) => pattern.test(line));
  expect(found.map(({ at, line }) => `${at}: ${line.trim()}`)).toEqual([]);
});

test('documents and titles show, list and describe', () => {
  const found = [...prose, ...titles].filter(({ line }) => /\b(tells?|told)\b/i.test(line));
  expect(found.map(({ at, line }) => `${at}: ${line.trim()}`)).toEqual([]);
});

test('comments fit 120 columns, but for tables and examples', () => {
  const isUnbreakable = (line: string) => /^\s*\* ( {4}|\|)/.test(line) || line.includes('biome-ignore');
  const long = comments.filter(
    ({ at, line }) => at.startsWith('src/') && [...line].length > MAX_COLUMNS && !isUnbreakable(line),
  );
  expect(long.map(({ at, line }) => `${at}: ${line.trim()}`)).toEqual([]);
});

test('documents fit 120 columns, but for code, and so does each cell of their tables', () => {
  const lines = proseOf(/\.md$/, () => {
    let isFenced = false;
    let before = '';
    return (line) => {
      const isFence = line.trimStart().startsWith('```');
      if (isFence) isFenced = !isFenced;
      // Four blanks are code behind an empty line or code.
      const isIndented = line.startsWith('    ') && /^( {4}.*|\s*)$/.test(before);
      before = line;
      return isFenced || isFence || isIndented ? undefined : line;
    };
  });
  const long = lines.filter(({ line }) => {
    const parts = line.startsWith('|') ? line.split(/(?<!\\)\|/).map((cell) => cell.trim()) : [line];
    return parts.some((part) => [...part].length > MAX_COLUMNS);
  });
  expect(long.map(({ at, line }) => `${at}: ${line}`)).toEqual([]);
});
