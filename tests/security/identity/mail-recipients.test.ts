/**
 * A28: recipients that mail libraries would take for several, or for another. A29: texts that would add headers, or
 * commands. With a real mail server: what matters is whom a mail goes to.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { mailAddress } from '../../../src/catalog/mail/address.js';
import { startMailServer, type TestMailServer } from '../../support/mail-server.js';
import { CODE, MailWorld, PATIENCE } from './mail-world.js';

let world: MailWorld;
let server: TestMailServer;
beforeEach(async () => {
  world = await MailWorld.open();
  server = await startMailServer();
  await world.configure(server.port);
});
afterEach(async () => {
  await world.close();
  await server.close();
});

/** The one address in the envelope or in a header. */
function addressIn(found: unknown): unknown {
  if (typeof found === 'string') return mailAddress(found);
  const { value } = found as { readonly value: readonly { readonly address: string; readonly name: string }[] };
  return value.length === 1 && value[0]?.name === '' ? mailAddress(value[0].address) : value;
}

const sent = () => expect.poll(() => world.states(), PATIENCE);

describe('A28', () => {
  test.each([
    'ann@example.com,eve@evil.example',
    'ann@example.com\r\nBcc: eve@evil.example',
    'ann@example.com>\r\nRCPT TO:<eve@evil.example',
    'friends: ann@example.com, eve@evil.example;',
    '"ann@example.com eve@evil.example"@example.com',
    'Ann <ann@example.com>',
    'ann＠example.com',
    'ann@exämple.com',
    'ANN@example.com',
    'ann@example.com\0',
    `${'a'.repeat(400)}@example.com`,
    '',
    ['ann@example.com', 'eve@evil.example'] as unknown as string,
    { address: 'ann@example.com' } as unknown as string,
  ])('%j is not even queued', async (to) => {
    await expect(world.queue({ to })).rejects.toThrow();
    expect(await world.mails()).toEqual([]);
  });

  test.each([
    ["o'neil+shop@example.com"],
    ['a!b%c@example.com'],
    ['{ann}|*`~^$#@example.com'],
    [mailAddress('ann@büro.example') as string],
    [`${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.example`],
  ])('%s gets its mail, and no one else', async (to) => {
    await world.queue({ to });
    await sent().toEqual(['sent']);
    // The server of the tests shows names of domains in Unicode.
    const received = server.received.flatMap((mail) => [...mail.to, mail.parsed.headers.get('to')].map(addressIn));
    expect(received).toEqual([to, to]);
  });
});

test('A29: subjects and texts add no header, no recipient, no command, and nothing is read for them', async () => {
  await world.queue({
    subject: 'Code\r\nBcc: eve@evil.example\r\nContent-Type: text/html\r\n\r\n<script>',
    text: `\r\n.\r\nMAIL FROM:<eve@evil.example>\r\nRCPT TO:<eve@evil.example>\r\nDATA\r\n${CODE}\r\n.\r\n`,
    html: '<img src="file:///etc/passwd"><img src="http://127.0.0.1:1/">\r\n.\r\nRSET\r\n',
  });
  await sent().toEqual(['sent']);
  expect(server.received).toHaveLength(1);
  const [{ parsed, to, raw }] = server.received as [(typeof server.received)[number]];
  expect(to).toEqual(['ann@example.com']);
  expect([...parsed.headers.keys()].sort()).toEqual([
    'auto-submitted',
    'content-type',
    'date',
    'from',
    'message-id',
    'mime-version',
    'subject',
    'to',
  ]);
  expect(parsed.bcc).toBeUndefined();
  expect(parsed.text).toContain('RCPT TO:<eve@evil.example>');
  expect(parsed.attachments).toEqual([]);
  expect(raw).not.toContain('root:');
});

test('A29: names of senders with line breaks, quotes or addresses can’t be defined', async () => {
  for (const from of ['Shop\\r\\nBcc: eve@evil.example <a@b.example>', '"Shop" <a@b.example>', 'A <a@b.c>, B <b@c.d>'])
    expect(await world.ask(`ALTER CONFIG MAIL FROM "${from.replaceAll('"', '\\"')}"`)).toMatch(/^config_invalid/);
  await world.queue({});
  await sent().toEqual(['sent']);
  expect(server.received[0]?.parsed.from?.value).toEqual([{ name: 'The Shop', address: 'no-reply@shop.example' }]);
});
