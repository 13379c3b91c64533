/**
 * A19: passwords of mail servers, codes and links in what the server shows or writes. A32: the outbox as it is seen by
 * each user and each way to read data.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { toText } from '../../../src/value/text/text.js';
import { type RawServer, startMailServer, startRawServer, type TestMailServer } from '../../support/mail-server.js';
import { answers, PRINCIPALS } from '../../support/world.js';
import { CODE, LINK, MailWorld, PASSWORD, PATIENCE } from './mail-world.js';

const SECRETS = [CODE, LINK, PASSWORD, Buffer.from(PASSWORD).toString('base64')];
const LOOKING = [
  'INFO FOR DB',
  'INFO FOR DB STRUCTURE',
  'INFO FOR ROOT',
  'INFO FOR NS',
  'INFO FOR MAIL',
  'INFO FOR SESSIONS',
  'INFO FOR SIGNIN ATTEMPTS',
  'INFO FOR AUDIT',
  'INFO FOR NODES',
  'SELECT * FROM user',
  'SHOW CHANGES FOR TABLE user SINCE 0 LIMIT 100',
  'EXPLAIN FORMAT JSON SELECT * FROM user',
  'LIVE SELECT * FROM user',
  "DEFINE CONFIG MAIL FROM 'x' SMTP 'y'",
  "RETURN [$mail, $session, $token, type::table('mail')]",
].join(';');

let world: MailWorld;
let server: TestMailServer | RawServer;
beforeEach(async () => {
  world = await MailWorld.open();
  await world.ask('ALTER TABLE user CHANGEFEED 1d');
});
afterEach(async () => {
  await world.close();
  await server.close();
});

async function configureWithPassword(port: number): Promise<void> {
  const text = `DEFINE CONFIG OVERWRITE MAIL FROM 'a@b.example' SMTP 'smtp://shop@127.0.0.1:${port}' PASSWORD '${PASSWORD}'`;
  expect(await world.ask(text)).toBe('NONE');
}

/** All that the server has written where operators look. */
const written = () =>
  [
    ...world.log,
    ...world.audited,
    ...world.metrics.families().flatMap((family) => [...family.samples()].map((sample) => JSON.stringify(sample))),
  ].join('\n');

async function expectNoSecrets(): Promise<void> {
  for (const [name, session] of Object.entries(await everybody())) {
    const seen = await answers(session, LOOKING);
    for (const secret of SECRETS) expect({ name, seen }).not.toEqual({ name, seen: expect.stringContaining(secret) });
  }
  for (const secret of SECRETS) expect(written()).not.toContain(secret);
}
let people: ReturnType<MailWorld['world']['everybody']> | undefined;
const everybody = () => {
  people ??= world.world.everybody();
  return people;
};
afterEach(() => {
  people = undefined;
});

async function exported(session: Awaited<ReturnType<typeof everybody>>['DO']): Promise<string> {
  let text = '';
  for await (const piece of session.export()) text += piece;
  return text;
}

describe('A19, A32: while a mail waits', () => {
  beforeEach(async () => {
    server = await startRawServer(() => undefined);
    await configureWithPassword(server.port);
    await world.queue({ access: 'mail' });
    await expect.poll(() => (server as RawServer).connections, PATIENCE).toBe(1);
  });

  test('no user sees its code, its link or the password, nor do the logs', async () => {
    await expectNoSecrets();
  });

  test('owners alone see that there is one', async () => {
    const sees: string[] = [];
    const all = await everybody();
    for (const name of PRINCIPALS) {
      const text = await answers(all[name], 'INFO FOR MAIL');
      if (text.includes('ann@example.com')) sees.push(name);
      else expect([name, text]).toEqual([name, expect.stringMatching(/not_allowed|guests/)]);
    }
    expect(sees).toEqual(['RO', 'NO', 'DO']);
    expect(Object.keys((await world.mails())[0]!).sort()).toEqual(
      ['access', 'created', 'due', 'expires', 'id', 'kind', 'reason', 'state', 'to', 'tries'].sort(),
    );
  });

  test('exports have no mails, and the password for owners alone', async () => {
    const { DO, DE } = await everybody();
    const [whole, partial] = [await exported(DO), await exported(DE)];
    expect(whole).toContain(`PASSWORD '${PASSWORD}'`);
    expect(partial).toContain("PASSWORD '[REDACTED]'");
    for (const text of [whole, partial]) {
      expect(text).not.toContain(CODE);
      expect(text).not.toContain('ann@example.com');
    }
  });

  test('live queries and changefeeds know nothing of it', async () => {
    const heard: string[] = [];
    world.owner.listen(({ result }) => void heard.push(toText(result)));
    await world.ask('LIVE SELECT * FROM user');
    await world.queue({ to: 'bob@example.com' });
    await world.ask('CREATE user:last');
    await expect.poll(() => heard.join()).toContain('user:last');
    expect(heard.join()).not.toContain('example.com');
    expect(await world.ask('SHOW CHANGES FOR TABLE user SINCE 0')).not.toContain('example.com');
  });
});

test('A19, A32: once a mail is sent, its text, code and link are nowhere in the store', async () => {
  server = await startMailServer({
    onAuth: ({ password }, _, callback) => callback(null, password === PASSWORD ? { user: 'shop' } : {}),
    allowInsecureAuth: true,
  });
  await configureWithPassword(server.port);
  await world.queue({});
  await expect.poll(() => world.states(), PATIENCE).toEqual(['sent']);
  expect((server as TestMailServer).received).toHaveLength(1);
  const stored = await world.stored();
  expect(stored).toContain('ann@example.com');
  for (const secret of [CODE, LINK, 'Your code']) expect(stored).not.toContain(secret);
  await expectNoSecrets();
});

test('A19: mails that fail, in SMTP or in code, leave no secret in logs and reasons', async () => {
  server = await startMailServer({
    onData: (stream, _, callback) => {
      stream.resume();
      stream.on('end', () => callback(Object.assign(new Error(`no: ${CODE} ${LINK}`), { responseCode: 554 })));
    },
    onAuth: (_auth, _session, callback) => callback(null, { user: 'shop' }),
    allowInsecureAuth: true,
  });
  await configureWithPassword(server.port);
  await world.queue({});
  await expect.poll(() => world.states(), PATIENCE).toEqual(['failed']);
  expect(world.log.join()).toContain('mail_undelivered');
  expect(world.log.join()).not.toContain('ann@example.com');
  await expectNoSecrets();
  await world.ask("DEFINE CONFIG OVERWRITE MAIL FROM 'a@b.example' THEN { THROW $mail }");
  await world.queue({});
  await expect
    .poll(async () => (await world.mails()).map(({ reason }) => reason), PATIENCE)
    .toContain('THEN has failed');
  await expectNoSecrets();
});
