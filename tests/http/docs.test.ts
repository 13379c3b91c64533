/** `GET /docs`: every page of the documentation is there, and every link in it leads somewhere. */
import MiniSearch from 'minisearch';
import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningServer } from '../../src/server/server.js';
import { pagesIn } from '../support/documentation.js';
import { startTestServer } from '../support/server.js';

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;

const SOURCES = [
  'README.md',
  ...['guides', 'reference', 'operating'].flatMap((folder) => pagesIn(`docs/${folder}`)),
].map((path) => path.replace(/^docs\//, ''));
const ADDRESSES = SOURCES.map((source) => (source === 'README.md' ? '/docs' : `/docs/${source.replace(/\.md$/, '')}`));

let server: RunningServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const get = (address: string, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${server.url}${address}`, { headers });
const text = async (address: string) => {
  const answer = await get(address);
  expect([address, answer.status]).toEqual([address, 200]);
  return answer.text();
};

function elementsOf(node: Node): readonly Element[] {
  const own = 'tagName' in node ? [node] : [];
  return 'childNodes' in node ? [...own, ...node.childNodes.flatMap(elementsOf)] : own;
}
const attribute = ({ attrs }: Element, wanted: string) => attrs.find(({ name }) => name === wanted)?.value;

type Page = Awaited<ReturnType<typeof parsePage>>;
const read = new Map<string, Promise<Page>>();

function readPage(address: string): Promise<Page> {
  const page = read.get(address) ?? parsePage(address);
  read.set(address, page);
  return page;
}

async function parsePage(address: string) {
  const elements = elementsOf(parse(await text(address)));
  const all = (name: string) => elements.flatMap((element) => attribute(element, name) ?? []);
  return { address, elements, ids: new Set(all('id')), links: [...all('href'), ...all('src')] };
}

describe('the pages', () => {
  it('are all there, for people and for programs, each with a line about it', async () => {
    expect(SOURCES.length).toBeGreaterThan(40);
    const listed = JSON.parse(await text('/docs/pages.json')) as readonly { address: string; title: string }[];
    expect(listed.map(({ address }) => (address === '' ? '/docs' : `/docs/${address}`)).sort()).toEqual(
      ADDRESSES.sort(),
    );
    const index = await text('/llms.txt');
    for (const source of SOURCES) {
      const [, title, about] = new RegExp(`\\[(.+)\\]\\(/docs/${source}\\): ([A-Z\`“].*)\n`).exec(index) ?? [];
      expect([source, about]).toEqual([source, expect.stringMatching(/.{8}/)]);
      expect(await text(`/docs/${source}`)).toContain(`# ${title}\n`);
    }
  });

  it('lead nowhere but to pages, headings and files that are there', async () => {
    const pages = await Promise.all(ADDRESSES.map(readPage));
    const idsOf = new Map(pages.map(({ address, ids }) => [address, ids]));
    const links = pages.flatMap(({ address, links }) =>
      links.filter((link) => !/^(https?|mailto|data):/.test(link)).map((link) => ({ address, link })),
    );
    const broken: object[] = [];
    const files = new Set<string>();
    for (const { address, link } of links) {
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? address : path;
      if (anchor !== undefined && !idsOf.get(target)?.has(anchor)) broken.push({ address, link });
      if (!idsOf.has(target)) files.add(target);
    }
    expect(broken).toEqual([]);
    for (const file of files) expect([file, (await get(file)).status]).toEqual([file, 200]);
    expect([...files].some((file) => file.endsWith('.jpg'))).toBe(true);
  });

  it('lead nowhere else as Markdown', async () => {
    const known = new Set(SOURCES.map((source) => `/docs/${source}`));
    for (const source of SOURCES) {
      const prose = (await text(`/docs/${source}`)).replace(/^```.*?^```/gms, '');
      const targets = [...prose.matchAll(/\]\((?!\w+:|#)([^)#\s]+)/g)].map(([, target = '']) => target);
      expect([source, targets.filter((target) => !known.has(target) && !target.endsWith('.jpg'))]).toEqual([
        source,
        [],
      ]);
    }
  });

  it('run no script but that of the search, load nothing from elsewhere, and have no style of their own', async () => {
    const { headers } = await get('/docs');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
    expect(policy).not.toMatch(/unsafe|nonce/);
    for (const address of ADDRESSES) {
      const { elements } = await readPage(address);
      const scripts = elements.filter(({ tagName }) => tagName === 'script');
      expect(scripts.map((script) => [attribute(script, 'src'), script.childNodes.length])).toEqual([
        [expect.stringMatching(/^\/docs\/docs-\w+\.js$/), 0],
      ]);
      const attributes = elements.flatMap(({ attrs }) => attrs.map(({ name }) => name));
      expect(attributes.filter((name) => name === 'style' || name.startsWith('on'))).toEqual([]);
      const loaded = elements.flatMap((element) => attribute(element, 'src') ?? []);
      expect(loaded.filter((source) => !source.startsWith('/docs/'))).toEqual([]);
    }
  });

  it('are asked for again only when they have changed', async () => {
    const first = await get('/docs/guides/start');
    expect(first.headers.get('cache-control')).toBe('no-cache');
    const again = await get('/docs/guides/start', { 'if-none-match': first.headers.get('etag') ?? '' });
    expect(again.status).toBe(304);
    const [script = ''] = (await readPage('/docs')).links.filter((link) => link.endsWith('.js'));
    expect((await get(script)).headers.get('cache-control')).toContain('immutable');
  });

  it('are the listed ones alone', async () => {
    for (const address of ['/docs/nothing', '/docs/__proto__', '/docs/manifest.json', '/docs/..%2f..%2fREADME.md']) {
      expect([address, (await get(address)).status]).toEqual([address, 404]);
    }
  });
});

it('has an index for the search, which finds sections by their words', async () => {
  const sections = JSON.parse(await text('/docs/search.json')) as readonly { address: string; words: string }[];
  const index = new MiniSearch({ idField: 'address', fields: ['page', 'heading', 'words'] });
  index.addAll(sections);
  const best = (words: string) => index.search(words, { combineWith: 'AND' }).map(({ id }) => id as string);
  expect(best('the first root user')).toContain('/docs/operating/security#the-first-root-user');
  expect(best('levenshtein')).toContain('/docs/reference/functions#string');
  const pages = new Map(
    await Promise.all(ADDRESSES.map(async (address) => [address, await readPage(address)] as const)),
  );
  const lost = sections.filter(({ address }) => {
    const [path = '', anchor] = address.split('#');
    return anchor !== undefined && !pages.get(path)?.ids.has(anchor);
  });
  expect(lost).toEqual([]);
});

it('is switched off by the name of its route', async () => {
  const other = await startTestServer({ SVC_DENY_HTTP: 'docs' });
  try {
    for (const address of ['/docs', '/docs/guides/start', '/llms.txt']) {
      const answer = await fetch(`${other.url}${address}`);
      expect([address, answer.status]).toEqual([address, 403]);
    }
    const page = async (url: string) => (await fetch(url, { headers: { accept: 'text/html' } })).text();
    expect(await page(other.url)).not.toContain('href="/docs"');
    expect(await page(server.url)).toContain('href="/docs"');
  } finally {
    await other.close();
  }
});
