/**
 * A56: floods of starts, of people who come back, of hanging providers and of codes that are refused. What they take is
 * bounded: rows, and what is under way with providers; and others go on meanwhile.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ALL_TRANSPORTS, CHALLENGE, type From, WRONG } from './mail-doors.js';
import { FIRST_PROOFS, HALF_PROOFS, WayDoors } from './way-doors.js';

/** Of a source. */
const MOST_OPEN = 20;
/** With all providers together. */
const MOST_EXCHANGES = 64;

let world: WayDoors;
/** The requests that are stored before the flood. */
let before: number;
beforeEach(async () => {
  world = await WayDoors.open();
  before = await world.doors.storedRequests();
});
afterEach(() => world.close());

const grown = async () => (await world.doors.storedRequests()) - before;
const from = (at: number): From => ({ ip: `10.${at >> 8}.${at & 255}.1` });

describe('starts', () => {
  test.each([
    ['provider', {}],
    ['passkey', {}],
    ['mail', { variables: {} }],
  ])('at %s from one source are refused beyond those that may be open', async (access, body) => {
    const answers = [];
    for (let at = 0; at < 2 * MOST_OPEN; at++) {
      const email = access === 'mail' ? { email: `u${at}@example.com` } : {};
      answers.push(await world.doors.start({ ...body, ...email }, { ...from(1), access }));
    }
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(MOST_OPEN);
    expect(answers.at(-1)?.statusCode).toBe(429);
    expect(Number(answers.at(-1)?.headers['retry-after'])).toBeGreaterThan(0);
    expect(await grown()).toBe(MOST_OPEN);
    expect((await world.doors.start({ email: 'ann@example.com' }, from(2))).statusCode).toBe(200);
  });

  test.each([
    ['addresses of one network', (at: number) => `2001:db8::${at.toString(16)}`],
    ['spellings of one address', (at: number) => (at % 2 === 0 ? '192.0.2.9' : '::ffff:c000:209')],
  ])('from %s are those of one source (A52)', async (_, address) => {
    const answers = [];
    for (let at = 1; at <= 2 * MOST_OPEN; at++)
      answers.push(await world.doors.start({}, { ip: address(at), access: 'provider' }));
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(MOST_OPEN);
    expect(await grown()).toBe(MOST_OPEN);
  });

  test('at other spellings of a path lead nowhere, or count as those at the path (A52)', async () => {
    const path = '/auth/test/test/provider/start';
    const spelled = [
      path,
      `/${path}`,
      `${path}/`,
      path.replace('auth', '%61uth'),
      path.replace('provider', '%70rovider'),
      path.replace('/start', '//start'),
      path.replace('auth', 'AUTH'),
      path.replace('start', './start'),
      path.replace('test/test', 'test/x/../test'),
      `${path}?challenge=x`,
    ];
    const statuses: number[] = [];
    for (let round = 0; round < MOST_OPEN; round++)
      for (const url of spelled)
        statuses.push((await world.doors.inject(url, from(7), { challenge: CHALLENGE })).statusCode);
    expect(statuses.filter((status) => status === 200)).toHaveLength(MOST_OPEN);
    expect(await grown()).toBe(MOST_OPEN);
  });

  test.each(['totp', 'recovery'])('at %s by one user leave one request', async (access) => {
    const { token } = await world.signedIn(await FIRST_PROOFS['a passkey'](world));
    for (let at = 0; at < 2 * MOST_OPEN; at++) await world.started({ link: true }, { access, token, ...from(at) });
    expect(await grown()).toBe(1);
  });

  test('of second proofs by one who has the first leave one request from each source', async () => {
    await world.owe();
    before = await world.doors.storedRequests();
    const { access, variables } = await HALF_PROOFS['a password']();
    for (let at = 0; at < 60; at++) await world.doors.signIn(variables, { ...from(at % 3), access });
    expect(await grown()).toBe(3);
  });

  test('of a database end at 10,000, whatever is begun', async () => {
    await world.owe();
    const { token } = await world.signedIn(await FIRST_PROOFS['a passkey'](world));
    await world.doors.fill(10_000);
    for (const [access, body] of [
      ['provider', {}],
      ['passkey', {}],
      ['mail', { email: 'bob@example.com' }],
      ['totp', { step: true }],
      ['recovery', { step: true }],
    ] as const) {
      const { statusCode, headers } = await world.doors.start(body, { ...world.source(), access, token });
      expect([access, statusCode, headers['retry-after']]).toEqual([access, 429, '60']);
    }
    // A first proof that owes a second one isn't kept either.
    const half = await world.signIn(await HALF_PROOFS['a password']());
    expect([half.status, half.token, half.due]).toEqual([429, undefined, undefined]);
  });
});

describe('people who come back', () => {
  test('with states that are none ask no provider, and leave nothing', async () => {
    const back = await world.away();
    const asked = world.provider.asked.length;
    for (let at = 0; at < 500; at++) {
      const wrong = new URLSearchParams(back);
      wrong.set('state', `${at}`.padEnd(43, 's'));
      expect(await world.back(wrong)).toBe('');
    }
    expect([world.provider.asked.length, await grown()]).toEqual([asked, 1]);
    expect(await world.back(back)).not.toBe('');
  });

  test('two hundred times at once with one state are asked about once', async () => {
    const back = await world.away();
    const codes = await Promise.all(Array.from({ length: 200 }, () => world.back(back)));
    expect(codes.filter((code) => code !== '')).toHaveLength(1);
    expect(world.provider.asked.filter(({ url }) => url.pathname === '/token')).toHaveLength(1);
  });
});

/** Until it is released. */
function hanging() {
  let release: () => void = () => undefined;
  const hangs = new Promise<void>((resolve) => (release = resolve));
  return { hangs, release };
}

describe('a provider that hangs', () => {
  test('is asked once for what it says of itself, and no more wait than may', async () => {
    world.doors.pass(2 * 3_600_000);
    const { hangs, release } = hanging();
    world.provider.lies = { metadata: (metadata) => hangs.then(() => metadata as never) };
    const asked = world.provider.asked.length;
    const starts = Array.from({ length: 150 }, (_, at) => world.doors.start({}, { ...from(at), access: 'provider' }));
    await expect.poll(() => world.provider.asked.length).toBe(asked + 1);
    // Beyond those that wait, others are refused at once, and those who come otherwise aren't hindered.
    const refused = await world.doors.start({}, { ...from(999), access: 'provider' });
    expect([refused.statusCode, refused.json().error]).toEqual([503, 'provider_unavailable']);
    expect((await world.signIn(await FIRST_PROOFS['the code of a mail'](world))).token).toBeDefined();
    expect((await world.signIn(await FIRST_PROOFS['a passkey'](world))).token).toBeDefined();
    release();
    const answers = await Promise.all(starts);
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(MOST_EXCHANGES);
    expect(world.provider.asked).toHaveLength(asked + 1);
  });

  test('at the token endpoint takes as many sockets as may wait, however many come back', async () => {
    const all: URLSearchParams[] = [];
    for (let at = 0; at < 100; at++) all.push(await world.away({}, from(at)));
    const { hangs, release } = hanging();
    world.provider.lies = { token: (answer) => hangs.then(() => answer as never) };
    const backs = all.map((back) => world.back(back));
    const tokens = () => world.provider.asked.filter(({ url }) => url.pathname === '/token').length;
    await expect.poll(tokens).toBe(MOST_EXCHANGES);
    expect((await world.signIn(await FIRST_PROOFS['the code of a mail'](world))).token).toBeDefined();
    release();
    const codes = await Promise.all(backs);
    expect(codes.filter((code) => code !== '')).toHaveLength(MOST_EXCHANGES);
    expect(tokens()).toBe(MOST_EXCHANGES);
  });
});

describe('codes that are refused', () => {
  test('leave nothing, for whatever requests they are', async () => {
    for (let at = 0; at < 600; at++) {
      const request = `${at}`.padEnd(22, 'r');
      const access = ['mail', 'totp', 'recovery', 'provider', 'passkey'][at % 5] as string;
      const shown = { request, code: `${at}`, verifier: 'v'.repeat(43) };
      const answer = await world.doors.signIn(shown, { ...from(at), access }, ALL_TRANSPORTS[at % 3]);
      expect(answer).toMatchObject({ error: WRONG, token: undefined });
    }
    expect(await grown()).toBe(0);
  });

  test('end the request for which they are, and the next one has its own tries', async () => {
    const { access, variables } = await FIRST_PROOFS['the code of a mail'](world);
    const wrong = { ...variables, code: '00000000' };
    await Promise.all(
      Array.from({ length: 300 }, (_, at) =>
        world.doors.signIn(wrong, { ...from(at), access }, ALL_TRANSPORTS[at % 3]),
      ),
    );
    expect((await world.signIn({ access, variables })).token).toBeUndefined();
    expect(await grown()).toBeLessThanOrEqual(1);
    expect((await world.signIn(await FIRST_PROOFS['the code of a mail'](world))).token).toBeDefined();
  });
});
