/** `GET /`: a page for browsers, JSON for other clients. */
import type { FastifyInstance } from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { createHttpServer, type HttpServerParts } from '../../src/http/server.js';
import { FakeDatabase } from '../support/fake-database.js';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const file = { tag: 'abc', contentType: 'text/javascript; charset=utf-8', body: Buffer.from('1') };
const welcome = {
  html: '<p>{product}|{graphql}|<script nonce="{nonce}"></script>{other}</p>',
  files: { find: async (name: string) => (name === 'welcome-1.js' ? file : undefined) },
};

let app: FastifyInstance;
afterEach(() => app.close());

function build(parts: Partial<HttpServerParts> = {}): void {
  app = createHttpServer({ database: new FakeDatabase(), welcome, options: { product: 'tessera/1.2.3' }, ...parts });
}
const get = (accept?: string, url = '/') => app.inject({ url, headers: accept === undefined ? {} : { accept } });

describe('the page', () => {
  it('is for browsers, loads nothing from elsewhere and runs no script that stands in it', async () => {
    build();
    const { headers, payload } = await get(BROWSER);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    const policy = String(headers['content-security-policy']);
    const [, nonce] = /'nonce-([^']+)'/.exec(policy) ?? [];
    expect(policy).toContain("default-src 'none'; script-src 'self';");
    expect(policy).not.toContain('unsafe');
    expect(policy).toContain("form-action 'self'");
    expect(payload).toContain(`nonce="${nonce}"`);
    expect(payload).toContain('{other}');
    expect((await get(BROWSER)).headers['content-security-policy']).not.toBe(policy);
  });

  it('names the version only where headers do, and whether there is GraphQL', async () => {
    build();
    expect((await get(BROWSER)).payload).toMatch(/^<p> \(tessera\/1\.2\.3\)\|GraphQL is switched off/);
    await app.close();
    const graphql = async () => ({ status: 200, contentType: 'application/json', body: '{}' });
    build({ options: { product: undefined }, graphql });
    expect((await get(BROWSER)).payload).toMatch(/^<p>\|<a href="\/graphql">/);
  });

  it('is JSON for other clients, as it is where no page was built', async () => {
    build();
    for (const accept of [undefined, '*/*', 'application/json', 'text/plain']) {
      const { headers, payload } = await get(accept);
      expect(headers['content-type']).toBe('application/json');
      expect(headers).not.toHaveProperty('content-security-policy');
      expect(JSON.parse(payload)).toMatchObject({ name: 'Tessera', version: 'tessera/1.2.3' });
    }
    await app.close();
    build({ welcome: undefined });
    expect((await get(BROWSER)).headers['content-type']).toBe('application/json');
  });

  it('has files under their names alone', async () => {
    build();
    const { headers, payload } = await get(undefined, '/welcome/welcome-1.js');
    expect(headers).toMatchObject({ etag: '"abc"', 'cache-control': 'public, max-age=31536000, immutable' });
    expect(payload).toBe('1');
    for (const name of ['welcome-2.js', 'index.html', '..%2Fpackage.json', '__proto__']) {
      expect((await get(undefined, `/welcome/${name}`)).statusCode).toBe(404);
    }
  });
});
