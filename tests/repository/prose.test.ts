/** Comments in plain English (`CONTRIBUTING.md`): no riddles, no personified code, lines of at most 120 columns. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** The rooms whose prose is checked. */
const ROOMS = [
  'base',
  'env',
  'errors',
  'value',
  'language',
  'storage',
  'catalog',
  'functions',
  'index',
  'plan',
  'exec',
  'auth',
  'audit',
  'session',
  'rpc',
  'graphql',
  'http',
  'server',
  'embedded',
  'cli',
];
/** Files of these rooms that are being rewritten. */
const EXCEPT = ['src/session/database/plan-cache.ts', 'src/session/database/plan-store.ts'];
const MAX_COLUMNS = 120;

/** What comments don't say, each with what to say instead. */
const PRIVATE_WORDS: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/(?<!`)\b(hears?|heard)\b/i, 'receives'],
  [/\bunless told\b/i, 'Default: …'],
  [/\b(is|are|isn't|aren't|was|were|be|been) told\b|\btold of\b|\btells of\b/i, 'gets, is sent, describes'],
  [/\b(who|whom)ever (asks|wants|it is|goes|comes|has|is|reads|writes|sends)\b/i, 'the caller, the client'],
  [/\b(nobody|somebody|anybody|everybody)\b/i, 'a user, a client, no one else: name who it is'],
  [/\bwants? to be\b|\bhad better\b/i, 'must, should'],
  [/\bstands? for\b/i, 'denotes, replaces, means'],
  [/\b(comes|came|come) of\b|\bwhat becomes of\b/i, 'the result'],
  [/\banew\b|\bin the stead\b|\bno good\b|\bany ?more\b/i, 'again, instead, invalid, no longer'],
  [/\bgives? way\b|\bhave their turns?\b|\bin its turn\b/i, 'yields'],
];

const files = ROOMS.flatMap((room) =>
  readdirSync(`src/${room}`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `src/${room}/${name}`),
).filter((name) => !EXCEPT.includes(name));

interface CommentLine {
  readonly at: string;
  readonly line: string;
}

/** The lines that are nothing but comments. */
const comments: readonly CommentLine[] = files.flatMap((file) => {
  let isOpen = false;
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line, at) => {
      const text = line.trimStart();
      const isComment = isOpen || text.startsWith('//') || text.startsWith('/*');
      if (isComment && !text.startsWith('//')) isOpen = !text.includes('*/');
      return isComment ? [{ at: `${file}:${at + 1}`, line }] : [];
    });
});

test.each(PRIVATE_WORDS)('%s: %s', (pattern) => {
  expect(comments.filter(({ line }) => pattern.test(line)).map(({ at, line }) => `${at}: ${line.trim()}`)).toEqual([]);
});

test('comments fit 120 columns, but for tables and examples', () => {
  const isUnbreakable = (line: string) => /^\s*\* ( {4}|\|)/.test(line) || line.includes('biome-ignore');
  const long = comments.filter(({ line }) => [...line].length > MAX_COLUMNS && !isUnbreakable(line));
  expect(long.map(({ at, line }) => `${at}: ${line.trim()}`)).toEqual([]);
});
