/** What a node does to users and tokens holds on the others. */
import { beforeEach, describe, expect, test } from 'vitest';
import { PRESENCE_RANGE } from '../../src/catalog/keys/node-keys.js';
import type { Session } from '../../src/session/contract.js';
import { forgetNode } from '../../src/session/nodes/forget-node.js';
import { NODE_RENEWAL_INTERVAL } from '../../src/session/nodes/membership.js';
import { REFRESH_INTERVAL } from '../../src/session/nodes/session-presence.js';
import { withRetries } from '../../src/storage/retry.js';
import { toText } from '../../src/value/text/text.js';
import { type ObjectValue, objectFrom, type Value } from '../../src/value/value.js';
import { failureOf, live, PEOPLE, run, settled, signIn, signUp, type TwoNodes, twoNodes } from './two-nodes.js';

let nodes: TwoNodes;

beforeEach(async () => {
  nodes = await twoNodes({ sessions: { perUser: 3 } });
  await run(nodes.a.owner, PEOPLE);
  await settled();
});

/** A lasting session of a system user on node B. */
async function systemUser(name: string, level: ObjectValue = objectFrom({ NS: 'test', DB: 'test' })): Promise<Session> {
  const session = nodes.b.database.session({});
  session.listen(() => undefined);
  await session.signIn(objectFrom({ ...level, user: name, pass: 'a long secret' }));
  await session.use('test', 'test');
  return session;
}

/** Whether it is still signed in. */
async function isOpen(session: Session): Promise<boolean> {
  await settled();
  return (await failureOf(() => run(session, 'RETURN 1'))) === 'none';
}

/** Lets so much time pass that rows of sessions that were used are written again, and no node counts as dead. */
async function refreshed(): Promise<void> {
  for (let passed = 0; passed < REFRESH_INTERVAL; passed += NODE_RENEWAL_INTERVAL) {
    nodes.environment.advance(NODE_RENEWAL_INTERVAL);
    await settled();
  }
}

async function listed(session: Session): Promise<ObjectValue[]> {
  await settled();
  return (await run(session, 'INFO FOR SESSIONS'))[0] as Value[] as ObjectValue[];
}

test('how far a session is behind is seen on the other node as long as it is', async () => {
  const { a, environment } = nodes;
  let read: (() => void) | undefined;
  const session = a.database.session({});
  session.listen(() => new Promise((resolve) => (read = resolve)));
  await session.signUp(objectFrom({ NS: 'test', DB: 'test', AC: 'people', name: 'ann' }));
  await run(a.owner, 'DEFINE TABLE a PERMISSIONS FULL');
  await live(session, 'LIVE SELECT * FROM a');
  await refreshed();
  const behind = async () => (await listed(nodes.b.owner)).map((row) => toText(row['behind']));
  expect(await behind()).toEqual(['0ns']);
  await run(a.owner, 'CREATE a:1');
  await settled();
  environment.advance(2_000);
  await refreshed();
  expect(await behind()).not.toEqual(['0ns']);
  read?.();
  await refreshed();
  expect(await behind()).toEqual(['0ns']);
});

describe('a token that is revoked on one node', () => {
  test('is refused by the other', async () => {
    const { a, b } = nodes;
    const session = a.database.session({});
    const { access } = await session.signUp(objectFrom({ NS: 'test', DB: 'test', AC: 'people', name: 'ann' }));
    await b.database.session({}).authenticate(access);
    await session.signOut();
    await settled();
    expect(await failureOf(() => b.database.session({}).authenticate(access))).toBe('invalid_auth');
  });

  test('is refused by a node that missed the commit', async () => {
    const { a, b } = nodes;
    const session = a.database.session({});
    const { access } = await session.signUp(objectFrom({ NS: 'test', DB: 'test', AC: 'people', name: 'ann' }));
    b.engine.hold();
    await session.signOut();
    b.engine.miss();
    b.engine.restore();
    expect(await failureOf(() => b.database.session({}).authenticate(access))).toBe('invalid_auth');
  });

  test('together with all of its user ends the sessions of the other', async () => {
    const { a, b } = nodes;
    await signUp(a, 'ann');
    const ann = await signIn(b, 'ann');
    const bob = await signUp(b, 'bob');
    nodes.environment.advance(1);
    await run(a.owner, 'KILL SESSIONS FOR RECORD user:ann');
    expect(await isOpen(ann)).toBe(false);
    expect(await isOpen(bob)).toBe(true);
  });
});

describe('the other sessions of a user', () => {
  const ACCOUNT = `
    DEFINE FIELD pass ON user TYPE option<string> CREDENTIAL;
    DEFINE FUNCTION fn::others() { KILL OTHER SESSIONS };
    DEFINE FUNCTION fn::end($who: record<user>) { KILL SESSIONS FOR RECORD $who };
    DEFINE ACCESS lasting ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM type::record('user', $name)) WITH REFRESH`;
  const body = objectFrom({ NS: 'test', DB: 'test', AC: 'lasting', name: 'ann' });

  async function lasting({ database }: TwoNodes['a']) {
    const session = database.session({});
    session.listen(() => undefined);
    const tokens = await session.signIn(body);
    return { session, tokens: { access: tokens.access, refresh: tokens.refresh ?? '' } };
  }

  /** Failures are answered after a while. */
  async function failureLater(work: () => Promise<unknown>): Promise<string> {
    let code: string | undefined;
    const known = failureOf(work).then((found) => {
      code = found;
    });
    while (code === undefined) {
      await settled();
      nodes.environment.advance(50);
    }
    await known;
    return code;
  }

  test.each<[string, string]>([
    ['KILL OTHER SESSIONS', 'KILL OTHER SESSIONS'],
    ['a function', 'fn::others()'],
    ['a changed credential', "UPDATE $auth SET pass = 'new'"],
  ])('end on both nodes by %s, this one and its tokens on neither', async (_, text) => {
    const { a, b } = nodes;
    await run(a.owner, ACCOUNT);
    await signUp(a, 'ann');
    await settled();
    const [mine, near, far] = [await lasting(a), await lasting(a), await lasting(b)];
    nodes.environment.advance(1);
    await run(mine.session, text);
    expect([await isOpen(near.session), await isOpen(far.session), await isOpen(mine.session)]).toEqual([
      false,
      false,
      true,
    ]);
    for (const { database } of [a, b]) {
      const guest = () => database.session({});
      for (const { tokens } of [near, far]) {
        expect(await failureOf(() => guest().authenticate(tokens.access))).toBe('invalid_auth');
        expect(await failureLater(() => guest().refresh(tokens))).toBe('invalid_auth');
      }
      expect(await failureOf(() => guest().authenticate(mine.tokens.access))).toBe('none');
    }
    expect(await failureOf(() => b.database.session({}).refresh(mine.tokens))).toBe('none');
  });

  test('stay on both nodes where the transaction is cancelled', async () => {
    const { a, b } = nodes;
    await run(a.owner, ACCOUNT);
    await signUp(a, 'ann');
    await settled();
    const [mine, far] = [await lasting(a), await lasting(b)];
    nodes.environment.advance(1);
    await mine.session.query("BEGIN; fn::others(); fn::end($auth); UPDATE $auth SET pass = 'new'; CANCEL");
    expect([await isOpen(far.session), await isOpen(mine.session)]).toEqual([true, true]);
    expect(await failureOf(() => a.database.session({}).refresh(far.tokens))).toBe('none');
  });

  test('of two who end each other at two nodes at once, one stays', async () => {
    const { a, b } = nodes;
    await run(a.owner, ACCOUNT);
    await signUp(a, 'ann');
    await settled();
    const [one, two] = [await lasting(a), await lasting(b)];
    nodes.environment.advance(1);
    await Promise.allSettled([run(one.session, 'fn::others()'), run(two.session, 'fn::others()')]);
    const open = [await isOpen(one.session), await isOpen(two.session)];
    expect(open.filter(Boolean)).toHaveLength(1);
  });
});

describe('sessions on the other node end', () => {
  test('when the record of their user is deleted', async () => {
    const ann = await signUp(nodes.b, 'ann');
    const bob = await signUp(nodes.b, 'bob');
    await run(nodes.a.owner, 'DELETE user:ann');
    expect(await isOpen(ann)).toBe(false);
    expect(await isOpen(bob)).toBe(true);
  });

  test('when all records of the table are', async () => {
    const ann = await signUp(nodes.b, 'ann');
    await run(nodes.a.owner, 'DELETE user');
    expect(await isOpen(ann)).toBe(false);
  });

  test.each(['TABLE user', 'ACCESS people ON DATABASE', 'DATABASE test'])('when %s is removed', async (what) => {
    const ann = await signUp(nodes.b, 'ann');
    await run(nodes.a.owner, `REMOVE ${what}`);
    expect(await isOpen(ann)).toBe(false);
  });

  test.each([
    ['ROOT', objectFrom({})],
    ['NAMESPACE', objectFrom({ NS: 'test' })],
    ['DATABASE', objectFrom({ NS: 'test', DB: 'test' })],
  ] as const)('when their user is removed from %s', async (level, at) => {
    await run(nodes.a.owner, `DEFINE USER kim ON ${level} PASSWORD 'a long secret' ROLES EDITOR`);
    await run(nodes.a.owner, `DEFINE USER lee ON ${level} PASSWORD 'a long secret' ROLES EDITOR`);
    const [kim, lee] = [await systemUser('kim', at), await systemUser('lee', at)];
    await run(nodes.a.owner, `REMOVE USER kim ON ${level}`);
    expect(await isOpen(kim)).toBe(false);
    expect(await isOpen(lee)).toBe(true);
  });

  test('when the grant is revoked with which their user came in', async () => {
    await run(
      nodes.a.owner,
      'DEFINE USER kim ON DATABASE ROLES EDITOR; DEFINE ACCESS key ON DATABASE TYPE BEARER FOR USER',
    );
    const grants = (await run(
      nodes.a.owner,
      'ACCESS key GRANT FOR USER kim; ACCESS key GRANT FOR USER kim',
    )) as ObjectValue[];
    const sessions: Session[] = [];
    for (const { grant } of grants) {
      const session = nodes.b.database.session({});
      session.listen(() => undefined);
      const { key } = grant as ObjectValue;
      await session.signIn(objectFrom({ NS: 'test', DB: 'test', AC: 'key', key }));
      sessions.push(session);
    }
    await run(nodes.a.owner, `ACCESS key REVOKE GRANT ${grants[0]?.['id'] as string}`);
    expect(await Promise.all(sessions.map(isOpen))).toEqual([false, true]);
  });

  test('when the refresh token that they came in with was stolen, or is revoked', async () => {
    const { a, b } = nodes;
    await run(a.owner, 'DEFINE ACCESS OVERWRITE people ON DATABASE TYPE RECORD SIGNUP (CREATE user) WITH REFRESH');
    await settled();
    const pair = await a.database.session({}).signUp(objectFrom({ NS: 'test', DB: 'test', AC: 'people' }));
    const session = b.database.session({});
    session.listen(() => undefined);
    await session.authenticate(pair.access);
    expect(await isOpen(session)).toBe(true);
    await a.database.session({}).revoke(pair as Required<typeof pair>);
    expect(await isOpen(session)).toBe(false);
    expect(await failureOf(() => b.database.session({}).authenticate(pair.access))).toBe('invalid_auth');
  });

  test('when another user takes the name of the one whose grant they came in with', async () => {
    const { a, b } = nodes;
    const ann = (roles: string) => `DEFINE USER ann ON DATABASE PASSHASH '' ROLES ${roles}`;
    await run(a.owner, `${ann('VIEWER')}; DEFINE ACCESS machine ON DATABASE TYPE BEARER FOR USER`);
    const grant = (await run(a.owner, 'ACCESS machine GRANT FOR USER ann'))[0] as ObjectValue;
    const key = (grant['grant'] as ObjectValue)['key'] as string;
    await settled();
    const target = objectFrom({ NS: 'test', DB: 'test', AC: 'machine', key });
    const session = b.database.session({});
    session.listen(() => undefined);
    const { access } = await session.signIn(target);
    expect(await isOpen(session)).toBe(true);
    await run(a.owner, `BEGIN; REMOVE USER ann ON DATABASE; ${ann('OWNER')}; COMMIT`);
    expect(await isOpen(session)).toBe(false);
    expect(await failureOf(() => b.database.session({}).authenticate(access))).toBe('invalid_auth');
  });

  test('when commits were missed that may have ended them', async () => {
    const ann = await signUp(nodes.b, 'ann');
    nodes.b.engine.hold();
    await run(nodes.a.owner, 'DELETE user:ann');
    nodes.b.engine.miss();
    nodes.b.engine.restore();
    expect(await isOpen(ann)).toBe(false);
  });

  test('by KILL SESSION, with all of the same sign-in on both nodes', async () => {
    const { a, b } = nodes;
    await run(
      a.owner,
      `DEFINE ACCESS lasting ON DATABASE TYPE RECORD
         SIGNUP (CREATE type::record('user', $name)) SIGNIN (SELECT * FROM type::record('user', $name)) WITH REFRESH`,
    );
    await settled();
    const session = (node: typeof a) => {
      const opened = node.database.session({});
      opened.listen(() => undefined);
      return opened;
    };
    const [first, second, third, other] = [session(a), session(b), session(a), session(b)] as const;
    const body = objectFrom({ NS: 'test', DB: 'test', AC: 'lasting', name: 'ann' });
    const { access, refresh = '' } = await first.signUp(body);
    await settled();
    await second.refresh({ access, refresh });
    await third.authenticate(access);
    await other.signIn(body);
    await settled();
    await run(a.owner, `KILL SESSION u'${second.key}'`);
    expect(await Promise.all([first, second, third, other].map(isOpen))).toEqual([false, false, false, true]);
    for (const node of [a, b])
      expect(await failureOf(() => node.database.session({}).authenticate(access))).toBe('invalid_auth');
  });

  test('by KILL SESSION, whose token is worth nothing then', async () => {
    const { a, b } = nodes;
    const ann = b.database.session({});
    ann.listen(() => undefined);
    const { access } = await ann.signUp(objectFrom({ NS: 'test', DB: 'test', AC: 'people', name: 'ann' }));
    await settled();
    await run(a.owner, `KILL SESSION u'${ann.key}'`);
    expect(await isOpen(ann)).toBe(false);
    expect(await failureOf(() => a.database.session({}).authenticate(access))).toBe('invalid_auth');
    expect(await listed(a.owner)).toEqual([]);
  });
});

test('INFO FOR SESSIONS shows when a session of the other node was last used, and its live queries, within a minute', async () => {
  const { a, b, environment } = nodes;
  const ann = await signUp(b, 'ann');
  const use = async () => (await listed(a.owner)).map(({ active, live }) => toText([active ?? null, live ?? null]));
  const [first] = await use();
  expect(first).toMatch(/^\[d'.*', 0\]$/);
  environment.advance(2_000);
  await live(ann, 'LIVE SELECT * FROM user');
  expect(await use()).toEqual([first]);
  await refreshed();
  const [second] = await use();
  expect(second).toBe(
    first?.replace(/:(\d\d)Z.*/, (_, seconds) => `:${String(Number(seconds) + 2).padStart(2, '0')}Z', 1]`),
  );
});

test('a session that is not used is not written again', async () => {
  const { a, b } = nodes;
  await signUp(b, 'ann');
  await settled();
  const written: string[] = [];
  await a.engine.shared.follow({
    onCommits: (commits) => {
      for (const { keys } of commits) written.push(...keys.filter((key) => key.startsWith(PRESENCE_RANGE.from)));
    },
    onGap: () => undefined,
  });
  await refreshed();
  expect(written).toEqual([]);
});

test('KILL SESSION finds nothing on the other node that its user may not end', async () => {
  const { a, b } = nodes;
  const ann = await signUp(a, 'ann');
  const bob = await signUp(b, 'bob');
  await settled();
  expect(await failureOf(() => run(ann, `KILL SESSION u'${bob.key}'`))).toBe('session_missing');
  expect(await isOpen(bob)).toBe(true);
});

describe('INFO FOR SESSIONS', () => {
  test('shows the sessions of all nodes, to each user theirs', async () => {
    const { a, b } = nodes;
    const here = await signUp(a, 'ann');
    const there = await signIn(b, 'ann');
    const bob = await signUp(b, 'bob');
    const all = await listed(a.owner);
    expect(all.map(({ id }) => String((id as { text: string }).text)).sort()).toEqual(
      [here.key, there.key, bob.key].sort(),
    );
    expect(new Set(all.map(({ node }) => node))).toEqual(new Set([a.engine.shared.node, b.engine.shared.node]));
    expect(await listed(here)).toHaveLength(2);
    expect(await listed(bob)).toHaveLength(1);
  });

  test('shows no session that has ended, nor those of a node that was closed', async () => {
    const { a, b } = nodes;
    const ann = await signUp(b, 'ann');
    await signUp(b, 'bob');
    expect(await listed(a.owner)).toHaveLength(2);
    ann.close();
    expect(await listed(a.owner)).toHaveLength(1);
    await b.database.close();
    expect(await listed(a.owner)).toEqual([]);
  });
});

test('the sessions of a node that was declared gone are listed again', async () => {
  const { a, b } = nodes;
  await signUp(b, 'ann');
  expect(await listed(a.owner)).toHaveLength(1);
  await withRetries(a.engine, (transaction) => forgetNode(transaction, b.engine.shared.node));
  expect(await listed(a.owner)).toHaveLength(1);
  await b.database.close();
  expect(await listed(a.owner)).toEqual([]);
});

test('what a node has left that has crashed is swept', async () => {
  const { a, b } = nodes;
  await run(a.owner, 'DEFINE TABLE a');
  await signUp(b, 'ann');
  b.owner.listen(() => undefined);
  await live(b.owner, 'LIVE SELECT * FROM a');
  expect(await listed(a.owner)).toHaveLength(2);
  b.engine.cut();
  await withRetries(a.engine, (transaction) => forgetNode(transaction, b.engine.shared.node));
  expect(await listed(a.owner)).toEqual([]);
  expect(toText((await run(a.owner, 'INFO FOR TABLE a'))[0])).toContain('lives: {  }');
});

test('a record user has no more sessions than allowed on all nodes together: the oldest ends', async () => {
  const { a, b, environment } = nodes;
  const sessions = [await signUp(a, 'ann')];
  for (const node of [b, a, b, b]) {
    environment.advance(10);
    await settled();
    sessions.push(await signIn(node, 'ann'));
  }
  await settled();
  expect(await Promise.all(sessions.map(isOpen))).toEqual([false, false, true, true, true]);
  expect(await listed(a.owner)).toHaveLength(3);
});

test('VERSION is answered only behind the last commit of any node', async () => {
  const { a, b, environment } = nodes;
  await run(a.owner, 'CREATE a:1');
  environment.advance(1_000);
  const [time] = await run(a.owner, 'RETURN time::now()');
  const query = `SELECT VALUE id FROM a VERSION ${toText(time)}`;
  expect(await failureOf(() => run(a.owner, query))).toBe('none');
  environment.advance(1_000);
  await run(b.owner, 'CREATE a:2');
  expect(await failureOf(() => run(a.owner, query))).toBe('versions_not_kept');
});
