/** HTTP requests of statements that are repeated after conflicts: each is sent once. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rateOf } from '../../src/catalog/limits/request-rates.js';
import type { NetworkAnswer, NetworkHop } from '../../src/env/network.js';
import { realEnvironment } from '../../src/env/real.js';
import type { Session } from '../../src/session/contract.js';
import { toText } from '../../src/value/text/text.js';
import { StubbedEnvironment } from '../support/environment.js';
import { fakeNetwork } from '../support/fake-network.js';
import { type Owned, openOwned } from '../support/owned.js';

const HOST = 'http://93.184.216.34:80';

let owned: Owned;
let other: Session;
/** What the server got, as `METHOD path body`. */
let sent: string[];
/** Called for each request, before it is answered. */
let meanwhile: (request: string) => Promise<void>;
/** Bytes of each answer. */
let size: number;

beforeEach(async () => {
  sent = [];
  size = 0;
  meanwhile = async () => {};
  const answer = async ({ method, url, body }: NetworkHop): Promise<NetworkAnswer> => {
    const request = `${method} ${url.pathname} ${new TextDecoder().decode(body)}`.trimEnd();
    sent.push(request);
    const number = sent.length;
    await meanwhile(request);
    return { status: 200, headers: { 'content-type': 'text/plain' }, body: Buffer.from(`${number}`.padEnd(size)) };
  };
  const { clock, random } = new StubbedEnvironment();
  const network = fakeNetwork({ servers: { '93.184.216.34:80': answer } });
  owned = await openOwned({
    environment: { ...realEnvironment, clock, random, network },
    network: { allow: 'all' },
    guests: true,
    rates: { guestCalls: rateOf(2, 3_600_000_000_000n) },
  });
  other = owned.database.ownerSession();
  await other.use('test', 'test');
  await owned.value('CREATE counter:1 SET n = 0, by = []');
});
afterEach(() => owned.database.close());

/** The first `times` requests meet a change of the record that their statement reads. */
function conflicting(times: number): void {
  let left = times;
  meanwhile = async () => {
    if (left-- > 0) await other.query('UPDATE counter:1 SET n += 100');
  };
}

async function answers(text: string, session: Session = owned.owner): Promise<string[]> {
  const results = await session.query(text);
  return results.map(({ outcome }) => (outcome.ok ? toText(outcome.value) : outcome.error.message));
}

const DIFFERS = 'The statement has sent HTTP requests and conflicted with another; it can’t be repeated';

describe('A statement that conflicts', () => {
  it('has the answer of the request that it has sent', async () => {
    conflicting(1);
    expect(await answers(`UPDATE counter:1 SET n += 1, by = http::post('${HOST}/a', 'x')`)).toEqual([
      "[{ by: '1', id: counter:1, n: 101 }]",
    ]);
    expect(sent).toEqual(['POST /a x']);
  });

  it('has the answers of several in their order, and sends what it hasn’t sent before', async () => {
    conflicting(1);
    const both = `[http::post('${HOST}/a', 'x'), http::post('${HOST}/a', 'x'), http::get('${HOST}/b')]`;
    expect(await answers(`UPDATE counter:1 SET by = ${both}`)).toEqual([
      "[{ by: ['1', '2', '3'], id: counter:1, n: 100 }]",
    ]);
    expect(await answers(`UPDATE counter:1 SET by = ${both}`)).toEqual([
      "[{ by: ['4', '5', '6'], id: counter:1, n: 100 }]",
    ]);
    expect(sent).toHaveLength(6);
  });

  it('fails where it would send something else', async () => {
    conflicting(1);
    const [error] = await answers(`UPDATE counter:1 SET by = http::post('${HOST}/a', <string> n)`);
    expect(error).toBe(`${DIFFERS} with other requests than before`);
    expect(sent).toEqual(['POST /a 0']);
    expect(await answers('SELECT VALUE by FROM counter')).toEqual(['[[]]']);
  });

  it('sends requests that may be repeated again where their answers are too long to be kept', async () => {
    size = 2 ** 20 + 1;
    conflicting(1);
    expect(await answers(`UPDATE counter:1 SET by = type::is_string(http::get('${HOST}/a'))`)).toEqual([
      '[{ by: true, id: counter:1, n: 100 }]',
    ]);
    conflicting(1);
    const [error] = await answers(`UPDATE counter:1 SET by = type::is_string(http::post('${HOST}/b'))`);
    expect(error).toBe(`${DIFFERS} without the answer, a long one`);
    expect(sent).toEqual(['GET /a', 'GET /a', 'POST /b']);
  });
});

it('requests of events, fields and functions are sent once, too', async () => {
  await owned.value(`
    DEFINE FIELD f ON t VALUE { UPDATE counter:1 SET n += 1; RETURN http::post('${HOST}/field') };
    DEFINE FUNCTION fn::call() { http::post('${HOST}/function') };
    DEFINE EVENT e ON t THEN { CREATE log SET by = http::post('${HOST}/event'), of = fn::call() };
  `);
  conflicting(2);
  expect(await answers('CREATE t:1')).toEqual(["[{ f: '1', id: t:1 }]"]);
  expect(await answers('SELECT VALUE [by, of] FROM log')).toEqual(["[['2', '3']]"]);
  expect(sent).toEqual(['POST /field', 'POST /event', 'POST /function']);
});

it('a transaction that is repeated as a whole sends once', async () => {
  conflicting(1);
  const text = `BEGIN; LET $a = http::post('${HOST}/a'); UPDATE counter:1 SET by = [$a, http::post('${HOST}/b')]; COMMIT;`;
  await answers(text);
  expect(await answers('SELECT VALUE by FROM counter')).toEqual(["[['1', '2']]"]);
  expect(sent).toEqual(['POST /a', 'POST /b']);
});

it('many requests at once send one each', async () => {
  const sessions = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const session = owned.database.ownerSession();
      await session.use('test', 'test');
      return session;
    }),
  );
  const text = `UPDATE counter:1 SET n += 1, by = http::post('${HOST}/a')`;
  await Promise.all(sessions.map((session) => answers(text, session)));
  expect(await answers('SELECT VALUE n FROM counter')).toEqual(['[20]']);
  expect(sent).toHaveLength(20);
});

it('a sign-up sends once', async () => {
  await owned.value(`DEFINE ACCESS people ON DATABASE TYPE RECORD
    SIGNUP { UPDATE counter:1 SET n += 1, by = http::post('${HOST}/welcome'); CREATE user:1 }`);
  conflicting(1);
  await owned.database.session({}).signUp({ NS: 'test', DB: 'test', AC: 'people' });
  expect(await answers('SELECT VALUE [n, by] FROM counter')).toEqual(["[[101, '1']]"]);
  expect(sent).toEqual(['POST /welcome']);
});

it('a call of an endpoint that is repeated counts once', async () => {
  const action = `{ UPDATE counter:1 SET n += 1, by = http::post('${HOST}/called'); { body: 1 } }`;
  await owned.value(`DEFINE API '/called' FOR get MIDDLEWARE api::limit(2, 1h) THEN ${action}`);
  const guest = owned.database.session({ ip: '192.0.2.1' });
  await guest.use('test', 'test');
  conflicting(3);
  for (const status of [200, 200, 429])
    expect(await answers("RETURN api::invoke('/called').status", guest)).toEqual([String(status)]);
  expect(sent).toEqual(['POST /called', 'POST /called']);
});

it('an asynchronous event sends once', async () => {
  await owned.value(`DEFINE EVENT e ON t ASYNC THEN { UPDATE counter:1 SET n += 1, by = http::post('${HOST}/late') }`);
  conflicting(1);
  await owned.value('CREATE t:1');
  await expect.poll(() => answers('SELECT VALUE [n, by] FROM counter')).toEqual(["[[101, '1']]"]);
  expect(sent).toEqual(['POST /late']);
});
