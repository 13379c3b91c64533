/**
 * Limits of sign-ups and endpoints where three servers use one store: together they admit what one would (attacks A52
 * and A56 of the list for identities), on a simulated store and on PostgreSQL.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { LIMITS_RANGE } from '../../../src/catalog/keys/node-keys.js';
import { rateOf } from '../../../src/catalog/limits/request-rates.js';
import type { Session } from '../../../src/session/contract.js';
import type { Entry } from '../../../src/storage/contract.js';
import { objectFrom, type Value } from '../../../src/value/value.js';
import { type OpenNode, openNodes } from '../../nodes/shared-engines.js';
import { run } from '../../nodes/two-nodes.js';
import { PostgresServer, postgresPrograms } from '../../support/postgres-server.js';
import { postgresNodes, type SharedNodes, simulatedNodes } from '../../support/shared-nodes.js';

const HOUR = 3_600_000_000_000n;
const NODES = 3;
const OPTIONS = {
  guests: true,
  authentication: { failureDelay: { minimum: 0, step: 1 } },
  rates: {
    signUps: rateOf(12, HOUR),
    signUpsInDatabase: rateOf(40, HOUR),
    // Large enough that a node takes several at once.
    guestCalls: rateOf(64, HOUR),
    guestCallsOfEndpoint: rateOf(100, HOUR),
  },
};

describe('on a simulated store', () => limitsOf(() => simulatedNodes({ count: NODES })));

// The machine has no PostgreSQL: `.ci/run` installs it.
describe.skipIf(postgresPrograms() === undefined)('on PostgreSQL', () => {
  let server: PostgresServer;
  let schemas = 0;

  beforeAll(async () => {
    server = await PostgresServer.start();
  });

  afterAll(() => server.stop());

  limitsOf(() => postgresNodes(server, `limits_${++schemas}`, { count: NODES }));
});

function limitsOf(open: () => Promise<SharedNodes>): void {
  let shared: SharedNodes;
  let nodes: OpenNode[];

  beforeEach(async () => {
    shared = await open();
    nodes = await openNodes(shared, OPTIONS);
    const owner = await (nodes[0] as OpenNode).owner();
    await run(
      owner,
      `DEFINE TABLE user; DEFINE TABLE asked;
       DEFINE ACCESS people ON DATABASE TYPE RECORD SIGNUP (CREATE user);
       DEFINE API '/ask' FOR get THEN { CREATE asked; { body: 1 } };
       DEFINE API '/limited' FOR get MIDDLEWARE api::limit(5, 1h, 'database') THEN { { body: 1 } }`,
    );
    owner.close();
  });

  afterEach(async () => {
    for (const { database } of nodes) await database.close();
  });

  /** What it answered, or the code of its error. */
  async function with_(node: number, ip: string, work: (session: Session) => Promise<Value>): Promise<Value> {
    const session = (nodes[node % NODES] as OpenNode).database.session({ ip });
    try {
      return await work(session);
    } catch (error) {
      return (error as { readonly code: string }).code;
    } finally {
      session.close();
    }
  }

  const signUp = (node: number, ip: string) =>
    with_(node, ip, async (session) => {
      await session.signUp(objectFrom({ NS: 'test', DB: 'test', AC: 'people' }));
      return 'in';
    });
  const ask = (node: number, ip: string, path = '/ask') =>
    with_(node, ip, async (session) => {
      await session.use('test', 'test');
      return (await run(session, `RETURN api::invoke('${path}').status`))[0];
    });

  const all = (count: number, work: (at: number) => Promise<Value>) =>
    Promise.all(Array.from({ length: count }, (_, at) => work(at)));
  const times = (answers: readonly Value[], answer: Value) => answers.filter((each) => each === answer).length;

  async function counted(table: string): Promise<Value> {
    const owner = await (nodes[0] as OpenNode).owner();
    const [count] = await run(owner, `RETURN count((SELECT * FROM ${table}))`);
    owner.close();
    return count;
  }

  async function rows(): Promise<readonly Entry[]> {
    const transaction = await (shared.nodes[0] as SharedNodes['nodes'][number]).begin({ writable: false });
    const cursor = transaction.scan(LIMITS_RANGE);
    const found: Entry[] = [];
    for (let batch = await cursor.next(); batch !== undefined; batch = await cursor.next()) found.push(...batch);
    cursor.close();
    transaction.cancel();
    return found;
  }

  test('sign-ups from one address, at all of them at once and one after the other', async () => {
    const answers = await all(60, (at) => signUp(at, '192.0.2.1'));
    expect([times(answers, 'in'), times(answers, 'rate_limited')]).toEqual([12, 48]);
    for (let node = 0; node < NODES; node++) expect(await signUp(node, '192.0.2.1')).toBe('rate_limited');
    expect(await signUp(1, '192.0.2.2')).toBe('in');
    expect(await counted('user')).toBe(13);
  });

  test('sign-ups from one network of IPv6, by another address at each', async () => {
    const answers = await all(60, (at) => signUp(at, `2001:db8::${at.toString(16)}`));
    expect(times(answers, 'in')).toBe(12);
  });

  test('sign-ups from many addresses: the database’s limit holds, and what is refused leaves nothing', async () => {
    const answers = await all(240, (at) => signUp(at, `2001:db8:0:${at.toString(16)}::1`));
    expect([times(answers, 'in'), times(answers, 'rate_limited')]).toEqual([40, 200]);
    expect(await counted('user')).toBe(40);
    // One for each address that was let in, and the database's.
    expect(await rows()).toHaveLength(41);
  });

  test('guests’ calls, of which a node takes several at once', async () => {
    const answers = await all(240, (at) => ask(at, '192.0.2.1'));
    expect([times(answers, 200), times(answers, 429)]).toEqual([64, 176]);
    expect(await counted('asked')).toBe(64);
  });

  test('calls that api::limit counts', async () => {
    const answers = await all(30, (at) => ask(at, `192.0.2.${at}`, '/limited'));
    expect(times(answers, 200)).toBe(5);
  });
}
