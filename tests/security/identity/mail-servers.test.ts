/**
 * A30: mail servers that refuse, hang or talk slowly hold up no sign-in, and are tried a bounded number of times (by the
 * clock: `tests/session/mail-sender.test.ts`; TLS: `tests/env/smtp.test.ts`). A31: mail servers as a way to scan ports.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { objectFrom } from '../../../src/value/value.js';
import { type RawServer, startMailServer, startRawServer, type TestMailServer } from '../../support/mail-server.js';
import { MailWorld, PATIENCE } from './mail-world.js';

const servers: (TestMailServer | RawServer)[] = [];
function kept<S extends TestMailServer | RawServer>(server: S): S {
  servers.push(server);
  return server;
}
let world: MailWorld;
beforeEach(async () => {
  world = await MailWorld.open();
});
afterEach(async () => {
  await world.close();
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const reasons = async () => (await world.mails()).map(({ reason }) => reason);

describe('A30', () => {
  test('sign-ins go on while every mail hangs, and connections are bounded', async () => {
    const hanging = kept(await startRawServer(() => undefined));
    await world.configure(hanging.port);
    await world.queue(...Array.from({ length: 200 }, (_, number) => ({ to: `ann${number}@example.com` })));
    await expect.poll(() => hanging.connections, PATIENCE).toBe(5);
    for (let number = 0; number < 20; number++) await world.world.person(`user${number}`);
    const guest = world.world.guest();
    await guest.signIn(objectFrom({ NS: 'test', DB: 'test', AC: 'people', name: 'user1' }));
    expect(hanging.connections).toBe(5);
    expect(new Set(await world.states())).toEqual(new Set(['waiting']));
  });

  test('a server that refuses permanently is asked once, one that refuses for now waits', async () => {
    const refusing = kept(
      await startMailServer({
        onRcptTo: ({ address }, _, callback) => {
          const responseCode = address.startsWith('gone') ? 550 : 450;
          callback(Object.assign(new Error(`no ${address}`), { responseCode }));
        },
      }),
    );
    await world.configure(refusing.port);
    await world.queue({ to: 'gone@example.com' }, { to: 'busy@example.com' });
    await expect
      .poll(reasons, PATIENCE)
      .toEqual(['the mail server refuses it for now (450)', 'the mail server refuses it (550)']);
    expect(await world.mails()).toMatchObject([
      { to: 'busy@example.com', state: 'waiting', tries: 1 },
      { to: 'gone@example.com', state: 'failed', tries: 1 },
    ]);
  });

  test('what a server says is shown nowhere', async () => {
    const talking = kept(
      await startRawServer((socket) => socket.end('554 <script>secrets of the intranet</script>\r\n')),
    );
    await world.configure(talking.port);
    await world.queue({});
    await expect.poll(reasons, PATIENCE).toEqual(['the mail server refuses it for now (554)']);
    expect([...world.log, ...world.audited].join('\n')).not.toContain('intranet');
  });
});

describe('A31', () => {
  test('nothing is connected to without --allow-net, on this machine or by a name of it', async () => {
    const server = kept(await startMailServer());
    const closed = await MailWorld.open({ network: {} });
    try {
      for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0.0.0.0']) {
        const text = `DEFINE CONFIG OVERWRITE MAIL FROM 'a@b.example' SMTP 'smtp://${host}:${server.port}'`;
        expect(await closed.ask(text)).toBe('NONE');
        await closed.queue({});
      }
      await expect
        .poll(async () => (await closed.mails()).map(({ reason }) => reason), PATIENCE)
        .toEqual(Array.from({ length: 6 }, () => '--allow-net doesn’t allow the mail server'));
      expect(server.received).toEqual([]);
    } finally {
      await closed.close();
    }
  });

  test('a name must not lead to this machine, though all targets are allowed', async () => {
    const server = kept(await startMailServer());
    const open = await MailWorld.open({ network: { allow: 'all' } });
    try {
      await open.configure(server.port);
      await open.queue({});
      await expect
        .poll(async () => (await open.mails()).map(({ reason }) => reason), PATIENCE)
        .toEqual(['--allow-net doesn’t allow the mail server']);
      expect(server.received).toEqual([]);
    } finally {
      await open.close();
    }
  });

  test('closed ports, other protocols and lines that end are one and the same to owners', async () => {
    const closed = await startMailServer();
    await closed.close();
    const ssh = kept(await startRawServer((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n')));
    const http = kept(await startRawServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')));
    const silent = kept(await startRawServer((socket) => socket.end()));
    const found = new Set<unknown>();
    for (const { port } of [closed, ssh, http, silent]) {
      const each = await MailWorld.open();
      await each.configure(port);
      await each.queue({});
      await expect.poll(async () => (await each.mails())[0]?.['reason'], PATIENCE).toBeDefined();
      found.add((await each.mails())[0]?.['reason']);
      await each.close();
    }
    expect([...found]).toEqual(['the mail server can’t be reached, or doesn’t answer as one']);
  });
});
