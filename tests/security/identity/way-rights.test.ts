/** Who may do what with the ways in of others (A55), and what a view of a user may (A54). */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Session } from '../../../src/session/contract.js';
import { toText } from '../../../src/value/text/text.js';
import { objectFrom } from '../../../src/value/value.js';
import { CHALLENGE, PLACE, VERIFIER } from './mail-doors.js';
import { ALL_FIRST, FIRST_PROOFS, HALF_PROOFS, SECOND_PROOFS, WayDoors } from './way-doors.js';

const PASS = 'a long password';
const ALL_ACCESS = ['mail', 'provider', 'passkey', 'totp', 'recovery'] as const;

let world: WayDoors;
beforeEach(async () => {
  world = await WayDoors.open();
  await world.signedIn(await FIRST_PROOFS['the code of a mail'](world));
  await world.owe();
});
afterEach(() => world.close());

/** What ACCESS … LINK ties. */
const SUBJECTS = {
  mail: 'eve@example.com',
  provider: 'eve-1',
  passkey: 'A'.repeat(43),
  totp: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
  recovery: 'A'.repeat(43),
};

type Access = (typeof ALL_ACCESS)[number];
const STATEMENTS = {
  SHOW: (access: Access) => `ACCESS ${access} SHOW ALL`,
  REVOKE: (access: Access) => `ACCESS ${access} REVOKE ALL`,
  GRANT: (access: Access) => `ACCESS ${access} GRANT FOR RECORD user:bob`,
  LINK: (access: Access) => `ACCESS ${access} LINK RECORD user:bob SUBJECT '${SUBJECTS[access]}'`,
  PURGE: (access: Access) => `ACCESS ${access} PURGE REVOKED`,
  'INFO FOR ACCESS': (access: Access) => `INFO FOR ACCESS ${access}`,
  'INFO FOR MAIL': () => 'INFO FOR MAIL',
};
type Word = keyof typeof STATEMENTS;

/** What each principal may do; a record user with its own alone. */
const MAY: Readonly<Record<string, readonly Word[]>> = {
  guest: [],
  'a record user': ['SHOW', 'REVOKE'],
  'a sign-in that owes a second proof': [],
  'an owner of another database': [],
  viewer: ['SHOW', 'INFO FOR ACCESS'],
  editor: ['SHOW', 'INFO FOR ACCESS'],
  owner: ['SHOW', 'REVOKE', 'GRANT', 'LINK', 'PURGE', 'INFO FOR ACCESS', 'INFO FOR MAIL'],
};

/** What bears each of them over HTTP. */
async function bearers(): Promise<Readonly<Record<string, string | undefined>>> {
  const { doors } = world;
  const users = (['viewer', 'editor', 'owner'] as const).map(
    (role) => `DEFINE USER ${role} ON DATABASE PASSWORD '${PASS}' ROLES ${role.toUpperCase()};`,
  );
  await doors.value(users.join(''));
  await doors.owned.owner.use('test', 'other');
  await doors.value(`DEFINE USER stranger ON DATABASE PASSWORD '${PASS}' ROLES OWNER`);
  await doors.owned.owner.use('test', 'test');
  const signedIn = async (user: string, DB = 'test') =>
    ((await doors.inject('/signin', {}, { ...PLACE, DB, user, pass: PASS })).json() as { token: string }).token;
  return {
    guest: undefined,
    'a record user': (await doors.signIn({ email: 'bob@example.com' }, { access: 'account' })).token,
    'a sign-in that owes a second proof': (await world.signIn(await HALF_PROOFS['a password']())).due?.request,
    'an owner of another database': await signedIn('stranger', 'other'),
    viewer: await signedIn('viewer'),
    editor: await signedIn('editor'),
    owner: await signedIn('owner'),
  };
}

async function overRpc(text: string, token: string | undefined): Promise<string> {
  const headers = { 'surreal-ns': 'test', 'surreal-db': 'test' };
  return (await world.doors.inject('/rpc', { token }, { id: 1, method: 'query', params: [text] }, headers)).body;
}

/** All that is stored of the ways in. */
async function stored(): Promise<string> {
  const shown = [];
  for (const id of ['user:ann', 'user:bob']) shown.push(await world.doors.value(`RETURN access::identities(${id})`));
  return `${toText(shown)} ${(await world.doors.mails()).length}`;
}

const DENIED = /not enough permissions|IAM error|authentication/i;

describe('A55', () => {
  test.each(['HTTP', 'RPC'])('ACCESS and INFO over %s, by each principal at each way', async (transport) => {
    const all = await bearers();
    const before = await stored();
    const may: Record<string, readonly string[]> = {};
    for (const [who, token] of Object.entries(all)) {
      const allowed = new Set<string>();
      for (const [word, statement] of Object.entries(STATEMENTS)) {
        for (const access of ALL_ACCESS) {
          const text = statement(access);
          const told = transport === 'RPC' ? await overRpc(text, token) : await world.doors.query(text, token);
          const shown = JSON.stringify(told);
          if (!DENIED.test(shown)) allowed.add(word);
          // Ann's are seen by her, and by those who administer the database.
          if (who === 'a record user') expect(shown).not.toMatch(/user:ann|ann@example|ann-1/);
        }
      }
      may[who] = [...allowed];
      if (who !== 'owner') expect([who, await stored()]).toEqual([who, before]);
    }
    expect(may).toEqual(MAY);
    expect(await world.doors.value('RETURN access::identities(user:ann)')).toEqual([]);
  });

  test('what owners tie by LINK is tied, and what a way alone proves isn’t given', async () => {
    for (const access of ALL_ACCESS) {
      const tied = world.doors.value(STATEMENTS.LINK(access));
      if (access === 'passkey') await expect(tied).rejects.toMatchObject({ code: 'access_method_mismatch' });
      else await tied;
    }
    expect(await world.doors.value('RETURN access::identities(user:bob).map(|$each| $each.access).sort()')).toEqual([
      'mail',
      'provider',
      'recovery',
      'totp',
    ]);
  });
});

describe('A54: a view', () => {
  const PLACES = { databasePath: { namespace: 'test', database: 'test' } };

  const viewing = async (access: string): Promise<Session> => {
    const viewer = world.doors.owned.database.ownerSession();
    viewer.listen(() => undefined);
    await viewer.use('test', 'test');
    await viewer.viewAs(objectFrom({ record: await world.doors.value('RETURN user:ann'), access }));
    return viewer;
  };

  test.each(ALL_ACCESS)('as a user of %s begins nothing, in no way', async (seen) => {
    const view = await viewing(seen);
    for (const access of ALL_ACCESS)
      for (const body of [{ link: true }, { step: true }, { signup: true }, {}, { email: 'ann@example.com' }])
        await expect(
          view.startSignIn({ ...PLACES, access, body: objectFrom({ challenge: CHALLENGE, ...body }) }),
        ).rejects.toMatchObject({ code: 'view_read_only' });
  });

  test.each(ALL_FIRST)('redeems nothing that is right: %s', async (proof) => {
    const { access, variables } = await FIRST_PROOFS[proof](world);
    const view = await viewing(access);
    const body = { ...PLACE, AC: access, ...(variables as Record<string, string>), verifier: VERIFIER };
    await expect(view.signIn(objectFrom(body))).rejects.toMatchObject({ code: 'view_read_only' });
    // It was right, and still is.
    const { token, due } = await world.signIn({ access, variables });
    expect(token ?? due?.request).toBeDefined();
  });

  test('takes nothing away, and sees no codes, secrets or mails', async () => {
    const { due } = await world.signIn(await HALF_PROOFS['the code of a mail'](world));
    const { variables } = await SECOND_PROOFS['a code of an app'](world, due?.request ?? '');
    const mailed = await world.doors.begun({ email: 'ann@example.com' }, world.source());
    const secrets = [...world.secrets, mailed.code, mailed.request, String(due?.request), String(variables['code'])];
    const view = await viewing('mail');
    const shown: string[] = [];
    for (const access of ALL_ACCESS) {
      for (const word of ['SHOW', 'REVOKE', 'PURGE', 'INFO FOR MAIL'] as const) {
        const [answer] = await view.query(STATEMENTS[word](access));
        expect([word, answer?.outcome.ok]).toEqual([word, false]);
      }
    }
    for (const text of ['SELECT * FROM user', 'RETURN access::identities(user:ann)', 'RETURN $token']) {
      const [answer] = await view.query(text);
      if (answer?.outcome.ok) shown.push(toText(answer.outcome.value));
    }
    expect(shown.join()).toContain('ann@example.com');
    for (const secret of secrets) expect(shown.join()).not.toContain(secret);
  });
});
