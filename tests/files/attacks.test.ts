/** What can't be done with files over HTTP: run in a page, change headers, be found out, or hold others up. */
import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import fc from 'fast-check';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningServer } from '../../src/server/server.js';
import { startDrawnServer } from '../support/drawn-server.js';
import { ROOT } from '../support/server.js';

const AS_ROOT = `Basic ${Buffer.from(`${ROOT.username}:${ROOT.password}`).toString('base64')}`;
const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find(existsSync);

let server: RunningServer;
const tokens: Record<string, string> = {};
beforeAll(async () => {
  server = await startDrawnServer('attacks by files');
  await sql(`
    DEFINE TABLE user PERMISSIONS FULL;
    DEFINE ACCESS people ON DATABASE TYPE RECORD
      SIGNUP (CREATE type::record('user', $name) SET name = $name);
    DEFINE BUCKET mine PERMISSIONS
      FOR get, head, list, delete, copy, rename WHERE owner = $auth.id,
      FOR put WHERE owner = $auth.id AND $auth.name = 'ann';
    DEFINE BUCKET closed;
    DEFINE BUCKET pages PERMISSIONS FULL;
    DEFINE BUCKET small MAXSIZE 1000 PERMISSIONS FULL`);
  for (const name of ['ann', 'bob']) {
    const answer = await fetch(`${server.url}/signup`, {
      method: 'POST',
      body: JSON.stringify({ ns: 'test', db: 'test', ac: 'people', name }),
    });
    tokens[name] = `Bearer ${((await answer.json()) as { token: string }).token}`;
  }
});
afterAll(() => server.close());

async function sql(text: string, variables: Readonly<Record<string, string>> = {}): Promise<unknown[]> {
  const headers = { authorization: AS_ROOT, 'surreal-ns': 'test', 'surreal-db': 'test', accept: 'application/json' };
  const query = new URLSearchParams(variables).toString();
  const answer = await fetch(`${server.url}/sql?${query}`, { method: 'POST', headers, body: text });
  return ((await answer.json()) as { result: unknown }[]).map(({ result }) => result);
}

function ask(as: string, method: string, path: string, { headers = {}, body }: RequestInit = {}): Promise<Response> {
  const authorization = as === 'root' ? AS_ROOT : (tokens[as] ?? '');
  return fetch(`${server.url}/files/test/test/${path}`, {
    method,
    headers: { ...(authorization !== '' && { authorization }), ...(headers as object) },
    ...(body !== undefined && { body: typeof body === 'string' ? Buffer.from(body) : body }),
    redirect: 'manual',
  });
}

describe('a file of others', () => {
  const TUS = { 'tus-resumable': '1.0.0', 'upload-length': '3' };
  const etag = { version: '' };
  beforeAll(async () => {
    const put = await ask('ann', 'PUT', 'mine/secret.txt', { body: 'secret' });
    etag.version = put.headers.get('etag') ?? '';
  });
  const REQUESTS: readonly (readonly [method: string, headers: () => Record<string, string>])[] = [
    ['GET', () => ({})],
    ['HEAD', () => ({})],
    ['GET', () => ({ range: 'bytes=0-1' })],
    ['GET', () => ({ range: 'bytes=100-' })],
    ['GET', () => ({ range: 'bytes=0-1', 'if-range': etag.version })],
    ['GET', () => ({ 'if-none-match': '*' })],
    ['GET', () => ({ 'if-none-match': etag.version })],
    ['GET', () => ({ 'if-match': '*' })],
    ['GET', () => ({ 'if-match': '"other"' })],
    ['HEAD', () => ({ 'if-modified-since': 'Fri, 01 Jan 2100 00:00:00 GMT' })],
    ['GET', () => ({ 'if-unmodified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' })],
    ['PUT', () => ({})],
    ['PUT', () => ({ 'if-none-match': '*' })],
    ['PUT', () => ({ 'if-match': etag.version })],
    ['PUT', () => ({ 'content-type': 'no type' })],
    ['DELETE', () => ({})],
    ['DELETE', () => ({ 'if-match': '"other"' })],
    ['DELETE', () => ({ 'if-match': etag.version })],
    ['POST', () => TUS],
    ['POST', () => ({ ...TUS, 'if-none-match': '*' })],
    ['POST', () => ({ ...TUS, 'if-match': etag.version })],
    ['OPTIONS', () => ({})],
    ['PATCH', () => ({})],
    ['GET', () => ({ accept: 'application/cbor' })],
  ];

  it.each(['bob', ''])('can’t be distinguished from none by any answer (as "%s")', async (as) => {
    for (const [method, headers] of REQUESTS) {
      const init = { headers: headers(), ...(method === 'PUT' && { body: 'x' }) };
      const seen = await Promise.all(
        ['mine/secret.txt', 'mine/nothing.txt'].map(async (path) => {
          const answer = await ask(as, method, path, init);
          const { status } = answer;
          const names = [...answer.headers.keys()].filter((name) => name !== 'content-length' || method !== 'HEAD');
          const text = (await answer.text()).replace(/"(?:request_?id|id)":"[^"]*"/g, '');
          return { status, names, text };
        }),
      );
      expect(seen[0], `${method} ${JSON.stringify(init.headers)}`).toEqual(seen[1]);
      expect(seen[0]?.status, method).not.toBe(200);
    }
    expect(await (await ask('ann', 'GET', 'mine/secret.txt')).text()).toBe('secret');
  });

  it('isn’t shown by lists, nor by files that others put beside it', async () => {
    expect(await (await ask('bob', 'GET', 'mine?prefix=/sec')).json()).toEqual([]);
    expect((await ask('bob', 'GET', 'closed?prefix=/')).status).toBe(403);
    const form = new FormData();
    form.append('file', new Blob(['x']), 'secret.txt');
    const headers = { authorization: tokens['bob'] ?? '' };
    const posted = await fetch(`${server.url}/files/test/test/mine`, { method: 'POST', headers, body: form });
    expect(posted.status).toBe(403);
  });
});

describe('headers', () => {
  it('are those of a file, whatever its key is', async () => {
    const plain = await ask('root', 'PUT', 'pages/plain', { body: 'x' }).then(() => ask('root', 'GET', 'pages/plain'));
    const names = [...plain.headers.keys()];
    const letter = fc.oneof(
      fc.constantFrom('"', '\\', ';', '%', "'", ',', '=', '\u2028', '\u0085', '\t', '\r', '\n', 'é', '…', '😀', ' '),
      fc.string({ minLength: 1, maxLength: 3, unit: 'binary' }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(letter, { minLength: 1, maxLength: 12 }), async (letters) => {
        const key = letters.join('').replaceAll('/', '');
        const path = `pages/${encodeURIComponent(key.isWellFormed() ? key : '')}x`;
        const put = await ask('root', 'PUT', path, { body: 'x' });
        // The machine may be busy.
        fc.pre(put.status !== 503);
        if (!put.ok) {
          expect([400, 404]).toContain(put.status);
          return;
        }
        const got = await ask('root', 'GET', path);
        expect([got.status, [...got.headers.keys()]]).toEqual([200, names]);
        const disposition = got.headers.get('content-disposition') ?? '';
        const [, shown = '', encoded = ''] =
          /^attachment; filename="([\x20-\x21\x23-\x5b\x5d-\x7e]*)"; filename\*=UTF-8''([A-Za-z0-9!#$&+.^_`|~%-]*)$/.exec(
            disposition,
          ) ?? [];
        expect(shown, disposition).not.toBe('');
        expect(decodeURIComponent(encoded)).toBe(`${key}x`);
      }),
      { numRuns: 100 },
    );
  });

  it('have no type but one that is one', async () => {
    const types = fc.oneof(
      fc.constantFrom(
        'text/html\r\nset-cookie: a=1',
        'text/html\n',
        'text/plain; charset="a\u0000b"',
        'a/b;c="\r\n"',
        'text/html, text/plain',
      ),
      fc.string({ maxLength: 40 }),
      fc
        .tuple(fc.string({ maxLength: 5 }), fc.string({ maxLength: 5 }))
        .map(([left, right]) => `image/png${left};${right}`),
    );
    await fc.assert(
      fc.asyncProperty(types, async (type) => {
        const [answer] = await sql(`f"pages:/typed".put('x', { type: ${JSON.stringify(type)} })`);
        const got = await ask('root', 'GET', 'pages/typed');
        if (got.status === 404) return;
        expect(got.headers.get('content-type')).toMatch(/^[\x20-\x7e]+$/);
        expect(got.headers.get('set-cookie')).toBe(null);
        if (answer === null) expect(got.headers.get('content-type')?.toLowerCase()).toBe(type.trim().toLowerCase());
      }),
      { numRuns: 100 },
    );
  });
});

describe('bodies', () => {
  const opened = (): Promise<Socket> => {
    const { hostname, port } = new URL(server.url);
    return new Promise((resolve) => {
      const socket = connect(Number(port), hostname, () => resolve(socket));
    });
  };

  it('end where they are too large, however they come, and leave nothing', async () => {
    const socket = await opened();
    const head = `PUT /files/test/test/small/big HTTP/1.1\r\nhost: x\r\nauthorization: ${AS_ROOT}`;
    socket.write(`${head}\r\ntransfer-encoding: chunked\r\n\r\n`);
    const answered = new Promise<string>((resolve) => socket.once('data', (chunk) => resolve(String(chunk))));
    const chunk = `400\r\n${'x'.repeat(1024)}\r\n`;
    socket.write(chunk);
    expect(await answered).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
    // Longer than it says.
    const wrong = await opened();
    const closed = new Promise<string>((resolve) => {
      let text = '';
      wrong
        .on('data', (data) => (text += String(data)))
        .on('close', () => resolve(text))
        .on('error', () => undefined);
    });
    wrong.write(`${head}\r\ncontent-length: 3\r\nconnection: close\r\n\r\nabcdef`);
    expect(await closed).toMatch(/^HTTP\/1\.1 (201|400) /);
    const listed = (await (await ask('root', 'GET', 'small')).json()) as { size: number }[];
    expect(listed.every(({ size }) => size === 3)).toBe(true);
  });
});

// A browser that follows links to what others have put.
describe.skipIf(CHROMIUM === undefined)('a page', () => {
  let listener: Server;
  const heard: string[] = [];
  let address = '';
  beforeAll(async () => {
    listener = createServer((request, response) => {
      if (request.url === '/') {
        response.setHeader('content-type', 'text/html').end(page);
        return;
      }
      if (request.url === '/control') {
        response.setHeader('content-type', 'text/html').end(html('ran'));
        return;
      }
      if (request.url !== '/favicon.ico') heard.push(request.url ?? '');
      response.setHeader('access-control-allow-origin', '*').end();
    });
    await new Promise<void>((resolve) => void listener.listen(0, '127.0.0.1', resolve));
    address = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
  });
  afterAll(() => void listener.close());
  let page = '';
  const script = (name: string) => `fetch('${address}/${name}');new Image().src='${address}/image-${name}'`;
  const html = (name: string) => `<!doctype html><body onload="${script(name)}"><script>${script(name)}</script>`;

  it('that is a file runs nothing, wherever it is shown', { timeout: 60_000 }, async () => {
    const svg = (name: string) =>
      `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="${script(name).replaceAll('"', "'")}"><script>${script(name)}</script><rect width="9" height="9"/></svg>`;
    const files: readonly (readonly [name: string, type: string, content: string])[] = [
      ['page.html', 'text/html', html('html')],
      [
        'page.xhtml',
        'application/xhtml+xml',
        `<html xmlns="http://www.w3.org/1999/xhtml"><script>${script('xhtml')}</script></html>`,
      ],
      ['a.svg', 'image/svg+xml', svg('svg')],
      ['a.xml', 'text/xml', `<?xml-stylesheet href="data:text/xsl,"?>${svg('xml')}`],
      ['a.txt', 'text/plain', html('text')],
      ['a.png', 'image/png', html('png')],
      ['a.pdf', 'application/pdf', html('pdf')],
      ['a.bin', 'application/octet-stream', html('binary')],
      ['a.mht', 'multipart/related', html('mht')],
    ];
    const links: string[] = [];
    for (const [name, type, content] of files) {
      expect((await ask('root', 'PUT', `pages/${name}`, { headers: { 'content-type': type }, body: content })).ok).toBe(
        true,
      );
      const [link] = await sql(`f"pages:/${name}".url()`);
      links.push(new URL(String(link), server.url).href);
    }
    const browser = await chromium.launch({
      executablePath: CHROMIUM as string,
      args: ['--headless', '--no-sandbox', '--disable-gpu'],
    });
    try {
      const tab = await browser.newPage();
      // Opened by themselves: shown, or saved.
      for (const link of links)
        await tab
          .goto(link, { waitUntil: 'load' })
          .catch((error: Error) => expect(String(error)).toMatch(/Download|ERR_ABORTED/));
      // What it would be like if it did.
      page = `<iframe src="/control"></iframe>${links
        .map(
          (link) =>
            `<iframe src="${link}"></iframe><object data="${link}"></object><embed src="${link}"><img src="${link}">`,
        )
        .join('')}`;
      await tab.goto(`${address}/`, { waitUntil: 'load' });
      // The picture is shown where a picture is asked for.
      expect(await tab.evaluate(`document.querySelectorAll('img')[2].naturalWidth`)).toBe(9);
      await tab.evaluate(`fetch('${address}/end')`);
      await expect.poll(() => heard).toContain('/end');
    } finally {
      await browser.close();
    }
    expect(new Set(heard)).toEqual(new Set(['/ran', '/image-ran', '/end']));
  });
});
