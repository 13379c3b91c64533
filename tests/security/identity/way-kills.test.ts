/**
 * A58: a server on disk is killed at each step of redeeming what a provider, a passkey, an app or a recovery code
 * proves. Nothing is good twice, what was enrolled is there or not at all, and who starts again gets in.
 */
import { describe, expect, test } from 'vitest';
import type { TesseraError } from '../../../src/errors/error.js';
import type { Value } from '../../../src/value/value.js';
import { failureOf } from '../../nodes/two-nodes.js';
import { type Options, SoftAuthenticator } from '../../support/authenticator.js';
import { isInTurn } from '../../support/runs-all.js';
import { atLeast } from '../../support/timeouts.js';
import { isGood, killedAtEachCommit, LATER, onDisk, type World } from './redeem-kills-harness.js';
import { ORIGIN, VERIFIER } from './redeem-kills-world.js';

const DEADLINE = { timeout: atLeast(240_000) };
const ANN = 'ann@example.com';
const NEW = 'new@example.com';
const SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
const AT_PROVIDER = { AC: 'provider', verifier: VERIFIER };

const linked = (world: World) => world.value("ACCESS provider LINK RECORD user:ann SUBJECT 'ann-1'");

async function toProvider(world: World): Promise<string> {
  const { url = '' } = await world.start({}, 'provider');
  return url;
}

/** Starts again, and gets in. */
async function enters(world: World, sub: string): Promise<Value> {
  const code = await world.back(await toProvider(world), sub);
  return (await world.signIn({ ...AT_PROVIDER, code })).identity.auth;
}

const kindsOf = (world: World) => world.value('RETURN access::identities(user:ann).map(|$each| $each.kind)');
const byPassword = (world: World) => world.signIn({ AC: 'account', email: ANN });
const codeNow = async (world: World, secret: string) =>
  (await world.value(`RETURN crypto::totp::code('${secret}')`)) as string;

/** The request that a password leaves, of a record that owes a second proof. */
async function half(world: World): Promise<string> {
  try {
    await byPassword(world);
  } catch (error) {
    const told = JSON.stringify((error as TesseraError).details);
    return /"request":"([^"]+)"/.exec(told)?.[1] ?? '';
  }
  throw new Error('It owes nothing');
}

// In turns with other long tests.
describe.skipIf(!isInTurn(2))('A58: killed while it redeems', () => {
  onDisk();

  test('a user who comes back from a provider: that leads on once', DEADLINE, () =>
    killedAtEachCommit({
      prepare: async (world) => {
        await linked(world);
        return toProvider(world);
      },
      what: (url) => url,
      judge: async (world, url) => {
        const good = await isGood(() => world.back(url, 'ann-1'));
        expect(await enters(world, 'ann-1')).toMatchObject({ key: 'ann' });
        return good;
      },
    }),
  );

  test('the code of a provider', DEADLINE, () =>
    killedAtEachCommit({
      prepare: async (world) => {
        await linked(world);
        return { ...AT_PROVIDER, code: await world.back(await toProvider(world), 'ann-1') };
      },
      what: (shown) => shown,
      judge: async (world, shown) => {
        world.later = 0n;
        const good = await isGood(() => world.signIn(shown));
        expect(await enters(world, 'ann-1')).toMatchObject({ key: 'ann' });
        expect(await kindsOf(world)).toEqual(['oidc']);
        return good;
      },
    }),
  );

  test('the code of a provider, by which a user signs up: the account is whole or absent', DEADLINE, async () => {
    const identities = `SELECT VALUE count(access::identities(id)) FROM user WHERE email = '${NEW}'`;
    await killedAtEachCommit({
      prepare: async (world) => ({ ...AT_PROVIDER, code: await world.back(await toProvider(world), NEW) }),
      what: (shown) => shown,
      judge: async (world, shown) => {
        world.later = 0n;
        const made = await world.value(identities);
        const good = await isGood(() => world.signIn(shown));
        expect(good ? [[]] : [[], [1]]).toContainEqual(made);
        expect(await enters(world, NEW)).toEqual(
          await world.value(`(SELECT VALUE id FROM user WHERE email = '${NEW}')[0]`),
        );
        expect(await world.value(identities)).toEqual([1]);
        return good;
      },
    });
  });

  test('a passkey that signs', DEADLINE, () =>
    killedAtEachCommit({
      prepare: async (world) => {
        const { made, signs } = await passkeyOf(world);
        await world.signIn(made);
        return { signs, shown: await signs(world) };
      },
      what: ({ shown }) => shown,
      judge: async (world, { signs, shown }) => {
        const good = await isGood(() => world.signIn(shown));
        expect((await world.signIn(await signs(world))).identity.auth).toMatchObject({ key: 'ann' });
        expect(await kindsOf(world)).toEqual(['passkey']);
        return good;
      },
    }),
  );

  test('a passkey that is made', DEADLINE, () =>
    killedAtEachCommit({
      prepare: passkeyOf,
      what: ({ made }) => made,
      judge: async (world, { made, signs }) => {
        const kinds = await kindsOf(world);
        const good = await isGood(() => world.signIn(made));
        expect(kinds).toEqual(good ? [] : ['passkey']);
        expect((await world.signIn(await signs(world))).identity.auth).toMatchObject({ key: 'ann' });
        return good;
      },
    }),
  );

  test('an app that is enrolled', DEADLINE, () =>
    killedAtEachCommit({
      prepare: async (world) => {
        const { request, shown } = await world.start({ link: true }, 'totp', await byPassword(world));
        const secret = shown?.['secret'] as string;
        return { secret, body: { AC: 'totp', request, code: await codeNow(world, secret) } };
      },
      what: ({ body }) => body,
      judge: async (world, { secret, body }) => {
        world.later = 0n;
        const kinds = await kindsOf(world);
        const good = await isGood(() => world.signIn(body));
        expect(kinds).toEqual(good ? [] : ['totp']);
        // The code that has confirmed it was used by that.
        const again = { AC: 'totp', request: await half(world), code: body.code };
        expect(await failureOf(() => world.signIn(again))).toBe('invalid_auth');
        world.later = LATER;
        await world.signIn({ AC: 'totp', request: await half(world), code: await codeNow(world, secret) });
        return good;
      },
    }),
  );

  test('the code of an app that completes a sign-in', DEADLINE, () =>
    killedAtEachCommit({
      prepare: async (world) => {
        await world.value(`ACCESS totp LINK RECORD user:ann SUBJECT '${SECRET}'`);
        return { AC: 'totp', request: await half(world), code: await codeNow(world, SECRET) };
      },
      what: (shown) => shown,
      judge: async (world, shown) => {
        world.later = 0n;
        const good = await isGood(() => world.signIn(shown));
        expect(await failureOf(async () => world.signIn({ ...shown, request: await half(world) }))).toBe(
          'invalid_auth',
        );
        world.later = LATER;
        await world.signIn({ AC: 'totp', request: await half(world), code: await codeNow(world, SECRET) });
        return good;
      },
    }),
  );

  test('a recovery code that completes a sign-in', DEADLINE, () =>
    killedAtEachCommit({
      prepare: async (world) => {
        const { request, shown } = await world.start({ link: true }, 'recovery', await byPassword(world));
        const [first, second, third] = (shown?.['codes'] ?? []) as readonly string[];
        await world.signIn({ AC: 'recovery', request, code: first });
        await world.value(`ACCESS totp LINK RECORD user:ann SUBJECT '${SECRET}'`);
        return { third, body: { AC: 'recovery', request: await half(world), code: second } };
      },
      what: ({ body }) => body,
      judge: async (world, { third, body }) => {
        const good = await isGood(() => world.signIn(body));
        expect(await failureOf(async () => world.signIn({ ...body, request: await half(world) }))).toBe('invalid_auth');
        await world.signIn({ AC: 'recovery', request: await half(world), code: third });
        return good;
      },
    }),
  );
});

/** A passkey that is about to be made, and signs then. */
async function passkeyOf(world: World) {
  const authenticator = new SoftAuthenticator(ORIGIN);
  const asked = async (of: World, link: boolean) => {
    const begun = await of.start({ link }, 'passkey', link ? await byPassword(of) : undefined);
    return { request: begun.request, options: begun.options as unknown as Options };
  };
  const { request, options } = await asked(world, true);
  const { passkey, credential } = authenticator.create(options);
  const signs = async (of: World) => {
    const question = await asked(of, false);
    const signed = authenticator.get(passkey, question.options);
    return { AC: 'passkey', request: question.request, credential: signed };
  };
  return { made: { AC: 'passkey', request, credential }, signs };
}
