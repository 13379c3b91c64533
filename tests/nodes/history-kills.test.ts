/**
 * Random transactions over three servers and several databases are strictly serializable through kills of servers and
 * of PostgreSQL, and cuts of connections at random moments. For a long run
 * `TESTS=all HISTORY_TRANSACTIONS=50000 HISTORY_DATABASES=… HISTORY_SEED=… npx vitest run tests/nodes/history-kills`.
 */
import { describe, expect, test } from 'vitest';
import { anomaliesOf } from '../support/history-checker.js';
import { seeded } from '../support/late-engine.js';
import { postgresOfSuite } from '../support/postgres-of-suite.js';
import { postgresPrograms } from '../support/postgres-server.js';
import { isInTurn } from '../support/runs-all.js';
import { ROOT } from '../support/server-process.js';
import { HistoryClients } from '../support/statement-histories.js';
import { TroubledServers } from '../support/troubled-servers.js';

const TRANSACTIONS = Number(process.env['HISTORY_TRANSACTIONS'] ?? 500);
const SEED = Number(process.env['HISTORY_SEED'] ?? Math.floor(Number(process.hrtime.bigint() % 100_000n)));
const DATABASES = Number(process.env['HISTORY_DATABASES'] ?? 6);
const DEADLINE = 180_000 + TRANSACTIONS * 200;
/** Milliseconds between one trouble and the next, at the most. */
const PAUSE = 2_000;

// Without PostgreSQL there is no store that several servers share; `.ci/run` installs it. In turns with other long tests.
describe.skipIf(postgresPrograms() === undefined || !isInTurn(6))('On one store in PostgreSQL', () => {
  const postgres = postgresOfSuite(DEADLINE);

  test(
    'transactions over three servers and several databases are strictly serializable through kills and cuts',
    async () => {
      const random = seeded(SEED);
      const servers = await TroubledServers.start(postgres(), 'history_kills');
      const databases = Array.from({ length: DATABASES }, (_, number) => `db${number}`);
      const clients = new HistoryClients(servers.nodes, { seed: SEED, clients: 24, databases, root: ROOT });
      await clients.prepare();
      const acknowledged = () => [...clients.acknowledged.values()].reduce((sum, count) => sum + count, 0);
      let isOver = false;
      const running = clients.run(() => isOver);
      await servers.troubleUntil(() => acknowledged() >= TRANSACTIONS, { random, pause: PAUSE });
      isOver = true;
      await running;
      await clients.readAll(servers.nodes[1]!);
      const { history, failures } = clients;
      const unknown = history.filter(({ outcome }) => outcome === 'unknown').length;
      const [troubles, failed] = [servers.troubles, failures].map((counts) => JSON.stringify([...counts]));
      const seen = `seed ${SEED}, ${history.length} transactions, ${acknowledged()} acknowledged, ${unknown} of unknown outcome, troubles ${troubles}, failed ${failed}`;
      console.log(seen);
      expect(anomaliesOf(history), seen).toEqual([]);
      await servers.stop();
    },
    DEADLINE,
  );
});
