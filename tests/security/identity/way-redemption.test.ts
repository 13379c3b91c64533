/**
 * What is redeemed by `signin` in every way and over every transport: once, where it belongs, in its time (A2, A3, A22,
 * A34), and never in place of two proofs (A43, A45).
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { objectFrom } from '../../../src/value/value.js';
import { PASSWORD } from './factor-doors.js';
import { ALL_TRANSPORTS, PLACE, WRONG } from './mail-doors.js';
import {
  ALL_FIRST,
  ALL_HALVES,
  ALL_SECOND,
  DEFINED,
  FIRST_PROOFS,
  HALF_PROOFS,
  SECOND_PROOFS,
  WayDoors,
} from './way-doors.js';

const DUE = 'A second factor is required';
const LOCKED = 'Too many failed attempts to sign in. Try again later';
const refused = { error: WRONG, token: undefined };

let world: WayDoors;
beforeEach(async () => {
  // Guests may do what PERMISSIONS allow, so that what a session may do depends on who it is.
  world = await WayDoors.open({ guests: true });
});
afterEach(() => world.close());

describe.each(ALL_FIRST)('%s', (proof) => {
  test.each(ALL_TRANSPORTS)('gets in once over %s', async (transport) => {
    const shown = await FIRST_PROOFS[proof](world);
    const { token } = await world.signIn(shown, transport);
    expect(await world.doors.query('RETURN [$auth, $access]', token)).toEqual(['user:ann', shown.access]);
    for (const again of ALL_TRANSPORTS) expect(await world.signIn(shown, again)).toMatchObject(refused);
  });

  test('lets one of twelve in at once', async () => {
    const shown = await FIRST_PROOFS[proof](world);
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, at) => world.signIn(shown, ALL_TRANSPORTS[at % 3])),
    );
    expect(answers.filter(({ token }) => token !== undefined)).toHaveLength(1);
  });

  test('is good at its own access method and database', async () => {
    const shown = await FIRST_PROOFS[proof](world);
    for (const access of ['mail', 'other', 'open', 'provider', 'passkey', 'totp', 'recovery', 'account'])
      if (access !== shown.access) expect(await world.signIn({ ...shown, access })).toMatchObject(refused);
    await world.doors.owned.owner.use('test', 'second');
    await world.doors.value(`${DEFINED.provider}; ${DEFINED.passkey};
      DEFINE ACCESS mail ON DATABASE TYPE RECORD WITH MAIL CODE, LINK; CREATE user:ann`);
    await world.doors.owned.owner.use('test', 'test');
    const elsewhere = { ...PLACE, DB: 'second', AC: shown.access, ...shown.variables };
    expect((await world.doors.inject('/signin', {}, elsewhere)).statusCode).toBe(401);
    expect((await world.signIn(shown)).token).toBeDefined();
  });

  test.each(ALL_TRANSPORTS)('is over in time, over %s', async (transport) => {
    const shown = await FIRST_PROOFS[proof](world);
    world.doors.pass('request' in shown.variables ? 600_000 : 60_000);
    expect(await world.signIn(shown, transport)).toMatchObject(refused);
  });
});

describe.each(['the code behind a mailed link', 'the code of a provider'] as const)('%s (A3)', (proof) => {
  test.each(ALL_TRANSPORTS)('gives an app without its verifier nothing over %s', async (transport) => {
    const { access, variables } = await FIRST_PROOFS[proof](world);
    const { code, verifier } = variables;
    // It may be tried five times.
    for (const other of [undefined, null, '', 'w'.repeat(43)])
      expect(await world.signIn({ access, variables: { code, verifier: other } }, transport)).toMatchObject(refused);
    expect((await world.signIn({ access, variables }, transport)).token).toBeDefined();
    const next = await FIRST_PROOFS[proof](world);
    for (const changed of [
      { verifier: `${verifier}v` },
      { verifier: 7 },
      { verifier: [verifier] },
      // What a page has proved is no request for which a client proves anything.
      { request: next.variables['code'], code: '00000000' },
    ])
      expect(await world.signIn({ access, variables: { ...next.variables, ...changed } }, transport)).toMatchObject(
        refused,
      );
    expect((await world.signIn(next, transport)).token).toBeDefined();
  });
});

describe.each(ALL_HALVES)('of two proofs, %s (A43)', (proof) => {
  test.each(ALL_TRANSPORTS)('opens nothing over %s, until each of the second ones completes it', async (transport) => {
    await world.owe();
    for (const second of ALL_SECOND) {
      const shown = await HALF_PROOFS[proof](world);
      const { error, token, due, text } = await world.signIn(shown, transport);
      expect([error, token, due?.access]).toEqual([DUE, undefined, ['passkey', 'recovery', 'totp']]);
      expect(text).not.toMatch(/eyJ|-refresh-/);
      const { request = '' } = due ?? {};
      expect(await world.doors.query('RETURN $auth', request)).not.toBe('user:ann');
      // What begins at the first one goes on at another: the first alone doesn't complete itself.
      expect((await world.signIn({ ...shown, variables: { ...shown.variables, request } }, transport)).token).toBe(
        undefined,
      );
      const completing = await SECOND_PROOFS[second](world, request);
      const whole = await world.signIn(completing, transport);
      expect(await world.doors.query('RETURN [$auth, $access, $token.acr]', whole.token)).toEqual([
        'user:ann',
        shown.access,
        'aal2',
      ]);
      expect(await world.signIn(completing, transport)).toMatchObject(refused);
    }
  });
});

test('a passkey owes nothing', async () => {
  await world.owe();
  const { token } = await world.signIn(await FIRST_PROOFS['a passkey'](world));
  expect(await world.doors.query('RETURN $token.acr', token)).toBe('aal2');
});

describe('a session whose sign-in owes a second proof (A43)', () => {
  test('stays what it was: it reads, listens to and writes nothing as the user', async () => {
    await world.owe();
    for (const proof of ALL_HALVES) {
      const session = world.doors.owned.database.session({});
      session.listen(() => undefined);
      await session.use('test', 'test');
      const { access, variables } = await HALF_PROOFS[proof](world);
      const body = objectFrom({ ...PLACE, AC: access, ...(variables as Record<string, string>) });
      await expect(session.signIn(body)).rejects.toMatchObject({ code: 'second_factor_required' });
      expect([proof, session.identity.auth, session.identity.token]).toEqual([proof, undefined, undefined]);
      const [read, written, shown] = await session.query('SELECT * FROM user; CREATE payment; ACCESS mail SHOW ALL');
      expect([read, written].map((each) => each?.outcome)).toMatchObject([
        { ok: true, value: [] },
        { ok: true, value: [] },
      ]);
      expect(shown?.outcome.ok).toBe(false);
    }
  });

  test('over GraphQL goes on as before within the operation', async () => {
    await world.owe();
    const answer = await world.doors.graphql(
      `mutation { signIn(access: "password", variables: { email: "ann@example.com", password: "${PASSWORD}" }) {
        token } updateManyUser(filter: {}, data: { email: "eve@example.com" }) { email } }`,
    );
    expect(answer.body).toContain(DUE);
    expect(await world.doors.value("SELECT * FROM user WHERE email = 'eve@example.com'")).toEqual([]);
  });
});

test.each(ALL_TRANSPORTS)('A45: wrong second proofs over %s lock the record on all transports and ways', async (by) => {
  await world.owe();
  for (let at = 0; at < 5; at++) {
    const { due } = await world.signIn(await FIRST_PROOFS['the code of a provider'](world));
    const wrong = { access: at % 2 === 0 ? 'totp' : 'recovery', variables: { request: due?.request, code: '000000' } };
    expect(await world.signIn(wrong, by)).toMatchObject(refused);
  }
  const { due } = await world.signIn(await FIRST_PROOFS['the code of a mail'](world));
  for (const second of ALL_SECOND) {
    const right = await SECOND_PROOFS[second](world, due?.request ?? '');
    // Meanwhile the clock goes on, by less than the lock lasts.
    for (const transport of ALL_TRANSPORTS)
      expect(await world.signIn(right, transport)).toMatchObject({ error: LOCKED });
  }
});
