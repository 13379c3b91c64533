/**
 * A59: the access method, the record or the database is removed or becomes another between the steps of a sign-in, of
 * each way and over every transport. What was begun is void then, also where all is as before again.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ALL_TRANSPORTS, type Answer, REDIRECT, VERIFIER, WRONG } from './mail-doors.js';
import {
  ALL_FIRST,
  ALL_SECOND,
  DEFINED,
  FIRST_PROOFS,
  HALF_PROOFS,
  SECOND_PROOFS,
  type Shown,
  WayDoors,
} from './way-doors.js';

let world: WayDoors;
beforeEach(async () => {
  world = await WayDoors.open();
});
afterEach(() => world.close());

/** The definition of each, to be made again. */
const AGAIN: Readonly<Record<string, string>> = {
  ...DEFINED,
  mail: `DEFINE ACCESS mail ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM user WHERE email = $email) WITH MAIL CODE, LINK`,
  totp: 'DEFINE ACCESS totp ON DATABASE TYPE RECORD WITH TOTP',
  recovery: 'DEFINE ACCESS recovery ON DATABASE TYPE RECORD WITH RECOVERY CODES 3',
};
const ANN = "user:ann SET email = 'ann@example.com', password = 'correct horse battery'";

/** What happens meanwhile, at an access method. */
const MEANWHILE: Readonly<Record<string, (access: string) => string>> = {
  'the access method is removed': (access) => `REMOVE ACCESS ${access} ON DATABASE`,
  'it becomes one without a way': (access) => `DEFINE ACCESS OVERWRITE ${access} ON DATABASE TYPE RECORD
    SIGNIN (SELECT * FROM user WHERE false)`,
  'it becomes one of another way': (access) => `DEFINE ACCESS OVERWRITE ${access} ON DATABASE TYPE RECORD
    ${access === 'mail' ? 'WITH TOTP' : 'SIGNIN (SELECT * FROM user:ann) WITH MAIL CODE, LINK'}`,
  'it becomes one of another type': (access) => `DEFINE ACCESS OVERWRITE ${access} ON DATABASE TYPE BEARER FOR RECORD`,
  'the record is deleted': () => 'DELETE user:ann',
  'the record is made again': () => `DELETE user:ann; CREATE ${ANN}`,
  'its table is removed, and all is made again': () => `REMOVE TABLE user; CREATE ${ANN}`,
  'the database is removed': () => 'REMOVE DATABASE test',
  'the database is made again': (access) =>
    `REMOVE DATABASE test; DEFINE DATABASE test; ${AGAIN[access]}; CREATE ${ANN}`,
  'the namespace is made again': (access) =>
    `REMOVE NAMESPACE test; DEFINE NAMESPACE test; DEFINE DATABASE test; ${AGAIN[access]}; CREATE ${ANN}`,
};
const ALL_CHANGES = Object.keys(MEANWHILE);

async function happens(change: string, access: string): Promise<void> {
  await world.doors.value(MEANWHILE[change]?.(access) ?? '');
}

/** The answers over each transport. */
async function shownEverywhere(shown: Shown): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  for (const transport of ALL_TRANSPORTS) answers.push(await world.signIn(shown, transport));
  return answers;
}

describe.each(ALL_FIRST)('before %s is redeemed', (proof) => {
  test.each(ALL_CHANGES)('%s', async (change) => {
    const shown = await FIRST_PROOFS[proof](world);
    await happens(change, shown.access);
    for (const { token } of await shownEverywhere(shown)) expect(token).toBeUndefined();
  });
});

describe.each(ALL_SECOND)('before a first proof is completed by %s', (second) => {
  const ENDS_OF_SESSIONS = {
    'the sessions of the record are ended': 'KILL SESSIONS FOR RECORD user:ann',
    'its password is changed': "UPDATE user:ann SET password = 'another'",
  };

  const begun = async () => {
    await world.owe();
    const { due } = await world.signIn(await HALF_PROOFS['the code of a provider'](world));
    return SECOND_PROOFS[second](world, due?.request ?? '');
  };

  test.each(ALL_CHANGES)('%s', async (change) => {
    const shown = await begun();
    await happens(change, shown.access);
    for (const { token } of await shownEverywhere(shown)) expect(token).toBeUndefined();
  });

  test('that of the first gets its tokens from elsewhere', async () => {
    const shown = await begun();
    await world.doors.value(
      "DEFINE ACCESS OVERWRITE provider ON DATABASE TYPE RECORD WITH JWT URL 'https://id.example/keys'",
    );
    for (const { token } of await shownEverywhere(shown)) expect(token).toBeUndefined();
  });

  test.each(['the access method is removed', 'it becomes one of another type'])(
    '%s: that of the first',
    async (change) => {
      const shown = await begun();
      await happens(change, 'provider');
      for (const { token } of await shownEverywhere(shown)) expect(token).toBeUndefined();
    },
  );

  test.each(Object.entries(ENDS_OF_SESSIONS))('%s', async (_, statement) => {
    const shown = await begun();
    world.source();
    await world.doors.value(statement);
    for (const { error, token } of await shownEverywhere(shown)) expect([error, token]).toEqual([WRONG, undefined]);
  });
});

describe('before a page of the server leads on', () => {
  test.each(ALL_CHANGES)('from a mailed link: %s', async (change) => {
    const { link } = await world.doors.begun({ email: 'ann@example.com', redirect: REDIRECT }, world.source());
    await happens(change, 'mail');
    const { statusCode, headers } = await world.doors.confirm(link);
    const code = statusCode === 303 ? new URL(String(headers.location)).searchParams.get('code') : null;
    if (code === null) expect(statusCode).toBe(401);
    else
      expect((await world.signIn({ access: 'mail', variables: { code, verifier: VERIFIER } })).token).toBeUndefined();
  });

  test.each(ALL_CHANGES)('from a provider: %s', async (change) => {
    const back = await world.away();
    await happens(change, 'provider');
    const asked = world.provider.asked.length;
    const code = await world.back(back);
    expect((await world.signIn({ access: 'provider', variables: { code, verifier: VERIFIER } })).token).toBeUndefined();
    // Whom people were sent to is asked only if the access method is still its client.
    if (!change.startsWith('the record') && !change.startsWith('its table'))
      expect([code, world.provider.asked.length]).toEqual(['', asked]);
  });
});
