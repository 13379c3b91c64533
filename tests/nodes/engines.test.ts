/** The same on the engine of stores over a network: with a simulated store, and on PostgreSQL. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openFileSink } from '../../src/audit/file-sink.js';
import type { Session } from '../../src/session/contract.js';
import { toText } from '../../src/value/text/text.js';
import { objectFrom, type Value } from '../../src/value/value.js';
import { PostgresServer, postgresPrograms } from '../support/postgres-server.js';
import { postgresNodes, type SharedNodes, simulatedNodes } from '../support/shared-nodes.js';
import { atLeast } from '../support/timeouts.js';
import { type OpenNode, openNodes, until } from './shared-engines.js';
import { failureOf, live, PEOPLE, run } from './two-nodes.js';

describe('on a simulated store', () => sharedState(() => simulatedNodes()));

// The machine has no PostgreSQL: `.ci/run` installs it.
describe.skipIf(postgresPrograms() === undefined)('on PostgreSQL', () => {
  let server: PostgresServer;
  let schemas = 0;

  beforeAll(async () => {
    server = await PostgresServer.start();
  });

  afterAll(() => server.stop());

  sharedState(() => postgresNodes(server, `nodes_${++schemas}`));
});

function sharedState(open: () => Promise<SharedNodes>): void {
  let a: OpenNode;
  let b: OpenNode;

  async function openBoth(): Promise<void> {
    [a, b] = (await openNodes(await open())) as [OpenNode, OpenNode];
    const owner = await a.owner();
    await run(owner, `DEFINE TABLE a; ${PEOPLE}`);
    owner.close();
  }

  afterEach(async () => {
    await a.database.close();
    await b.database.close();
  });

  /** Whether a session is still signed in. */
  async function hasEnded(session: Session): Promise<boolean> {
    return (await failureOf(() => run(session, 'RETURN 1'))) === 'session_expired';
  }

  test('commits of both nodes at once come once and in the order of their versionstamps', {
    timeout: atLeast(60_000),
  }, async () => {
    await openBoth();
    const owner = await a.owner();
    await run(owner, 'DEFINE TABLE f CHANGEFEED 1h INCLUDE ORIGINAL');
    const heard: { value: Value; stamp: bigint }[][] = [[], []];
    for (const [at, node] of [a, b].entries()) {
      const session = await node.owner();
      session.listen(({ result, versionstamp = 0n }) => void heard[at]?.push({ value: result, stamp: versionstamp }));
      await live(session, 'LIVE SELECT VALUE n FROM f SINCE NONE');
    }
    const writers = [a, b, a, b].map(async (node, writer) => {
      const session = await node.owner();
      for (let n = 0; n < 15; n++) await run(session, `CREATE f SET n = ${writer * 100 + n}`);
    });
    await Promise.all(writers);
    await until(() => heard.every((each) => each.length >= 60));
    const [onA, onB] = heard;
    expect(onA).toEqual(onB);
    expect(new Set(onA?.map(({ value }) => toText(value))).size).toBe(60);
    const stamps = onA?.map(({ stamp }) => stamp) ?? [];
    expect(stamps).toEqual([...stamps].sort((x, y) => (x < y ? -1 : 1)));
    expect(new Set(stamps).size).toBe(60);
  });

  test('writers that a new live query overtakes lose no change', { timeout: atLeast(60_000) }, async () => {
    await openBoth();
    const writer = await b.owner();
    const watcher = await a.owner();
    const heard: string[] = [];
    watcher.listen(({ result }) => void heard.push(toText(result)));
    let after = 0;
    const writing = (async () => {
      for (let n = 0; n < 40; n++) {
        await run(writer, `CREATE a:${n} SET n = ${n}`);
        after = n;
      }
    })();
    await until(() => after > 5);
    await live(watcher, 'LIVE SELECT VALUE n FROM a');
    const least = after + 2;
    await writing;
    await until(() => heard.at(-1) === '39');
    const first = Number(heard[0]);
    expect(first).toBeLessThanOrEqual(least);
    expect(heard).toEqual(Array.from({ length: 40 - first }, (_, at) => String(first + at)));
  });

  test('revocations, ends of users and KILL reach the other node', { timeout: atLeast(60_000) }, async () => {
    await openBoth();
    const signUp = async (node: OpenNode, name: string) => {
      const session = node.database.session({});
      session.listen(() => undefined);
      const body = objectFrom({ NS: 'test', DB: 'test', AC: 'people', name });
      return { session, ...(await session.signUp(body)) };
    };
    const there = await signUp(b, 'ann');
    const { access, session } = await signUp(a, 'bob');
    await b.database.session({}).authenticate(access);
    await session.signOut();
    await until(async () => (await failureOf(() => b.database.session({}).authenticate(access))) === 'invalid_auth');

    const owner = await a.owner();
    const listed = async () => ((await run(owner, 'INFO FOR SESSIONS'))[0] as Value[]).length;
    await until(async () => (await listed()) === 1);
    const other = await signUp(b, 'cy');
    await until(async () => (await listed()) === 2);
    await run(owner, `KILL SESSION u'${other.session.key}'`);
    await until(() => hasEnded(other.session));
    await run(owner, 'DELETE user:ann');
    await until(() => hasEnded(there.session));
    await until(async () => (await listed()) === 0);

    const heard: string[] = [];
    const watcher = await b.owner();
    watcher.listen(({ action }) => void heard.push(action));
    const id = await live(watcher, 'LIVE SELECT * FROM a');
    await run(owner, `KILL ${toText(id)}`);
    await until(() => heard.length > 0);
    expect(heard).toEqual(['KILLED']);

    const [result] = await run(watcher, 'LIVE QUERY SELECT * FROM a');
    const kill = `KILL ${toText((result as { readonly id: Value }).id)}`;
    // Only where it is, and only by those who may edit that database.
    await owner.use('test', 'others');
    await run(owner, kill);
    await run(watcher, 'CREATE a:9');
    await until(() => heard.length > 1);
    await expect(run(other.session, kill)).rejects.toThrow();
    expect(heard).toEqual(['KILLED', 'CREATE']);
    await owner.use('test', 'test');
    await run(owner, kill);
    await until(() => heard.length > 2);
    expect(heard).toEqual(['KILLED', 'CREATE', 'KILLED']);
    await expect(run(owner, "KILL u'ffffffff-ffff-8000-8000-000000000000'")).rejects.toThrow();
  });

  test('failed sign-ins are counted on both, and each answer says at which node they were', {
    timeout: atLeast(60_000),
  }, async () => {
    await openBoth();
    const guess = async (node: OpenNode) =>
      failureOf(() => node.database.session({ ip: '192.0.2.7' }).signIn(objectFrom({ user: 'ann', pass: 'a guess' })));
    expect(await guess(a)).toBe('invalid_auth');
    const [onA, onB] = [await a.owner(), await b.owner()];
    const listed = async (session: Session) =>
      toText(
        (
          await run(session, "SELECT user, failures, node, nodes FROM (INFO FOR SIGNIN ATTEMPTS) WHERE of = 'account'")
        )[0],
      );
    const [idA, idB] = [await currentNode(onA), await currentNode(onB)];
    expect(await listed(onA)).toBe(`[{ failures: 1, node: '${idA}', nodes: ['${idA}'], user: 'ann' }]`);
    await until(async () => (await listed(onB)) !== '[]');
    expect(await listed(onB)).toBe(`[{ failures: 1, node: '${idB}', nodes: ['${idA}'], user: NONE }]`);
    expect(await guess(b)).toBe('invalid_auth');
    await until(async () => (await listed(onA)).includes('failures: 2'));
    expect(await listed(onA)).toBe(`[{ failures: 2, node: '${idA}', nodes: ['${idA}', '${idB}'], user: 'ann' }]`);
  });

  test('each answers with its own audit log, whose records name it, and lists the sessions of both', {
    timeout: atLeast(60_000),
  }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tessera-audit-'));
    try {
      const { nodes } = await open();
      const opened: OpenNode[] = [];
      for (const [at, engine] of nodes.entries()) {
        const audit = { sink: await openFileSink(join(folder, String(at))) };
        opened.push(...(await openNodes({ nodes: [engine] }, { audit })));
      }
      [a, b] = opened as [OpenNode, OpenNode];
      const [onA, onB] = [await a.owner(), await b.owner()];
      const [idA, idB] = [await currentNode(onA), await currentNode(onB)];
      await run(onA, PEOPLE);
      await run(onB, 'DEFINE TABLE defined_on_b');
      const tables = "SELECT node, what.name FROM (INFO FOR AUDIT WHERE action = 'define' AND what.kind = 'table')";
      expect(toText((await run(onA, tables))[0])).toBe(`[{ node: '${idA}', what: { name: 'user' } }]`);
      expect(toText((await run(onB, tables))[0])).toBe(`[{ node: '${idB}', what: { name: 'defined_on_b' } }]`);
      for (const [session, id] of [
        [onA, idA],
        [onB, idB],
      ] as const)
        expect(await run(session, 'INFO FOR AUDIT VERIFY')).toMatchObject([{ node: id, valid: true }]);

      for (const [node, name] of [
        [a, 'ann'],
        [b, 'bob'],
      ] as const) {
        const session = node.database.session({});
        session.listen(() => undefined);
        await session.signUp(objectFrom({ NS: 'test', DB: 'test', AC: 'people', name }));
      }
      const sessions = 'SELECT node, user FROM (INFO FOR SESSIONS) ORDER BY user';
      const both = `[{ node: '${idA}', user: user:ann }, { node: '${idB}', user: user:bob }]`;
      for (const session of [onA, onB]) await until(async () => toText((await run(session, sessions))[0]) === both);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  /** The id of the node that a session is on. */
  async function currentNode(session: Session): Promise<string> {
    const [id] = await run(session, '(INFO FOR NODES)[WHERE current].id');
    return String((id as Value[])[0]);
  }

  test('numbers of a sequence are assigned once', { timeout: atLeast(60_000) }, async () => {
    await openBoth();
    const owner = await a.owner();
    await run(owner, 'DEFINE SEQUENCE s BATCH 3');
    const numbers = await Promise.all(
      [a, b].map(async (node) => {
        const session = await node.owner();
        const taken: Value[] = [];
        for (let n = 0; n < 20; n++) taken.push(...(await run(session, "RETURN sequence::nextval('s')")));
        return taken;
      }),
    );
    expect(new Set(numbers.flat().map((each) => toText(each))).size).toBe(40);
  });

  test('a definition on one node holds for the next statement of the other', { timeout: atLeast(60_000) }, async () => {
    await openBoth();
    const [onA, onB] = [await a.owner(), await b.owner()];
    // Parsed, planned and prepared on both.
    for (const session of [onA, onB]) await run(session, 'CREATE a SET n = 1; SELECT * FROM a WHERE n = 2');
    await run(onA, 'DEFINE FIELD n ON a ASSERT $value < 10');
    expect(await failureOf(() => run(onB, 'CREATE a SET n = 11'))).not.toBe('none');
    await run(onB, 'DEFINE INDEX n ON a FIELDS n UNIQUE').catch(() => undefined);
    await run(onB, 'REMOVE FIELD n ON a');
    expect(await failureOf(() => run(onA, 'CREATE a SET n = 12'))).toBe('none');
    expect(await run(onB, 'SELECT VALUE n FROM a WHERE n = 12')).toEqual([[12]]);
  });

  test('the limit of time that ALTER SYSTEM sets holds on all nodes', { timeout: atLeast(60_000) }, async () => {
    await openBoth();
    const [onA, onB] = [await a.owner(), await b.owner()];
    // It holds for the statement that drops it, too.
    await run(onA, 'ALTER SYSTEM QUERY_TIMEOUT 300ms');
    await until(async () => (await failureOf(() => run(onB, 'SLEEP 600ms'))) === 'timed_out');
    await run(onB, 'ALTER SYSTEM DROP QUERY_TIMEOUT');
    await until(async () => (await failureOf(() => run(onA, 'SLEEP 600ms'))) === 'none');
  });
}
