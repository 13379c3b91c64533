/**
 * Codes and links by mail where three servers use one store, whose clocks are up to a second apart (attacks A2, A21, A27
 * and A57 of the list for identities), on a simulated store and on PostgreSQL. Servers as processes of their own:
 * `tests/end-to-end/mail-nodes.test.ts`.
 */
import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type SignInRequest, SignInRequests } from '../../../src/catalog/credentials/sign-in-request.js';
import { findDatabase } from '../../../src/catalog/definitions/lookup.js';
import type { WaitingMail } from '../../../src/catalog/mail/outbox.js';
import { realEnvironment } from '../../../src/env/real.js';
import type { Session } from '../../../src/session/contract.js';
import type { DatabaseOptions } from '../../../src/session/database/options.js';
import { type ObjectValue, objectFrom, type Value } from '../../../src/value/value.js';
import { type OpenNode, openNodes, until } from '../../nodes/shared-engines.js';
import { failureOf, run } from '../../nodes/two-nodes.js';
import { appUrl, waitingMails } from '../../support/mailbox.js';
import { PostgresServer, postgresPrograms } from '../../support/postgres-server.js';
import { isInTurn } from '../../support/runs-all.js';
import { postgresNodes, type SharedNodes, simulatedNodes } from '../../support/shared-nodes.js';

const NODES = 3;
const VERIFIER = 'v'.repeat(43);
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');
const REDIRECT = 'https://shop.example/in';
const PLACE = { NS: 'test', DB: 'test' };
const PATH = { namespace: 'test', database: 'test' };
const ANN = 'ann@example.com';
const SECOND = 1_000_000_000n;
/** By how much the clock of each server is ahead. */
const AHEAD = [0n, SECOND / 2n, SECOND];
const AT_ONCE = { minimum: 0, step: 1, maximum: 1 };

/** Mails wait: their server is no target that is allowed. */
const SCHEMA = `
  DEFINE CONFIG MAIL FROM 'shop@shop.example' SMTP 'smtps://mail.invalid';
  DEFINE CONFIG AUTH REDIRECT '${REDIRECT}';
  DEFINE TABLE user PERMISSIONS FOR select WHERE id = $auth; DEFINE FIELD email ON user TYPE string;
  DEFINE INDEX email ON user FIELDS email UNIQUE;
  DEFINE ACCESS mail ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM user WHERE email = $email) WITH MAIL CODE, LINK;
  DEFINE ACCESS open ON DATABASE TYPE RECORD SIGNUP (CREATE user SET email = $identity.email)
    SIGNIN (SELECT * FROM user WHERE email = $email) WITH MAIL CODE;
  CREATE user:ann SET email = '${ANN}'; CREATE user:bob SET email = 'bob@example.com';
`;

describe('on a simulated store', () => mailsOf(() => simulatedNodes({ count: NODES })));

// The machine may have no PostgreSQL: `.ci/run` installs it. In turns with other long tests.
describe.skipIf(postgresPrograms() === undefined || !isInTurn(6))('on PostgreSQL', () => {
  let server: PostgresServer;
  let schemas = 0;

  beforeAll(async () => {
    server = await PostgresServer.start();
  });

  afterAll(() => server.remove());

  mailsOf(() => postgresNodes(server, `mails_${++schemas}`, { count: NODES }));
});

function mailsOf(open: () => Promise<SharedNodes>): void {
  let shared: SharedNodes;
  let nodes: OpenNode[];
  /** Nanoseconds that have passed for all of them. */
  let passed: bigint;

  beforeEach(async () => {
    passed = 0n;
    shared = await open();
    nodes = await openNodes(shared, (node): DatabaseOptions => {
      const { clock } = realEnvironment;
      const now = () => clock.now() + passed + (AHEAD[node] as bigint);
      return {
        environment: { ...realEnvironment, clock: { ...clock, now } },
        authentication: { failureDelay: AT_ONCE, startDelay: AT_ONCE, publicUrls: ['https://db.example'] },
      };
    });
    await owned(0, SCHEMA);
  });

  afterEach(async () => {
    for (const { database } of nodes) await database.close();
  });

  const databaseOf = (node: number) => (nodes[node % NODES] as OpenNode).database;

  /** What the owner gets for statements at a node: the last result. */
  async function owned(node: number, text: string): Promise<Value> {
    const owner = await (nodes[node % NODES] as OpenNode).owner();
    try {
      return (await run(owner, text)).at(-1);
    } finally {
      owner.close();
    }
  }

  type Begun = { readonly request: string; readonly code: string; readonly link: string };

  type Body = Readonly<Record<string, Value>>;
  type From = { readonly ip?: string; readonly access?: string; readonly session?: Session };

  async function start(node: number, body: Body, { ip, access = 'mail', session }: From = {}): Promise<string> {
    const from = session ?? databaseOf(node).session(ip === undefined ? {} : { ip });
    const target = { databasePath: PATH, access, body: objectFrom({ challenge: CHALLENGE, ...body }) };
    return (await from.startSignIn(target)).request;
  }

  const mails = () => waitingMails(shared.nodes[0] as SharedNodes['nodes'][number]);
  const mailTo = async (to: string): Promise<WaitingMail | undefined> =>
    (await mails()).filter((mail) => mail.to === to).sort((a, b) => Number(b.created - a.created))[0];
  const linkIn = (mail: WaitingMail | undefined) => mail?.link?.split('#')[1]?.split('.')[0] ?? '';

  async function begun(node: number, body: Body, from: From = {}): Promise<Begun> {
    const former = (await mails()).map(({ id }) => id);
    const request = await start(node, body, from);
    const mail = (await mails()).find(({ id }) => !former.includes(id));
    return { request, code: mail?.code ?? '', link: linkIn(mail) };
  }

  async function signIn(node: number, body: Body, { ip, access = 'mail' }: From = {}): Promise<Session> {
    const session = databaseOf(node).session(ip === undefined ? {} : { ip });
    session.listen(() => undefined);
    await session.signIn(objectFrom({ ...PLACE, AC: access, ...body }));
    return session;
  }

  const confirm = async (node: number, link: string) =>
    appUrl(await databaseOf(node).confirmLink(PATH, 'mail', link)).searchParams.get('code') ?? '';

  /** `in`, or the code of its error, of each: the first at the first node, the second at the second, and so on. */
  const all = (count: number, work: (at: number) => Promise<unknown>): Promise<string[]> =>
    Promise.all(
      Array.from({ length: count }, async (_, at) => {
        const failed = await failureOf(() => work(at));
        return failed === 'none' ? 'in' : failed;
      }),
    );
  const times = (answers: readonly string[], answer: string) => answers.filter((each) => each === answer).length;
  /** How often each answer was given. */
  const tally = (answers: readonly string[]) =>
    Object.fromEntries([...new Set(answers)].map((answer) => [answer, times(answers, answer)]));

  /** One got in, and the others were refused, or asked to come again where too many met. */
  function expectOneIn(answers: readonly string[]): void {
    const refused = times(answers, 'invalid_auth') + times(answers, 'transaction_conflict');
    expect([tally(answers), times(answers, 'in'), refused]).toEqual([tally(answers), 1, answers.length - 1]);
  }

  /** The row of a request. */
  async function stored(name: string): Promise<SignInRequest | undefined> {
    const transaction = await (shared.nodes[0] as SharedNodes['nodes'][number]).begin({ writable: false });
    const { id } = (await findDatabase(transaction, 'test', 'test'))!;
    const found = await new SignInRequests(transaction, id).find(name);
    transaction.cancel();
    return found;
  }

  /** Whether a session is still signed in at its node. */
  const isOpen = async (session: Session) => (await failureOf(() => run(session, 'RETURN 1'))) === 'none';

  describe('A21: guessing', () => {
    test('spread over the servers has five tries in all', async () => {
      const { request, code } = await begun(0, { email: ANN });
      const wrong = String((Number(code) + 1) % 10 ** 8).padStart(8, '0');
      for (let at = 0; at < 5; at++)
        expect(await failureOf(() => signIn(at, { request, code: wrong }, { ip: `192.0.2.${at}` }))).toBe(
          'invalid_auth',
        );
      expect((await stored(request))?.tries).toBe(5);
      const right = await all(NODES, (at) => signIn(at, { request, code }, { ip: `198.51.100.${at}` }));
      expect(right).toEqual(['invalid_auth', 'invalid_auth', 'invalid_auth']);
    });

    test('leaves the fifth try to who knows the code', async () => {
      const { request, code } = await begun(1, { email: ANN });
      for (let at = 0; at < 4; at++) await failureOf(() => signIn(at, { request, code: '0' }, { ip: `192.0.2.${at}` }));
      expect(await isOpen(await signIn(2, { request, code }))).toBe(true);
    });

    test('by 50 at once has five tries in all', async () => {
      const { request, code } = await begun(2, { email: ANN });
      const guesses = Array.from({ length: 50 }, (_, at) => String((Number(code) + 1 + at) % 10 ** 8).padStart(8, '0'));
      const answers = await all(50, (at) =>
        signIn(at, { request, code: guesses[at] as string }, { ip: `192.0.2.${at}` }),
      );
      // Where too many guess some are asked to come again.
      const known = ['invalid_auth', 'too_many_attempts', 'transaction_conflict'];
      expect(answers.filter((each) => !known.includes(each))).toEqual([]);
      expect((await stored(request))?.tries).toBe(5);
      expect(await failureOf(() => signIn(0, { request, code }))).not.toBe('none');
    });
  });

  describe('A2: of many who redeem it at once one gets in,', () => {
    test('a code', async () => {
      const { request, code } = await begun(0, { email: ANN });
      const answers = await all(12, (at) => signIn(at, { request, code }, { ip: `192.0.2.${at}` }));
      expectOneIn(answers);
      expect(await stored(request)).toBeUndefined();
    });

    test('a link, and the code that it leads to', async () => {
      const { request, code, link } = await begun(0, { email: ANN, redirect: REDIRECT });
      const codes: string[] = [];
      const confirmed = await all(9, async (at) => codes.push(await confirm(at, link)));
      expectOneIn(confirmed);
      const answers = await all(9, (at) => signIn(at, { code: codes[0] as string, verifier: VERIFIER }));
      expectOneIn(answers);
      // The code beside the link went with it.
      expect(await failureOf(() => signIn(1, { request, code }))).toBe('invalid_auth');
    });

    test('either the code or the link of a mail', async () => {
      const { request, code, link } = await begun(1, { email: ANN, redirect: REDIRECT });
      const answers = await all(6, async (at) => {
        if (at % 2 === 0) return signIn(at, { request, code });
        return signIn(at + 1, { code: await confirm(at, link), verifier: VERIFIER });
      });
      expect(times(answers, 'in')).toBe(1);
    });

    test('an invitation', async () => {
      await owned(1, 'ACCESS mail GRANT FOR RECORD user:ann');
      const link = (await mailTo(ANN))?.link?.split('#')[1] ?? '';
      const codes: string[] = [];
      const confirmed = await all(9, async (at) => codes.push(await confirm(at, link)));
      expectOneIn(confirmed);
      const answers = await all(9, (at) => signIn(at, { code: codes[0] as string }));
      expectOneIn(answers);
    });

    test('an address that is new: it becomes one record', async () => {
      const { request, code } = await begun(0, { email: 'new@example.com' }, { access: 'open' });
      const answers = await all(9, (at) => signIn(at, { request, code }, { access: 'open' }));
      expectOneIn(answers);
      expect(await owned(2, "RETURN count(SELECT * FROM user WHERE email = 'new@example.com')")).toBe(1);
    });

    test('an address that one links while it signs another up: it is one record’s', async () => {
      const first = await begun(0, { email: 'bob@example.com' }, { access: 'open' });
      const bob = await signIn(0, first, { access: 'open' });
      const [link, up] = [
        await begun(0, { email: 'new@example.com', link: true }, { access: 'open', session: bob }),
        await begun(1, { email: 'new@example.com' }, { access: 'open', ip: '192.0.2.1' }),
      ];
      const answers = await all(2, (at) => signIn(at + 1, at === 0 ? link : up, { access: 'open' }));
      expect(times(answers, 'in')).toBe(1);
      const owners = await owned(
        2,
        `(SELECT VALUE id FROM user).filter(|$id| access::identities($id).any(|$i| $i.subject = 'new@example.com'))`,
      );
      expect(owners).toHaveLength(1);
    });
  });

  describe('A27: mails are limited across the servers,', () => {
    test('to one address from one source, asked for at once', async () => {
      const answers = await all(45, (at) => start(at, { email: ANN }, { ip: '192.0.2.1' }));
      expect(tally(answers)).toEqual({ in: 1, rate_limited: 44 });
      expect(await mails()).toHaveLength(1);
    });

    test('to one address from many sources', async () => {
      const answers = await all(45, (at) => start(at, { email: ANN }, { ip: `198.51.${at}.1` }));
      // Each ends the request before: where too many meet, some of those that are admitted are asked to come again.
      const { in: begunThen = 0, transaction_conflict: met = 0, ...others } = tally(answers);
      expect([begunThen + met, others]).toEqual([30, { rate_limited: 15 }]);
      expect(await mails()).toHaveLength(begunThen);
    });

    test('to many addresses from one source', async () => {
      const answers = await all(45, (at) =>
        start(at, { email: `u${at}@example.com` }, { ip: '192.0.2.1', access: 'open' }),
      );
      expect(tally(answers)).toEqual({ in: 20, rate_limited: 25 });
      expect(await mails()).toHaveLength(20);
    });

    test('of a database', async () => {
      await owned(0, 'ALTER CONFIG MAIL LIMIT 10');
      const answers = await all(30, (at) =>
        start(at, { email: `u${at}@example.com` }, { ip: `198.51.${at}.1`, access: 'open' }),
      );
      expect(tally(answers)).toEqual({ in: 10, rate_limited: 20 });
      expect(await mails()).toHaveLength(10);
    });

    test('and a newer request ends the one of another server', async () => {
      const first = await begun(0, { email: ANN }, { ip: '192.0.2.1' });
      const second = await begun(1, { email: ANN }, { ip: '192.0.2.2' });
      expect(await failureOf(() => signIn(2, first))).toBe('invalid_auth');
      expect(await isOpen(await signIn(2, second))).toBe(true);
    });
  });

  describe('A57: each step at another server, clocks up to a second apart:', () => {
    // Every order, so that each clock is ahead and behind at each step.
    const orders = [0, 1, 2].flatMap((a) => [1, 2].map((step) => [a, (a + step) % 3, (a + 2 * step) % 3] as const));

    test.each(orders)('a link from %i by %i to %i', async (first, second, third) => {
      const { link } = await begun(first, { email: ANN, redirect: REDIRECT });
      const code = await confirm(second, link);
      const session = await signIn(third, { code, verifier: VERIFIER });
      expect(session.identity.auth).toMatchObject({ key: 'ann' });
      expect(await isOpen(session)).toBe(true);
    });

    test('a code, then a link of another address from its session, which ends with the former one', async () => {
      const session = await signIn(2, await begun(1, { email: ANN }));
      const next = await begun(2, { email: 'ann@new.example', link: true }, { session });
      const linked = await signIn(0, next);
      await until(async () => !(await isOpen(session)));
      expect(await isOpen(linked)).toBe(true);
      for (let node = 0; node < NODES; node++) {
        const subjects = await owned(node, 'RETURN access::identities(user:ann).map(|$i| $i.subject)');
        expect(subjects).toEqual(['ann@new.example']);
      }
    });

    test('a step, begun with a token at a server that is behind the one that issued it', async () => {
      const { request, code } = await begun(0, { email: ANN });
      const signedIn = databaseOf(2).session({});
      const { access } = await signedIn.signIn(objectFrom({ ...PLACE, AC: 'mail', request, code }));
      const session = databaseOf(0).session({});
      await session.authenticate(access);
      const stepped = await signIn(1, await begun(0, { step: true }, { session, ip: '192.0.2.7' }));
      expect(await isOpen(stepped)).toBe(true);
      expect(await isOpen(signedIn)).toBe(true);
    });

    test('codes run out by any clock, a second more or less', async () => {
      const { request, code } = await begun(0, { email: ANN });
      passed += 598n * SECOND;
      expect(await failureOf(() => signIn(2, { request, code: '0' }))).toBe('invalid_auth');
      expect((await stored(request))?.tries).toBe(1);
      passed += 2n * SECOND;
      expect(await all(NODES, (at) => signIn(at, { request, code }))).toEqual([
        'invalid_auth',
        'invalid_auth',
        'invalid_auth',
      ]);
    });
  });

  describe('A57: what one server ends is over at the others,', () => {
    let sessions: Session[];
    beforeEach(async () => {
      sessions = [];
      for (let node = 0; node < NODES; node++) {
        const begunThere = await begun(node + 1, { email: ANN }, { ip: `192.0.2.${node}` });
        sessions.push(await signIn(node, begunThere));
      }
      // What is issued by a clock that is ahead is older than what ends it only when that clock was passed.
      passed += 2n * SECOND;
      expect(await Promise.all(sessions.map(isOpen))).toEqual([true, true, true]);
    });

    async function expectOpen(...open: readonly boolean[]): Promise<void> {
      await until(async () => {
        const found = await Promise.all(sessions.map(isOpen));
        return found.every((each, at) => each === open[at]);
      });
    }

    test('by KILL SESSIONS FOR RECORD, with requests that are open', async () => {
      const [one, other] = [
        await begun(0, { email: ANN, redirect: REDIRECT }, { ip: '192.0.2.8' }),
        await begun(1, { email: 'bob@example.com' }, { ip: '192.0.2.8' }),
      ];
      passed += 2n * SECOND;
      await owned(1, 'KILL SESSIONS FOR RECORD user:ann');
      await expectOpen(false, false, false);
      expect(await failureOf(() => signIn(2, { request: one.request, code: one.code }))).toBe('invalid_auth');
      expect(await isOpen(await signIn(2, { request: other.request, code: other.code }))).toBe(true);
    });

    test('by KILL SESSIONS FOR RECORD, with a link that was begun just before at a server that is ahead', async () => {
      const link = await begun(2, { email: 'ann@new.example', link: true }, { session: sessions[2] as Session });
      await owned(0, 'KILL SESSIONS FOR RECORD user:ann');
      expect(await failureOf(() => signIn(1, { request: link.request, code: link.code }))).toBe('invalid_auth');
    });

    test('by ACCESS … REVOKE, with the address', async () => {
      const grants = (await owned(0, 'ACCESS mail SHOW ALL')) as ObjectValue[];
      await owned(2, `ACCESS mail REVOKE GRANT ${String(grants[0]?.['id'])}`);
      await expectOpen(false, false, false);
      expect(await owned(1, 'RETURN access::identities(user:ann)')).toEqual([]);
    });

    test('by KILL OTHER SESSIONS of one that stays', async () => {
      await run(sessions[1] as Session, 'KILL OTHER SESSIONS');
      await expectOpen(false, true, false);
    });

    test('by the end of the record, and one of the same id gets nothing', async () => {
      const { request, code } = await begun(0, { email: ANN }, { ip: '192.0.2.9' });
      await owned(1, 'DELETE user:ann');
      await expectOpen(false, false, false);
      await owned(0, `CREATE user:ann SET email = '${ANN}'`);
      expect(await failureOf(() => signIn(2, { request, code }))).toBe('invalid_auth');
      expect(await owned(2, 'RETURN access::identities(user:ann)')).toEqual([]);
    });
  });
}
