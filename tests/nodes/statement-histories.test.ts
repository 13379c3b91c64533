/**
 * Random transactions of many clients over two and three servers on one store in PostgreSQL, in one database and in
 * several, are strictly serializable. For a long run
 * `TESTS=all HISTORY_TRANSACTIONS=50000 HISTORY_DATABASES=… HISTORY_SEED=… npx vitest run tests/nodes/statement-histories`.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anomaliesOf } from '../support/history-checker.js';
import { PostgresServer, postgresPrograms } from '../support/postgres-server.js';
import { isInTurn } from '../support/runs-all.js';
import { cleanUp, ROOT, startServer } from '../support/server-process.js';
import { HistoryClients } from '../support/statement-histories.js';

const TRANSACTIONS = Number(process.env['HISTORY_TRANSACTIONS'] ?? 500);
const SEED = Number(process.env['HISTORY_SEED'] ?? Math.floor(Number(process.hrtime.bigint() % 100_000n)));
const DATABASES = Number(process.env['HISTORY_DATABASES'] ?? 6);
const DEADLINE = 120_000 + TRANSACTIONS * 200;

// Without PostgreSQL there is no store that several servers share; `.ci/run` installs it. In turns with other long tests.
describe.skipIf(postgresPrograms() === undefined || !isInTurn(3))('On one store in PostgreSQL', () => {
  let postgres: PostgresServer;
  beforeAll(async () => {
    postgres = await PostgresServer.start();
  });
  afterAll(async () => {
    await cleanUp();
    await postgres?.remove();
  });

  test.each([
    [2, 'one database', 1, 8],
    [3, 'one database', 1, 8],
    // So many clients that a server has commits of several databases at once.
    [3, 'several databases', DATABASES, 24],
  ] as const)(
    'transactions over %i servers in %s are strictly serializable',
    async (count, _, size, clientCount) => {
      const address = postgres.address(`histories_${count}_${size}`);
      const databases = Array.from({ length: size }, (_, number) => `db${number}`);
      const nodes = [];
      for (let number = 0; number < count; number++)
        nodes.push({ name: `node ${number}`, url: (await startServer(address)).url });
      const clients = new HistoryClients(nodes, { seed: SEED, clients: clientCount, databases, root: ROOT });
      await clients.prepare();
      await clients.run(() => clients.history.length >= TRANSACTIONS);
      await clients.readAll(nodes[0]!);
      const seen = `seed ${SEED}, ${clients.history.length} transactions, acknowledged ${text(clients.acknowledged)}, failed ${text(clients.failures)}`;
      console.log(seen);
      expect(anomaliesOf(clients.history), seen).toEqual([]);
      for (const { name } of nodes)
        expect(clients.acknowledged.get(name), seen).toBeGreaterThan(TRANSACTIONS / count / 2);
    },
    DEADLINE,
  );
});

function text(counts: ReadonlyMap<string, number>): string {
  return JSON.stringify(Object.fromEntries(counts));
}
