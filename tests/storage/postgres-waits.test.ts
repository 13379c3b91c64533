import { afterAll, beforeAll, describe } from 'vitest';
import { readPostgresAddress } from '../../src/storage/postgres/address.js';
import { PostgresStore } from '../../src/storage/postgres/store.js';
import { RemoteEngine } from '../../src/storage/remote/remote-engine.js';
import { CountingStore } from '../support/counting-store.js';
import { PostgresServer, postgresPrograms } from '../support/postgres-server.js';
import { waitBudgets } from '../support/wait-budgets.js';

describe.skipIf(postgresPrograms() === undefined)('PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server.remove());

  waitBudgets('counted on its connections', async (environment) => {
    const store = await PostgresStore.open({
      ...readPostgresAddress(server.address('waits')),
      node: 1n,
      timers: environment.timers,
      describeKey: () => 'An entry',
    });
    const counting = new CountingStore(store);
    return { engine: new RemoteEngine(counting, environment), waits: () => counting.waits };
  });
});
