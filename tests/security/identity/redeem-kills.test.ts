/**
 * A58: a server on disk is killed at each step of redeeming: before and after each of its commits. No code is good
 * twice, an account is there with its identity or not at all, and the client that starts again gets in.
 */
import { describe, expect, test } from 'vitest';
import type { Value } from '../../../src/value/value.js';
import { failureOf } from '../../nodes/two-nodes.js';
import { appUrl, waitingMails } from '../../support/mailbox.js';
import { isInTurn } from '../../support/runs-all.js';
import { atLeast } from '../../support/timeouts.js';
import { isGood, killedAtEachCommit, LATER, onDisk, type World } from './redeem-kills-harness.js';
import { PATH, REDIRECT, VERIFIER } from './redeem-kills-world.js';

const DEADLINE = { timeout: atLeast(240_000) };
const NEW = 'new@example.com';
const ANN = 'ann@example.com';
/** For each user: how many identities it has, and how many records its event has made. */
const usersOf = (world: World, email: string) =>
  world.value(`SELECT VALUE [count(access::identities(id)), count(SELECT * FROM welcome WHERE to = $parent.id)]
    FROM user WHERE email = '${email}'`);

// In turns with other long tests.
describe.skipIf(!isInTurn(7))('A58: killed while it redeems', () => {
  onDisk();

  test('the code of a record', DEADLINE, () =>
    killedAtEachCommit({
      prepare: (world) => world.begun({ email: ANN }),
      what: ({ request, code }) => ({ request, code }),
      judge: async (world, { request, code }) => {
        const [[identities]] = (await usersOf(world, ANN)) as [[number]];
        const good = await isGood(() => world.signIn({ request, code }));
        // The request goes with the commit that makes the identity.
        expect(identities).toBe(good ? 0 : 1);
        const { identity } = await world.signIn(await world.begun({ email: ANN }));
        expect(identity.auth).toMatchObject({ key: 'ann' });
        expect(await usersOf(world, ANN)).toEqual([[1, 1]]);
        return good;
      },
    }),
  );

  test('the code of an address that signs up: the account is whole or absent', DEADLINE, async () => {
    let lost = 0;
    await killedAtEachCommit({
      prepare: (world) => world.begun({ email: NEW }),
      what: ({ request, code }) => ({ request, code }),
      judge: async (world, { request, code }) => {
        const users = (await usersOf(world, NEW)) as Value[];
        const good = await isGood(() => world.signIn({ request, code }));
        // With its identity, and with what its event has done.
        expect(good ? [[]] : [[], [[1, 1]]]).toContainEqual(users);
        if (!good && users.length === 0) lost++;
        const { identity } = await world.signIn(await world.begun({ email: NEW }));
        expect(await usersOf(world, NEW)).toEqual([[1, 1]]);
        expect(identity.auth).toEqual(await world.value(`(SELECT VALUE id FROM user WHERE email = '${NEW}')[0]`));
        return good;
      },
    });
    // The code is used up first, and then the account is made: a kill in between loses the code.
    expect(lost).toBeGreaterThan(0);
  });

  test('a link: it leads on once', DEADLINE, () =>
    killedAtEachCommit({
      prepare: (world) => world.begun({ email: ANN, redirect: REDIRECT }),
      what: ({ link }) => link,
      judge: async (world, { request, code, link }) => {
        const good = await isGood(() => world.database.confirmLink(PATH, 'mail', link));
        expect(await failureOf(() => world.signIn({ request, code }))).toBe('invalid_auth');
        await world.signIn(await world.begun({ email: ANN }));
        return good;
      },
    }),
  );

  test('the code that a link leads to', DEADLINE, () =>
    killedAtEachCommit({
      prepare: async (world) => {
        const { link } = await world.begun({ email: ANN, redirect: REDIRECT });
        return appUrl(await world.database.confirmLink(PATH, 'mail', link)).searchParams.get('code') as string;
      },
      what: (code) => ({ code, verifier: VERIFIER }),
      judge: async (world, code) => {
        const [[identities]] = (await usersOf(world, ANN)) as [[number]];
        world.later = 0n;
        const good = await isGood(() => world.signIn({ code, verifier: VERIFIER }));
        expect(identities).toBe(good ? 0 : 1);
        world.later = LATER;
        await world.signIn(await world.begun({ email: ANN }));
        expect(await usersOf(world, ANN)).toEqual([[1, 1]]);
        return good;
      },
    }),
  );

  test('an invitation', DEADLINE, () =>
    killedAtEachCommit({
      prepare: async (world) => {
        await world.value('ACCESS mail GRANT FOR RECORD user:ann');
        const [mail] = await waitingMails(world.engine);
        return mail?.link?.split('#')[1] as string;
      },
      what: (link) => link,
      judge: async (world, link) => {
        const good = await isGood(() => world.database.confirmLink(PATH, 'mail', link));
        await world.signIn(await world.begun({ email: ANN }));
        return good;
      },
    }),
  );

  test('the code of another address: the record has the former one or the new one', DEADLINE, () =>
    killedAtEachCommit({
      prepare: async (world) => {
        const session = await world.signIn(await world.begun({ email: ANN }));
        return world.begun({ email: 'ann@new.example', link: true }, session);
      },
      what: ({ request, code }) => ({ request, code }),
      judge: async (world, { request, code }) => {
        const subjects = await world.value('RETURN access::identities(user:ann).map(|$i| $i.subject)');
        const notices = (await waitingMails(world.engine)).filter(({ kind, to }) => kind === 'notice' && to === ANN);
        const good = await isGood(() => world.signIn({ request, code }));
        expect([subjects, notices.length]).toEqual(good ? [[ANN], 0] : [['ann@new.example'], 1]);
        const { identity } = await world.signIn(await world.begun({ email: 'ann@new.example' }));
        expect(identity.auth).toMatchObject({ key: 'ann' });
        // The former address still stands in a field, which has no effect.
        expect((await world.begun({ email: ANN })).code).toBe('');
        return good;
      },
    }),
  );
});
