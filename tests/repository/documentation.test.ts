/** Links between pages lead to a page and a heading that are there, and files that pages name exist. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { isRedirect, pagesIn } from '../support/documentation.js';

const DOCS = pagesIn('docs');
const REDIRECTS = DOCS.filter(isRedirect);
const PAGES = [
  ...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md'],
  ...[...DOCS, ...pagesIn('examples'), ...pagesIn('bench')],
];
const texts = new Map(PAGES.map((page) => [page, readFileSync(page, 'utf8')]));

/** The page without its code blocks. */
const proseOf = (page: string) => (texts.get(page) ?? readFileSync(page, 'utf8')).replace(/^```.*?^```/gms, '');

/** The anchors of a page's headings: lower case, without punctuation, blanks as hyphens, repeated ones with a number. */
function anchorsOf(page: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of proseOf(page).matchAll(/^#+ (.+)$/gm)) {
    const anchor = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    let unique = anchor;
    for (let count = 1; anchors.has(unique); count++) unique = `${anchor}-${count}`;
    anchors.add(unique);
  }
  return anchors;
}

const links = PAGES.flatMap((page) =>
  [...proseOf(page).matchAll(/\]\((?!\w+:)([^)#\s]*)(#[^)\s]+)?\)/g)].map(([, path = '', anchor = '']) => ({
    page,
    path: path === '' ? page : join(dirname(page), path),
    anchor: anchor.slice(1),
  })),
);

test('every link of the documentation leads to a page, and to a heading of it', () => {
  const broken = links.filter(({ path, anchor }) => {
    if (!existsSync(path)) return true;
    return anchor !== '' && path.endsWith('.md') && !anchorsOf(path).has(anchor);
  });
  expect(broken).toEqual([]);
});

test('every file that the documentation names exists', () => {
  const missing = PAGES.flatMap((page) =>
    [...proseOf(page).matchAll(/`((?:[\w.-]+\/)+[\w.-]+\.(?:ts|mjs|mts|json|md))`/g)]
      .map(([, path = '']) => path)
      // Within `src`, as within the folder of the page, the beginning of a path may be left out.
      .filter((path) => ![path, join('src', path), join(dirname(page), path)].some((one) => existsSync(one)))
      .filter((path) => !/^(node_modules|dist)\//.test(path))
      .map((path) => `${page}: ${path}`),
  );
  expect(missing).toEqual([]);
});

test('ARCHITECTURE names every folder of the modules that it divides', () => {
  const divided = [...proseOf('docs/internals/architecture.md').matchAll(/Within `(\w+)`:\n\n((?:\|.*\n)+)/g)];
  expect(divided.length).toBeGreaterThanOrEqual(4);
  for (const [, module = '', table = ''] of divided) {
    const rows = table.split('\n').map((row) => row.split('|')[1] ?? '');
    const named = rows.flatMap((row) => [...row.matchAll(/`([\w-]+)`/g)].map(([, name = '']) => name));
    const folders = readdirSync(join('src', module), { withFileTypes: true }).filter((each) => each.isDirectory());
    expect(named.sort(), module).toEqual(folders.map(({ name }) => name).sort());
  }
});

test('the index of decisions lists every record', () => {
  const index = readFileSync('docs/internals/adr/README.md', 'utf8');
  const records = readdirSync('docs/internals/adr').filter((name) => /^\d/.test(name));
  expect(records.length).toBeGreaterThan(20);
  expect(records.filter((name) => !index.includes(`(${name})`))).toEqual([]);
});

test('the path for newcomers names every page of docs', () => {
  const named = new Set(links.filter(({ page }) => page === 'docs/README.md').map(({ path }) => path));
  const pages = DOCS.filter((page) => !isRedirect(page) && !/^docs\/(README\.md$|internals\/adr\/\d)/.test(page));
  expect(pages.filter((page) => !named.has(page))).toEqual([]);
});

test('the page of an old address names the one that has its content', () => {
  expect(REDIRECTS.length).toBeGreaterThan(20);
  for (const redirect of REDIRECTS) {
    const [target = '', ...others] = links.filter(({ page }) => page === redirect).map(({ path }) => path);
    expect(others, redirect).toContain('docs/README.md');
    expect(isRedirect(target), redirect).toBe(false);
  }
});

test('nothing in the repository names a page by its old address', () => {
  const old = new Set(REDIRECTS);
  expect(links.filter(({ path }) => old.has(path))).toEqual([]);
  const names = REDIRECTS.map((page) => page.replaceAll('.', '\\.')).join('|');
  const found = spawnSync('git', ['grep', '-nIE', `\\b(${names})\\b`], { encoding: 'utf8' });
  expect(found.stdout).toBe('');
});

test('the glossary is short, and each term has a file and an origin', () => {
  const rows = readFileSync('docs/reference/glossary.md', 'utf8')
    .split('\n')
    .filter((line) => /^\| (?!Term|---)/.test(line))
    .map((line) => line.split('|').slice(1, -1));
  expect(rows.length).toBeLessThanOrEqual(60);
  expect(rows.filter((cells) => cells.length !== 4 || !/`[\w/.-]+\.ts`/.test(cells[2] ?? ''))).toEqual([]);
  expect(rows.filter((cells) => (cells[3] ?? '').trim() === '')).toEqual([]);
});
