/**
 * A58: a server on disk is killed at each step of redeeming: before and after each of its commits. No code is good
 * twice, an account is there with its identity or not at all, and the client that starts again gets in.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { realEnvironment } from '../../../src/env/real.js';
import type { Session } from '../../../src/session/contract.js';
import { type OpenDatabase, openDatabase } from '../../../src/session/database/database.js';
import { openLmdb } from '../../../src/storage/lmdb/engine/lmdb.js';
import { objectFrom, type Value } from '../../../src/value/value.js';
import { failureOf, run } from '../../nodes/two-nodes.js';
import { compiled } from '../../support/compiled.js';
import { appUrl, waitingMails } from '../../support/mailbox.js';
import { isInTurn } from '../../support/runs-all.js';
import { atLeast } from '../../support/timeouts.js';
import { CHALLENGE, OPTIONS, PATH, REDIRECT, SCHEMA, VERIFIER } from './redeem-kills-world.js';

const DEADLINE = { timeout: atLeast(240_000) };
const NEW = 'new@example.com';
const ANN = 'ann@example.com';
const PLACE = { NS: 'test', DB: 'test', AC: 'mail' };

/** So long that a mail may be asked for again, in nanoseconds. */
const LATER = 120_000_000_000n;

type Body = Readonly<Record<string, string | boolean>>;

let child: string;
let folder: string;
beforeAll(() => {
  child = compiled(
    'tests/security/identity/redeem-kills-child.ts',
    mkdtempSync(join(tmpdir(), 'tessera-redeem-kills-')),
  );
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tessera-redeem-kills-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The store, opened by this process, which is never killed. */
class World {
  readonly engine = openLmdb(folder);
  database!: OpenDatabase;
  #owner!: Session;

  /** @param later nanoseconds by which its clock is ahead; it may be set again */
  private constructor(public later: bigint) {}

  static async open(later = 0n): Promise<World> {
    const world = new World(later);
    const { clock } = realEnvironment;
    const environment = { ...realEnvironment, clock: { ...clock, now: () => clock.now() + world.later } };
    world.database = await openDatabase(world.engine, { ...OPTIONS, environment });
    world.#owner = world.database.ownerSession();
    await world.#owner.use('test', 'test');
    return world;
  }

  async value(text: string): Promise<Value> {
    return (await run(this.#owner, text)).at(-1);
  }

  async begun(body: Body, session = this.database.session({})) {
    const former = (await waitingMails(this.engine)).map(({ id }) => id);
    const target = { databasePath: PATH, access: 'mail', body: objectFrom({ challenge: CHALLENGE, ...body }) };
    const { request } = await session.startSignIn(target);
    const mail = (await waitingMails(this.engine)).find(({ id }) => !former.includes(id));
    return { request, code: mail?.code ?? '', link: mail?.link?.split('#')[1]?.split('.')[0] ?? '' };
  }

  async signIn(body: Body): Promise<Session> {
    const session = this.database.session({});
    await session.signIn(objectFrom({ ...PLACE, ...body }));
    return session;
  }

  close(): Promise<void> {
    return this.database.close();
  }
}

/** Runs a server that redeems it. What it printed, `undefined` if it was killed before. */
async function redeem(what: Body | string, ...killed: readonly string[]): Promise<string | undefined> {
  const given = typeof what === 'string' ? what : JSON.stringify({ ...PLACE, ...what });
  const running = spawn(process.execPath, [child, folder, given, ...killed], { stdio: ['ignore', 'pipe', 'pipe'] });
  let [said, errors] = ['', ''];
  running.stdout.on('data', (text) => (said += text));
  running.stderr.on('data', (text) => (errors += text));
  const [code, signal] = (await once(running, 'close')) as [number | null, string | null];
  if (signal !== 'SIGKILL') expect([code, errors]).toEqual([0, '']);
  return said === '' ? undefined : said.trim();
}

/** What a case does in a fresh store. */
interface Case<T> {
  /** What the server is to redeem. */
  prepare(world: World): Promise<T>;
  what(prepared: T): Body | string;
  /** Judges what is left when the server was killed. Whether the code, or link, was still good. */
  judge(world: World, prepared: T): Promise<boolean>;
}

/** Kills a server before and after each of its commits, until one of them isn't. */
async function killedAtEachCommit<T>({ prepare, what, judge }: Case<T>): Promise<void> {
  const good: boolean[] = [];
  for (let commit = 1; ; commit++) {
    for (const when of ['before', 'after']) {
      const world = await World.open();
      await world.value(SCHEMA);
      const prepared = await prepare(world);
      await world.close();
      const said = await redeem(what(prepared), String(commit), when);
      // It got in, and its process ended before that commit.
      if (said !== undefined) {
        // First it was, and from some commit on no longer.
        expect(good).toEqual([...good].sort().reverse());
        expect(new Set(good)).toEqual(new Set([true, false]));
        return;
      }
      const left = await World.open(LATER);
      good.push(await judge(left, prepared));
      await left.close();
      rmSync(folder, { recursive: true, force: true });
      folder = mkdtempSync(join(tmpdir(), 'tessera-redeem-kills-'));
    }
  }
}

/** Whether it gets in, once. */
async function isGood(work: () => Promise<unknown>): Promise<boolean> {
  const first = await failureOf(work);
  expect(['none', 'invalid_auth']).toContain(first);
  expect(await failureOf(work)).toBe('invalid_auth');
  return first === 'none';
}

/** For each user: how many identities it has, and how many records its event has made. */
const usersOf = (world: World, email: string) =>
  world.value(`SELECT VALUE [count(access::identities(id)), count(SELECT * FROM welcome WHERE to = $parent.id)]
    FROM user WHERE email = '${email}'`);

// In turns with other long tests.
describe.skipIf(!isInTurn(3))('A58: killed while it redeems', () => {
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
