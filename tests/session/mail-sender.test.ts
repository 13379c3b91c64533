/** When mails are sent, how often they are tried, and how they end, by a clock that the test moves. */
import { beforeEach, describe, expect, test } from 'vitest';
import { findDatabase } from '../../src/catalog/definitions/lookup.js';
import { entriesOf } from '../../src/catalog/entries.js';
import { prefixRange } from '../../src/catalog/keys/key-bytes.js';
import { mailPrefix, mailSlotKey } from '../../src/catalog/keys/store-keys.js';
import { finishMail, MOST_WAITING, type OutgoingMail } from '../../src/catalog/mail/outbox.js';
import { checkEntries } from '../../src/ddl/check/check-entries.js';
import { Faults } from '../../src/ddl/check/fault.js';
import { MailError } from '../../src/env/mail.js';
import type { TesseraError } from '../../src/errors/error.js';
import type { Session } from '../../src/session/contract.js';
import { type OpenDatabase, openDatabase } from '../../src/session/database/database.js';
import type { DatabaseOptions } from '../../src/session/database/options.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { withRetries } from '../../src/storage/retry.js';
import { toText } from '../../src/value/text/text.js';
import { StubbedEnvironment } from '../support/environment.js';

const TARGETS = { allow: [{ host: 'mail.example' }] };
const SMTP = "DEFINE CONFIG OVERWRITE MAIL FROM 'The Shop <no-reply@shop.example>' SMTP 'smtps://mail.example'";
const MINUTE = 60_000;

let environment: StubbedEnvironment;
let engine: MemoryEngine;
let database: OpenDatabase;
let session: Session;
let reported: TesseraError[];
let place: { id: number; namespace: string; name: string };

async function open(options: DatabaseOptions = {}): Promise<void> {
  environment = new StubbedEnvironment();
  environment.network.resolve = async (host) => (host === 'mail.example' ? ['93.184.216.34'] : []);
  reported = [];
  engine = new MemoryEngine(environment);
  const report = (error: TesseraError) => void reported.push(error);
  database = await openDatabase(engine, { environment, network: TARGETS, report, ...options });
  session = database.ownerSession();
  await session.use('test', 'test');
  await ask('DEFINE TABLE log');
  place = await placeOf('test', 'test');
}
beforeEach(() => open());

async function ask(text: string): Promise<string> {
  const { outcome } = (await session.query(text)).at(-1) ?? {};
  if (outcome === undefined) return '';
  return outcome.ok ? toText(outcome.value) : outcome.error.message;
}

async function placeOf(namespace: string, name: string): Promise<typeof place> {
  const transaction = await engine.begin({ writable: false });
  const found = await findDatabase(transaction, namespace, name);
  transaction.cancel();
  return { id: found!.id, namespace, name };
}

function mailTo(to: string, lifetime = 10 * MINUTE): OutgoingMail {
  const expires = environment.clock.now() + BigInt(lifetime) * 1_000_000n;
  return {
    to,
    subject: 'Your code',
    text: '12345678',
    html: '<b>12345678</b>',
    kind: 'code',
    code: '12345678',
    expires,
  };
}

async function queue(mail: OutgoingMail, at = place): Promise<void> {
  await withRetries(engine, (transaction) => database.outbox.queue(transaction, at, mail));
}

/** Lets a time pass in small steps. */
async function pass(milliseconds: number, step = 1_000): Promise<void> {
  for (let left = milliseconds; left > 0; left -= step) {
    environment.advance(Math.min(step, left));
    for (let turn = 0; turn < 300; turn++) await Promise.resolve();
  }
}

const entries = async (state: 'waiting' | 'done') => {
  const transaction = await engine.begin({ writable: false });
  const found = await entriesOf(transaction, prefixRange(mailPrefix(place.id, state)));
  transaction.cancel();
  return found.map(([, stored]) => stored as Readonly<Record<string, unknown>>);
};
const slots = async () => {
  const transaction = await engine.begin({ writable: false });
  const count = await transaction.count(prefixRange(mailSlotKey(place.id, 0).slice(0, -4)));
  transaction.cancel();
  return count;
};
/** Seconds at which mails are tried. */
function timesOfTries(): number[] {
  const begun = environment.seconds;
  const times: number[] = [];
  const { answer } = environment.mail;
  environment.mail.answer = (delivery, sent) => {
    times.push(environment.seconds - begun);
    return answer(delivery, sent);
  };
  return times;
}

test('a mail is sent soon after its commit, to the stored address, and its text is gone then', async () => {
  await ask(SMTP);
  await queue(mailTo('ann@example.com'));
  expect(environment.mail.tries).toEqual([]);
  await pass(10, 10);
  const [{ mail, server }] = environment.mail.taken as [(typeof environment.mail.taken)[number]];
  expect(server).toEqual({
    host: 'mail.example',
    address: '93.184.216.34',
    port: 465,
    tls: 'implicit',
    credentials: undefined,
  });
  expect(mail).toMatchObject({
    from: { name: 'The Shop', address: 'no-reply@shop.example' },
    to: 'ann@example.com',
    subject: 'Your code',
    text: '12345678',
  });
  expect(await entries('waiting')).toEqual([]);
  const [done, ...others] = await entries('done');
  expect(others).toEqual([]);
  expect(Object.keys(done!).sort()).toEqual(['at', 'created', 'expires', 'id', 'kind', 'state', 'to', 'tries']);
  expect(done).toMatchObject({ state: 'sent', tries: 1 });
  expect(await slots()).toBe(0);
  await pass(20 * MINUTE, 5_000);
  expect(environment.mail.tries).toHaveLength(1);
  expect(await entries('done')).toEqual([]);
  expect(reported).toEqual([]);
});

test('a mail whose transaction is cancelled is never sent', async () => {
  await ask(SMTP);
  const transaction = await engine.begin({ writable: true });
  await database.outbox.queue(transaction, place, mailTo('ann@example.com'));
  transaction.cancel();
  await pass(MINUTE);
  expect(environment.mail.tries).toEqual([]);
});

describe('A mail server that fails', () => {
  beforeEach(() => ask(SMTP));

  test('is tried four times within the lifetime of a mail', async () => {
    environment.mail.answer = async () => {
      throw new MailError('deferred', 451);
    };
    const times = timesOfTries();
    await queue(mailTo('ann@example.com'));
    await pass(11 * MINUTE);
    // 15 s, 1 min and 3 min later.
    expect(times).toEqual([1, 16, 76, 256]);
    expect(reported.map(({ message }) => message)).toEqual([
      'A mail (code) of the database test/test was given up: the mail server refuses it for now (451)',
    ]);
    expect(environment.mail.taken).toEqual([]);
    expect([await entries('waiting'), await slots()]).toEqual([[], 0]);
  });

  test('permanently is not tried again', async () => {
    environment.mail.answer = async () => {
      throw new MailError('refused', 550);
    };
    await queue(mailTo('ann@example.com'));
    await pass(MINUTE);
    expect(environment.mail.tries).toHaveLength(1);
    expect(await entries('done')).toMatchObject([{ state: 'failed', reason: 'the mail server refuses it (550)' }]);
  });

  test('is no longer tried once the mail has expired', async () => {
    environment.mail.answer = async () => {
      throw new MailError('unreachable');
    };
    await queue(mailTo('ann@example.com', 20_000));
    await pass(19_000);
    const tries = environment.mail.tries.length;
    expect(tries).toBeGreaterThan(1);
    environment.mail.answer = ({ beforeText }) => beforeText();
    environment.advance(2_000);
    await pass(MINUTE);
    expect(environment.mail.tries).toHaveLength(tries);
    expect(environment.mail.taken).toEqual([]);
    expect(reported.map(({ code }) => code)).toEqual(['mail_undelivered']);
  });

  test('and works again later gets the mail once', async () => {
    environment.mail.answer = async () => {
      throw new MailError('tls');
    };
    await queue(mailTo('ann@example.com'));
    await pass(5_000);
    environment.mail.answer = ({ beforeText }) => beforeText();
    await pass(MINUTE);
    expect([environment.mail.tries.length, environment.mail.taken.length]).toEqual([2, 1]);
  });

  test('after the text was handed over may have it: it is tried once more, and twice at most', async () => {
    environment.mail.answer = async ({ beforeText }) => {
      await beforeText();
      throw new MailError('unreachable');
    };
    await queue(mailTo('ann@example.com'));
    await pass(10 * MINUTE, 5_000);
    expect(environment.mail.tries).toHaveLength(2);
    expect(environment.mail.tries[0]!.mail.id).toBe(environment.mail.tries[1]!.mail.id);
  });

  test('with an answer to the text doesn’t have it', async () => {
    environment.mail.answer = async ({ beforeText }) => {
      await beforeText();
      throw new MailError('deferred', 452);
    };
    await queue(mailTo('ann@example.com'));
    await pass(11 * MINUTE, 5_000);
    expect(environment.mail.tries).toHaveLength(4);
  });

  test('by hanging holds up neither the mails of other databases nor those of its own for ever', async () => {
    await session.query('DEFINE DATABASE other');
    const other = await placeOf('test', 'other');
    await session.use('test', 'other');
    await ask(SMTP);
    environment.mail.answer = ({ signal, beforeText }, { mail }) =>
      mail.to.startsWith('held')
        ? new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
        : beforeText();
    for (let number = 0; number < 5; number++) await queue(mailTo(`held${number}@example.com`));
    await pass(100, 10);
    await queue(mailTo('ann@example.com'));
    await queue(mailTo('bob@example.com'), other);
    await pass(1_000, 100);
    expect(environment.mail.taken.map(({ mail }) => mail.to)).toEqual(['bob@example.com']);
    await pass(40_000);
    expect(environment.mail.taken.map(({ mail }) => mail.to)).toEqual(['bob@example.com', 'ann@example.com']);
  });
});

describe('Servers that may not be reached', () => {
  test.each([
    ['smtps://elsewhere.example', '--allow-net doesn’t allow the mail server'],
    ['smtps://127.0.0.1', '--allow-net doesn’t allow the mail server'],
    ['smtp://169.254.169.254:25', '--allow-net doesn’t allow the mail server'],
    ['smtp://[::1]:25', '--allow-net doesn’t allow the mail server'],
  ])('%s: nothing is sent there', async (url, reason) => {
    await ask(`DEFINE CONFIG MAIL FROM 'a@shop.example' SMTP '${url}'`);
    await queue(mailTo('ann@example.com'));
    await pass(11 * MINUTE, 5_000);
    expect(environment.mail.tries).toEqual([]);
    expect(reported.map(({ message }) => message)).toEqual([
      `A mail (code) of the database test/test was given up: ${reason}`,
    ]);
  });

  test('a name that is allowed, but has an address of this machine', async () => {
    environment.network.resolve = async () => ['127.0.0.1'];
    await ask(SMTP);
    await queue(mailTo('ann@example.com'));
    await pass(11 * MINUTE, 5_000);
    expect(environment.mail.tries).toEqual([]);
  });
});

describe('Code that sends mails', () => {
  test('gets the mail, and commits together with its end', async () => {
    await ask("DEFINE CONFIG MAIL FROM 'a@shop.example' THEN { CREATE log SET mail = $mail, auth = $auth }");
    await queue({ ...mailTo('ann@example.com'), access: 'mail', link: 'https://db.example/#x' });
    await pass(100, 10);
    expect(await ask('SELECT VALUE mail FROM log')).toMatch(
      /^\[\{ access: 'mail', code: '12345678', from: 'a@shop.example', html: '<b>12345678<\/b>', id: '\w{32}', kind: 'code', link: 'https:\/\/db.example\/#x', subject: 'Your code', text: '12345678', to: 'ann@example.com' \}\]$/,
    );
    expect(await ask('SELECT VALUE auth FROM log')).toBe('[NONE]');
    expect(await entries('done')).toMatchObject([{ state: 'sent' }]);
    expect(environment.mail.tries).toEqual([]);
  });

  test('is run again when it fails, and what a failed run wrote is undone', async () => {
    await ask("DEFINE CONFIG MAIL FROM 'a@shop.example' THEN { CREATE log; IF !$never { THROW 'secret 12345678' } }");
    await queue(mailTo('ann@example.com'));
    await pass(11 * MINUTE, 5_000);
    expect(await ask('SELECT * FROM log')).toBe('[]');
    expect(await entries('done')).toEqual([]);
    expect(reported.map(({ message }) => message)).toEqual([
      'A mail (code) of the database test/test was given up: THEN has failed',
    ]);
  });

  test('may not define anything, nor do what only users may', async () => {
    await ask("DEFINE CONFIG MAIL FROM 'a@shop.example' THEN { DEFINE USER eve ON DATABASE PASSWORD 'x' ROLES OWNER }");
    await queue(mailTo('ann@example.com'));
    await pass(11 * MINUTE, 5_000);
    expect(await ask('(INFO FOR DB).users')).toBe('{  }');
  });
});

describe('The outbox', () => {
  test('takes nothing while nothing says how mail is sent', async () => {
    await expect(queue(mailTo('ann@example.com'))).rejects.toMatchObject({ code: 'mail_unavailable' });
    await open({
      mail: {
        kind: 'smtp',
        from: { name: '', address: 'ops@example.org' },
        server: { host: '127.0.0.1', port: 25, implicitTls: false },
      },
    });
    environment.network.resolve = async (host) => [host];
    await queue(mailTo('ann@example.com'));
    await pass(100, 10);
    expect(environment.mail.taken).toMatchObject([
      { server: { host: '127.0.0.1', tls: 'none' }, mail: { from: { address: 'ops@example.org' } } },
    ]);
  });

  test('has a bound, with the same error for all', async () => {
    await ask(SMTP);
    await withRetries(engine, (transaction) => {
      for (let slot = 0; slot < MOST_WAITING; slot++) transaction.put(mailSlotKey(place.id, slot), 'x');
    });
    await expect(queue(mailTo('ann@example.com'))).rejects.toMatchObject({ code: 'mail_unavailable' });
    await withRetries(engine, (transaction) => {
      for (let slot = 0; slot < MOST_WAITING; slot += 2) transaction.delete(mailSlotKey(place.id, slot));
    });
    await queue(mailTo('ann@example.com'));
    await pass(100, 10);
    expect(environment.mail.taken).toHaveLength(1);
  });

  test('is removed with its database, mails under way included', async () => {
    await ask(SMTP);
    let goOn: () => void = () => undefined;
    environment.mail.answer = async ({ beforeText }) => {
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
      await beforeText();
    };
    await queue(mailTo('ann@example.com'));
    await pass(100, 10);
    await ask('REMOVE DATABASE test');
    goOn();
    await pass(11 * MINUTE, 5_000);
    expect(environment.mail.tries).toHaveLength(1);
    expect(environment.mail.taken).toEqual([]);
    const transaction = await engine.begin({ writable: false });
    expect(await transaction.count(prefixRange('M'))).toBe(0);
    expect(await transaction.count(prefixRange(`D${String.fromCharCode(0, 0, 0, place.id)}m`))).toBe(0);
  });

  test('forgets many mails that are done, in steps', async () => {
    await ask(SMTP);
    const outcome = { state: 'sent', at: environment.clock.now(), reason: undefined } as const;
    await withRetries(engine, (transaction) => {
      for (let number = 0; number < 2_500; number++) {
        const now = environment.clock.now();
        const rest = { database: place, slot: 0, created: now, due: now, tries: 1, unknown: 0 };
        finishMail(transaction, { ...mailTo('ann@example.com'), ...rest, id: `${number}` }, outcome);
      }
    });
    await queue(mailTo('ann@example.com'));
    await pass(5 * MINUTE, 5_000);
    expect(await entries('done')).toHaveLength(2_501);
    await pass(7 * MINUTE, 5_000);
    expect(await entries('done')).toHaveLength(0);
  });
});

test('a mail that can’t be read is a fault of the store', async () => {
  await ask(SMTP);
  await queue(mailTo('ann@example.com'));
  const check = async () => {
    const faults = new Faults();
    await checkEntries(engine, faults, () => undefined);
    return faults.listed.map(({ part }) => part);
  };
  expect(await check()).toEqual([]);
  await withRetries(engine, (transaction) => transaction.put(`${mailPrefix(place.id, 'done')}xxxxxxxx1`, 'nonsense'));
  expect(await check()).toEqual(['mails']);
});

test('a server that stops gives up what isn’t handed over yet, and a next one sends it', async () => {
  await ask(SMTP);
  environment.mail.answer = ({ signal }) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  await queue(mailTo('ann@example.com'));
  await pass(100, 10);
  const { close } = engine;
  engine.close = async () => undefined;
  await database.close();
  engine.close = close;
  expect(await entries('waiting')).toMatchObject([{ tries: 0, unknown: 0 }]);
  environment.mail.answer = ({ beforeText }) => beforeText();
  database = await openDatabase(engine, { environment, network: TARGETS });
  await pass(100, 10);
  expect(environment.mail.taken).toHaveLength(1);
});
