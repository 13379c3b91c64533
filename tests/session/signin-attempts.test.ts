/** INFO FOR SIGNIN ATTEMPTS: who sees which failures, and that hostile names are shown safely. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Session } from '../../src/session/contract.js';
import { isArray, isObject, type ObjectValue, objectFrom } from '../../src/value/value.js';
import { answer, run, World } from '../support/world.js';

let world: World;
beforeEach(async () => {
  world = await World.open();
  await run(
    world.owner,
    `DEFINE ACCESS account ON DATABASE TYPE RECORD
       SIGNIN (SELECT * FROM user WHERE email = $email AND crypto::argon2::compare(hash, $pw))`,
  );
});
afterEach(() => world.close());

const ADDRESS = '192.0.2.7';

async function fail(credentials: Record<string, string>, ip = ADDRESS): Promise<void> {
  const session = world.database.session({ ip });
  await expect(session.signIn(objectFrom(credentials))).rejects.toMatchObject({ code: 'invalid_auth' });
}

async function attempts(session: Session): Promise<ObjectValue[]> {
  const [found] = await run(session, 'INFO FOR SIGNIN ATTEMPTS');
  if (!isArray(found)) throw new TypeError('not a list');
  return found.filter(isObject);
}

const here = { NS: 'test', DB: 'test' };

test('lists accounts and addresses with their failures', async () => {
  await fail({ ...here, user: 'ann', pass: 'a wrong one' });
  await fail({ ...here, user: 'ann', pass: 'another' }, '2001:db8:1:2:3::4');
  const found = await attempts(world.owner);
  expect(found.map(({ of, user, address, failures, level }) => [of, user, address, failures, level])).toEqual(
    expect.arrayContaining([
      ['account and address', 'ann', ADDRESS, 1, 'database'],
      ['account and address', 'ann', '2001:db8:1:2::/64', 1, 'database'],
      ['account', 'ann', undefined, 2, 'database'],
      ['address', undefined, ADDRESS, 1, undefined],
      ['address', undefined, '2001:db8:1:2::/64', 1, undefined],
    ]),
  );
  expect(found).toHaveLength(5);
  expect(found.every(({ delayed_until }) => delayed_until === undefined)).toBe(true);
});

test('is for owners, each of whom sees the accounts of their level and below', async () => {
  const everyone = await world.everybody();
  await fail({ user: 'of the root', pass: 'x' });
  await fail({ NS: 'test', user: 'of the namespace', pass: 'x' });
  await fail({ ...here, user: 'of the database', pass: 'x' });
  await fail({ ...here, DB: 'other', user: 'of another', pass: 'x' });
  const users = async (session: Session) => new Set((await attempts(session)).map(({ user }) => user));
  expect(await users(everyone.DO)).toEqual(new Set(['of the database']));
  expect(await users(everyone.NO)).toEqual(new Set(['of the namespace', 'of the database', 'of another']));
  expect((await users(everyone.RO)).size).toBe(5);
  expect((await attempts(everyone.DO)).some(({ of }) => of === 'address')).toBe(false);
  for (const name of ['RE', 'RV', 'NE', 'NV', 'DE', 'DV', 'record', 'guest'] as const)
    expect(await answer(everyone[name], 'INFO FOR SIGNIN ATTEMPTS'), name).toMatch(/^not_allowed/);
});

test('shows no values that may be secrets, and no long or invisible texts', async () => {
  await fail({ ...here, AC: 'account', email: 'ann@example.com', pw: 'a secret' });
  await fail({ ...here, AC: 'nothing', email: 'a secret', other: 'a secret' });
  await fail({ ...here, user: `\u202e\u0000\n${'long'.repeat(50)}\ud800`, pass: 'a secret' });
  await fail({ NS: 'n'.repeat(255), DB: 'd', user: 'ann', pass: 'a secret' });
  const found = await attempts(world.owner);
  const shown = JSON.stringify(found);
  expect(shown).toContain('"user":"ann@example.com"');
  expect(shown).not.toContain('a secret');
  expect(shown.length).toBeLessThan(5_000);
  const [hostile] = found.filter(({ of, user }) => of === 'account' && String(user).includes('long'));
  expect(hostile?.['user']).toMatch(/^\ufffd\ufffd\ufffd(long){15}l$/);
});
