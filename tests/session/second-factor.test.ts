/** Signing in with a one-time password beside the other one, and hashes that grow with the policy. */
import { hash } from '@node-rs/argon2';
import { beforeEach, describe, expect, test } from 'vitest';
import { objectFrom, type Value } from '../../src/value/value.js';
import { catalogOf } from '../support/catalog-of.js';
import { type Owned, openOwned } from '../support/owned.js';

const INVALID = { code: 'invalid_auth' };
const DATABASE = { NS: 'test', DB: 'test' };

let environment: Owned['environment'];
let database: Owned['database'];
let owner: Owned['owner'];
let value: Owned['value'];
beforeEach(async () => {
  ({ environment, database, owner, value } = await openOwned());
});

describe('a code', () => {
  const signIn = (more: Record<string, Value>) =>
    database.session({}).signIn(objectFrom({ ...DATABASE, AC: 'account', name: 'ann', pass: 'secret', ...more }));
  const code = async () => (await value('RETURN crypto::totp::code(user:ann.totp)')) as string;

  beforeEach(() =>
    value(`
      CREATE user:ann SET name = 'ann', pass = 'secret', totp = crypto::totp::secret();
      CREATE user:bob SET name = 'bob', pass = 'secret';
      DEFINE ACCESS account ON DATABASE TYPE RECORD SIGNIN {
        LET $user = (SELECT * FROM user WHERE name = $name AND pass = $pass)[0];
        IF $user.totp = NONE { RETURN $user };
        LET $used = crypto::totp::verify($user.totp, $code, $user.totp_used);
        IF $used != NONE { RETURN UPDATE $user.id SET totp_used = $used };
      };
    `),
  );

  test('is asked for where there is a secret, and nowhere else', async () => {
    await signIn({ code: await code() });
    await signIn({ name: 'bob' });
    environment.advance(60_000);
    for (const wrong of [{}, { code: '000000' }, { code: '' }, { code: 0 }, { pass: 'wrong', code: await code() }]) {
      await expect(signIn(wrong)).rejects.toMatchObject(INVALID);
    }
    await signIn({ code: await code() });
  });

  test('is good once, also for those who come at the same time', async () => {
    const same = await code();
    const outcomes = await Promise.allSettled(Array.from({ length: 4 }, () => signIn({ code: same })));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(signIn({ code: same })).rejects.toMatchObject(INVALID);
    environment.advance(30_000);
    await expect(signIn({ code: same })).rejects.toMatchObject(INVALID);
    await signIn({ code: await code() });
  });
});

describe('a hash of less work than new ones', () => {
  const stored = async () => {
    const user = await database.session({}).signIn(objectFrom({ ...DATABASE, user: 'old', pass: 'a password' }));
    return user.access;
  };
  const define = async (memoryCost: number, timeCost: number, algorithm: 0 | 1 | 2 = 2) => {
    const weak = await hash('a password', { memoryCost, timeCost, parallelism: 1, algorithm });
    await value(`DEFINE USER OVERWRITE old ON DATABASE PASSHASH '${weak}'`);
    return weak;
  };
  const hashNow = async () => {
    const catalog = await catalogOf(owner);
    return catalog?.users.get('old')?.passhash;
  };

  test.each([
    [8_192, 2, 2],
    [19_456, 1, 2],
    [19_456, 2, 1],
  ] as const)(
    'of %d KiB and %d passes of Argon2 %d is replaced when its user signs in',
    async (memory, passes, kind) => {
      const weak = await define(memory, passes, kind);
      await expect(
        database.session({}).signIn(objectFrom({ ...DATABASE, user: 'old', pass: 'wrong' })),
      ).rejects.toMatchObject(INVALID);
      expect(await hashNow()).toBe(weak);
      const token = await stored();
      expect(await hashNow()).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
      // The user is the same as before, and the tokens stay good.
      await database.session({}).authenticate(token);
      await stored();
    },
  );

  test('of the same work, or of more, stays', async () => {
    for (const [memory, passes] of [
      [19_456, 2],
      [47_104, 1],
    ] as const) {
      const strong = await define(memory, passes);
      await stored();
      expect(await hashNow()).toBe(strong);
    }
  });
});
