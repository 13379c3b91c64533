/** Background work of two servers on one PostgreSQL store, with its own clock and network. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OpenDatabase, openDatabase } from '../../src/session/database/database.js';
import { PostgresServer, postgresPrograms } from '../support/postgres-server.js';
import { postgresNodes } from '../support/shared-nodes.js';
import { atLeast } from '../support/timeouts.js';
import { answer } from '../support/world.js';

// .ci/run installs PostgreSQL where it is missing.
describe.skipIf(postgresPrograms() === undefined)('On PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server.remove());

  test('one server runs the events of both, and the other goes on when it is closed', {
    timeout: atLeast(60_000),
  }, async () => {
    const nodes = await postgresNodes(server, 'work');
    const reported: string[] = [];
    const open = async (at: number): Promise<OpenDatabase> =>
      openDatabase(nodes.nodes[at]!, { report: ({ message }) => reported.push(message) });
    const [one, two] = [await open(0), await open(1)];
    const owner = two.ownerSession();
    await owner.use('test', 'test');
    const ask = (text: string) => answer(owner, text);
    await ask('DEFINE TABLE t; DEFINE TABLE log; DEFINE EVENT e ON t ASYNC THEN { CREATE log SET n = $after.n }');
    const worker = '(SELECT VALUE current FROM (INFO FOR NODES) WHERE work CONTAINS "events")';
    await expect.poll(() => ask(worker), { timeout: 10_000 }).toBe('[false]');
    await ask('FOR $n IN 0..20 { CREATE t SET n = $n }');
    const count = 'array::len(SELECT * FROM log)';
    await expect.poll(() => ask(count), { timeout: 20_000 }).toBe('20');
    await ask('DEFINE INDEX i ON log FIELDS n CONCURRENTLY');
    await expect.poll(() => ask('(INFO FOR INDEX i ON log).building.status'), { timeout: 20_000 }).toBe("'ready'");
    await one.close();
    await expect.poll(() => ask(worker), { timeout: 20_000 }).toBe('[true]');
    expect(await ask('array::len(INFO FOR NODES)')).toBe('1');
    await ask('CREATE t SET n = 20');
    await expect.poll(() => ask(count), { timeout: 20_000 }).toBe('21');
    await two.close();
    expect(reported).toEqual([]);
  });
});
