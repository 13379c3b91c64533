/** Mail by SMTP, with a real mail server: what it gets, TLS, and servers that lie, hang, refuse or talk for ever. */
import { afterEach, describe, expect, test } from 'vitest';
import { MailError, type MailMessage, type MailServer } from '../../src/env/mail.js';
import { smtpTransport } from '../../src/env/smtp.js';
import {
  certificateFor,
  type RawServer,
  startMailServer,
  startRawServer,
  type TestMailServer,
} from '../support/mail-server.js';

const MAIL: MailMessage = {
  id: '00112233445566778899aabbccddeeff',
  from: { name: 'The Shöp', address: 'no-reply@shop.example' },
  to: 'ann@example.com',
  subject: 'Your côde',
  text: 'Your code is 12345678.\n.\nFrom here\n',
  html: '<p>Your code is <b>12345678</b>.</p>',
  created: 1_800_000_000_000_000_000n,
};

const servers: (TestMailServer | RawServer)[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});
function kept<S extends TestMailServer | RawServer>(server: S): S {
  servers.push(server);
  return server;
}

function at(port: number, server: Partial<MailServer> = {}): MailServer {
  return { host: '127.0.0.1', address: '127.0.0.1', port, tls: 'none', ...server };
}

interface Outcome {
  /** The failure, and the reply of the server if there was one. */
  readonly failed: string | undefined;
  readonly handedOver: boolean;
}

async function send(
  server: MailServer,
  { mail = MAIL, authorities, signal = new AbortController().signal }: SendOptions = {},
): Promise<Outcome> {
  let handedOver = false;
  const beforeText = async () => {
    handedOver = true;
  };
  try {
    await smtpTransport(authorities).send(server, mail, { signal, beforeText });
    return { failed: undefined, handedOver };
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    const { failure, reply } = error;
    return { failed: reply === undefined ? failure : `${failure} ${reply}`, handedOver };
  }
}
interface SendOptions {
  readonly mail?: MailMessage;
  readonly authorities?: readonly string[];
  readonly signal?: AbortSignal;
}
const TAKEN: Outcome = { failed: undefined, handedOver: true };
const refused = (failed: string, handedOver = false): Outcome => ({ failed, handedOver });

test('a mail arrives as it was written', async () => {
  const server = kept(await startMailServer());
  expect(await send(at(server.port))).toEqual(TAKEN);
  const [{ from, to, parsed, raw }] = server.received as [(typeof server.received)[number]];
  expect([from, to]).toEqual(['no-reply@shop.example', ['ann@example.com']]);
  expect(parsed.from?.value).toEqual([{ name: 'The Shöp', address: 'no-reply@shop.example' }]);
  expect(parsed.to).toMatchObject({ value: [{ name: '', address: 'ann@example.com' }] });
  expect(parsed).toMatchObject({
    subject: 'Your côde',
    text: 'Your code is 12345678.\n.\nFrom here\n',
    html: '<p>Your code is <b>12345678</b>.</p>',
    messageId: '<00112233445566778899aabbccddeeff@shop.example>',
    date: new Date(1_800_000_000_000),
    attachments: [],
  });
  expect(raw).toContain('Auto-Submitted: auto-generated\r\n');
});

test('nothing is handed over before the sender is ready, nor if it isn’t', async () => {
  const server = kept(await startMailServer());
  const { signal } = new AbortController();
  const beforeText = () => Promise.reject(new Error('not now'));
  await expect(smtpTransport().send(at(server.port), MAIL, { signal, beforeText })).rejects.toThrow('not now');
  expect(server.received).toEqual([]);
});

test('the texts of a mail add no header, and name nothing that is read', async () => {
  const server = kept(await startMailServer());
  const mail = {
    ...MAIL,
    from: { name: 'Shop\r\nBcc: eve@evil.example', address: 'no-reply@shop.example' },
    subject: 'Hello\r\nBcc: eve@evil.example\r\n\r\nhidden',
    text: '.\r\nMAIL FROM:<eve@evil.example>\r\n.\r\nQUIT\r\n',
    html: '<img src="file:///etc/passwd"><a href="http://127.0.0.1/">x</a>',
  };
  expect(await send(at(server.port), { mail })).toEqual(TAKEN);
  const [{ parsed, to }, ...others] = server.received as [(typeof server.received)[number]];
  expect(others).toEqual([]);
  expect(to).toEqual(['ann@example.com']);
  expect([...parsed.headers.keys()]).not.toContain('bcc');
  expect(parsed.text).toContain('MAIL FROM:<eve@evil.example>');
  expect(parsed.attachments).toEqual([]);
  expect(parsed.html).toBe(mail.html);
});

describe('TLS', () => {
  test('from the first byte, with a sign-in', async () => {
    const certificate = await certificateFor('mail.example');
    const secret = { user: 'shop', password: 'pä"ss' };
    const server = kept(
      await startMailServer({
        ...certificate,
        secure: true,
        authOptional: false,
        onAuth: ({ username, password }, _, callback) =>
          password === secret.password ? callback(null, { user: username as string }) : callback(new Error('no')),
      }),
    );
    const there = at(server.port, { host: 'mail.example', tls: 'implicit' });
    const authorities = [certificate.cert];
    expect(await send({ ...there, credentials: secret }, { authorities })).toEqual(TAKEN);
    expect(server.received).toMatchObject([{ isEncrypted: true, user: 'shop' }]);
    const wrong = { ...there, credentials: { user: 'shop', password: 'guess' } };
    expect(await send(wrong, { authorities })).toEqual(refused('credentials 535'));
    expect(await send(there, { authorities })).toEqual(refused('credentials 530'));
  });

  test('by STARTTLS', async () => {
    const certificate = await certificateFor('mail.example');
    const server = kept(await startMailServer({ ...certificate }));
    const there = at(server.port, { host: 'mail.example', tls: 'starttls' });
    expect(await send(there, { authorities: [certificate.cert] })).toEqual(TAKEN);
    expect(server.received).toMatchObject([{ isEncrypted: true }]);
  });

  test('nothing is sent to a server whose certificate is another’s, or one that no authority signed', async () => {
    const certificate = await certificateFor('other.example');
    const authorities = [certificate.cert];
    for (const tls of ['implicit', 'starttls'] as const) {
      const server = kept(await startMailServer({ ...certificate, secure: tls === 'implicit' }));
      const there = at(server.port, { host: 'mail.example', tls });
      expect(await send(there, { authorities })).toEqual(refused('tls'));
      expect(await send({ ...there, host: '127.0.0.1' }, { authorities })).toEqual(refused('tls'));
      expect(await send({ ...there, host: 'other.example' })).toEqual(refused('tls'));
      expect(await send({ ...there, host: 'other.example' }, { authorities })).toEqual(TAKEN);
      expect(server.received).toHaveLength(1);
    }
  });

  test('the certificate of an address is that of the address', async () => {
    const certificate = await certificateFor('127.0.0.1');
    const server = kept(await startMailServer({ ...certificate, secure: true }));
    expect(await send(at(server.port, { tls: 'implicit' }), { authorities: [certificate.cert] })).toEqual(TAKEN);
  });

  test('nothing is sent where STARTTLS was stripped from what the server offers', async () => {
    const server = kept(await startMailServer());
    const credentials = { user: 'shop', password: 'secret' };
    expect(await send(at(server.port, { tls: 'starttls', credentials }))).toEqual(refused('tls 500'));
    expect(server.received).toEqual([]);
    const stripping = kept(
      await startRawServer(
        (socket) => socket.write('220 mail.example ESMTP\r\n'),
        (line, socket) =>
          socket.write(line.startsWith('EHLO') ? '250-mail.example\r\n250 AUTH PLAIN\r\n' : '500 no\r\n'),
      ),
    );
    expect(await send(at(stripping.port, { tls: 'starttls', credentials }))).toMatchObject({ handedOver: false });
    expect(stripping.said()).not.toMatch(/AUTH|MAIL FROM|RCPT/);
  });

  test('what comes in clear before the handshake is no answer behind it', async () => {
    const server = kept(
      await startRawServer(
        (socket) => socket.write('220 mail.example ESMTP\r\n'),
        (line, socket) => {
          if (line.startsWith('EHLO')) socket.write('250-mail.example\r\n250 STARTTLS\r\n');
          else if (line === 'STARTTLS') socket.end('220 go\r\n250 AUTH PLAIN\r\n235 in\r\n250 a\r\n250 b\r\n354 c\r\n');
        },
      ),
    );
    expect(await send(at(server.port, { tls: 'starttls' }))).toEqual(refused('unreachable'));
    expect(server.said()).not.toContain('MAIL FROM');
  });
});

describe('Servers that refuse', () => {
  const refusal = (responseCode: number) => Object.assign(new Error('12345678'), { responseCode });
  test.each([
    ['the sender for now', { onMailFrom: 451 }, refused('deferred 451')],
    ['the sender for good', { onMailFrom: 550 }, refused('refused 550')],
    ['the recipient for now', { onRcptTo: 450 }, refused('deferred 450')],
    ['the recipient for good', { onRcptTo: 550 }, refused('refused 550')],
    ['the text for now', { onData: 452 }, refused('deferred 452', true)],
    ['the text for good', { onData: 554 }, refused('refused 554', true)],
    ['the connection', { onConnect: 554 }, refused('deferred 554')],
  ] as const)('%s', async (_, codes: Readonly<Record<string, number>>, expected) => {
    const { onMailFrom, onRcptTo, onData, onConnect } = codes;
    const server = kept(
      await startMailServer({
        ...(onMailFrom && { onMailFrom: (_address, _session, callback) => callback(refusal(onMailFrom)) }),
        ...(onRcptTo && { onRcptTo: (_address, _session, callback) => callback(refusal(onRcptTo)) }),
        ...(onConnect && { onConnect: (_session, callback) => callback(refusal(onConnect)) }),
        ...(onData && {
          onData: (stream, _session, callback) => {
            stream.resume();
            stream.on('end', () => callback(refusal(onData)));
          },
        }),
      }),
    );
    expect(await send(at(server.port))).toEqual(expected);
  });

  test('connections', async () => {
    const server = await startMailServer();
    await server.close();
    expect(await send(at(server.port))).toEqual(refused('unreachable'));
  });
});

describe('Servers that don’t speak as they should', () => {
  const smtp = (data: (socket: import('node:net').Socket) => void) =>
    startRawServer(
      (socket) => socket.write('220 mail.example ESMTP\r\n'),
      (line, socket) => {
        if (/^(EHLO|MAIL|RCPT)/.test(line)) socket.write('250 ok\r\n');
        else if (line === 'DATA') socket.write('354 go\r\n');
        else if (line === '.') data(socket);
      },
    );

  test('speak another protocol', async () => {
    const server = kept(await startRawServer((socket) => socket.write('SSH-2.0-OpenSSH_9.6\r\n')));
    expect((await send(at(server.port))).failed).toMatch(/^unreachable/);
  });

  test('close at once, or before they answer to the text', async () => {
    const server = kept(await startRawServer((socket) => socket.end()));
    expect(await send(at(server.port))).toEqual(refused('unreachable'));
    const cutting = kept(await smtp((socket) => socket.destroy()));
    expect(await send(at(cutting.port))).toEqual(refused('unreachable', true));
  });

  test.each([
    ['hang before the greeting', () => startRawServer(() => undefined), false],
    ['hang after the text', () => smtp(() => undefined), true],
    [
      'send bytes that are never a line',
      () =>
        startRawServer((socket) => {
          const drip = () => socket.write('2', () => setImmediate(drip));
          drip();
        }),
      false,
    ],
  ] as const)('%s: the try can be cut off', async (_, start, handedOver) => {
    const server = kept(await start());
    const abort = new AbortController();
    const sending = send(at(server.port), { signal: abort.signal });
    if (handedOver) await expect.poll(() => server.said()).toContain('\r\n.\r\n');
    else await expect.poll(() => server.connections).toBe(1);
    abort.abort(new MailError('unreachable'));
    expect(await sending).toEqual(refused('unreachable', handedOver));
  });

  test('send lines without an end: no more of one is kept than 64 KiB', async () => {
    let written = 0;
    const server = kept(
      await startRawServer((socket) => {
        const line = '2'.repeat(16 * 1024);
        const flood = () => {
          written += line.length;
          if (!socket.destroyed && written < 2 ** 28) socket.write(line, () => flood());
        };
        flood();
      }),
    );
    expect(await send(at(server.port))).toEqual(refused('unreachable'));
    expect(written).toBeLessThan(2 ** 28);
  });
});
