/**
 * A58: the real server is killed while it sends the code of a sign-in, and started again. The code arrives, once or
 * twice, and signs in once. Each step by itself: `tests/security/identity/mail-kills.test.ts`.
 */
import { createHash, randomBytes } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { type MailServerOptions, startMailServer, type TestMailServer } from '../support/mail-server.js';
import { isInTurn } from '../support/runs-all.js';
import { cleanUp, ROOT, type ServerProcess, startServerWith, temporaryFolder } from '../support/server-process.js';
import { atLeast } from '../support/timeouts.js';

const mailServers: TestMailServer[] = [];
afterAll(async () => {
  await cleanUp();
  await Promise.all(mailServers.map((server) => server.close()));
});

/** A try that was cut off is followed by the next one after 45 seconds. */
const PATIENCE = { timeout: 120_000, interval: 100 };

const SCHEMA = (port: number) => `
  DEFINE CONFIG MAIL FROM 'no-reply@shop.example' SMTP 'smtp://127.0.0.1:${port}';
  DEFINE TABLE user;
  DEFINE ACCESS mail ON DATABASE TYPE RECORD SIGNUP (CREATE user SET email = $identity.email)
    SIGNIN (SELECT * FROM user WHERE email = $email) WITH MAIL CODE`;

async function post({ url }: ServerProcess, path: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  return fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
}

interface Killed {
  readonly mail: TestMailServer;
  readonly server: ServerProcess;
  /** The request that the code is for. */
  readonly request: string;
}

/** A server that was killed at a step of the mail of a sign-in, and is there again on the same folder. */
async function killedAt(step: (killOnce: () => void) => MailServerOptions): Promise<Killed> {
  let server: ServerProcess | undefined;
  let ended: Promise<unknown> | undefined;
  const mail = await startMailServer(
    step(() => {
      ended ??= server?.stop('SIGKILL');
    }),
  );
  mailServers.push(mail);
  const folder = temporaryFolder();
  const start = () =>
    startServerWith([folder, '--user', ROOT.user, '--pass', ROOT.pass, '--allow-net', '127.0.0.1', '--allow-guests']);
  server = await start();
  const defined = await fetch(`${server.url}/sql`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${ROOT.user}:${ROOT.pass}`).toString('base64')}`,
      accept: 'application/json',
      'surreal-ns': 'test',
      'surreal-db': 'test',
    },
    body: SCHEMA(mail.port),
  });
  expect(((await defined.json()) as { status: string }[]).map(({ status }) => status)).toEqual(['OK', 'OK', 'OK']);
  const challenge = createHash('sha256').update(randomBytes(32).toString('base64url')).digest('base64url');
  const begun = await post(server, '/auth/test/test/mail/start', { challenge, email: 'ann@example.com' });
  expect(begun.status).toBe(200);
  const { request } = (await begun.json()) as { request: string };
  await expect.poll(() => ended, PATIENCE).toBeDefined();
  await ended;
  return { mail, server: await start(), request };
}

async function signsInOnce({ mail, server, request }: Killed): Promise<void> {
  const codes = new Set(mail.received.map(({ parsed }) => /\b\d{8}\b/.exec(parsed.text ?? '')?.[0]));
  expect(codes.size).toBe(1);
  const [code] = codes;
  const body = { NS: 'test', DB: 'test', AC: 'mail', request, code };
  const both = await Promise.all([post(server, '/signin', body), post(server, '/signin', body)]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);
  const later = await post(server, '/signin', body);
  expect(later.status).toBe(401);
}

// In turns with other long tests.
describe.skipIf(!isInTurn(1))('A58', () => {
  test.concurrent('killed before the text: the code arrives once', { timeout: atLeast(240_000) }, async () => {
    const killed = await killedAt((killOnce) => ({
      onRcptTo: (_address, _session, callback) => {
        killOnce();
        callback();
      },
    }));
    await expect.poll(() => killed.mail.received.length, PATIENCE).toBe(1);
    await signsInOnce(killed);
    expect(killed.mail.received).toHaveLength(1);
  });

  test.concurrent('killed when the text was taken: the code arrives twice, and is one', {
    timeout: atLeast(240_000),
  }, async () => {
    const killed = await killedAt((killOnce) => ({ onTaken: killOnce }));
    await expect.poll(() => killed.mail.received.length, PATIENCE).toBe(2);
    await signsInOnce(killed);
    expect(killed.mail.received).toHaveLength(2);
  });
});
