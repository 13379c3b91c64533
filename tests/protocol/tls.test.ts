/** TLS: HTTP, WebSockets and the official client with a certificate of our own, and invalid files. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { Surreal } from 'surrealdb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { RunningServer } from '../../src/server/server.js';
import { ROOT, startTestServer } from '../support/server.js';

describe('over TLS', () => {
  let folder: string;
  let server: RunningServer;
  let ca: Buffer;
  let files: Record<string, string>;

  /** A key, and a certificate that it signed itself. */
  async function make(name: string): Promise<{ certificate: string; key: string }> {
    const [certificate, key] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)];
    const made = await generate([{ name: 'commonName', value: 'localhost' }], {
      keyType: 'ec',
      algorithm: 'sha256',
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
    });
    writeFileSync(certificate, made.cert);
    writeFileSync(key, made.private);
    return { certificate, key };
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tessera-tls-'));
    const { certificate, key } = await make('own');
    ca = readFileSync(certificate);
    files = { SVC_WEB_CRT: certificate, SVC_WEB_KEY: key };
    server = await startTestServer(files);
  });
  afterAll(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });

  it('answers over HTTPS, and not over plain HTTP', async () => {
    expect(server.url).toMatch(/^https:/);
    const status = await new Promise((resolve, reject) => {
      const asking = request(`${server.url}/ready`, { agent: new Agent({ ca }) }, ({ statusCode }) =>
        resolve(statusCode),
      );
      asking.on('error', reject).end();
    });
    expect(status).toBe(200);
    await expect(fetch(server.url.replace('https', 'http'))).rejects.toThrow();
    await expect(fetch(server.url)).rejects.toThrow();
  });

  it('answers a request that offers an upgrade which is ignored', async () => {
    const headers = { connection: 'upgrade', upgrade: 'h2c' };
    const status = await new Promise((resolve, reject) => {
      const asking = request(`${server.url}/ready`, { agent: new Agent({ ca }), headers }, ({ statusCode }) =>
        resolve(statusCode),
      );
      asking.on('error', reject).end();
    });
    expect(status).toBe(200);
  });

  it('counts the connections of an address that aren’t WebSockets', async () => {
    const limited = await startTestServer({ ...files, SVC_MAX_HTTP_CONNECTIONS_PER_ADDRESS: '3' });
    const agent = new Agent({ ca, keepAlive: true, maxSockets: 10 });
    const sockets: WebSocket[] = [];
    for (let count = 0; count < 5; count++) {
      const socket = new WebSocket(`${limited.url.replace('https', 'wss')}/rpc`, ['json'], { ca });
      sockets.push(socket);
      await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    }
    const answers = await Promise.allSettled(
      Array.from(
        { length: 6 },
        () =>
          new Promise((resolve, reject) => {
            request(`${limited.url}/ready`, { agent }, resolve).on('error', reject).end();
          }),
      ),
    );
    expect(answers.filter(({ status }) => status === 'fulfilled').length).toBe(3);
    for (const socket of sockets) socket.terminate();
    agent.destroy();
    await limited.close();
  });

  it('serves the official client', async () => {
    class Trusting extends WebSocket {
      constructor(url: string, protocols: string) {
        super(url, protocols, { ca });
      }
    }
    const db = new Surreal({ websocketImpl: Trusting as unknown as typeof globalThis.WebSocket });
    await db.connect(`${server.url.replace('https', 'wss')}/rpc`, { reconnect: false });
    await db.signin(ROOT);
    await db.use({ namespace: 'test', database: 'test' });
    expect(await db.query('RETURN 1')).toEqual([1]);
    await db.close();
  });

  it('says at the start what is wrong with the files', async () => {
    const [one, other] = [await make('one'), await make('other')];
    const broken = join(folder, 'broken.crt');
    writeFileSync(broken, 'no certificate');
    const start = (certificate: string, key: string) => startTestServer({ SVC_WEB_CRT: certificate, SVC_WEB_KEY: key });
    await expect(start(join(folder, 'none.crt'), one.key)).rejects.toThrow('--web-crt: ENOENT');
    await expect(start(broken, one.key)).rejects.toThrow('--web-crt and --web-key: ');
    await expect(start(one.certificate, other.key)).rejects.toThrow('--web-crt and --web-key: ');
  });
});
