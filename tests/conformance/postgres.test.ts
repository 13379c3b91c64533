import { afterAll, beforeAll, describe } from 'vitest';
import { realEnvironment } from '../../src/env/real.js';
import { PostgresStore } from '../../src/storage/postgres/store.js';
import { RemoteEngine } from '../../src/storage/remote/remote-engine.js';
import { StubbedEnvironment } from '../support/environment.js';
import { PostgresServer, postgresPrograms } from '../support/postgres-server.js';
import { postgresNodes } from '../support/shared-nodes.js';
import { followingConformance } from './following.js';
import { storageConformance } from './storage.js';

describe.skipIf(postgresPrograms() === undefined)('with a PostgreSQL server', () => {
  let server: PostgresServer;
  let schemas = 0;
  let nodes = 0n;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server.remove());

  followingConformance('postgres', () => postgresNodes(server, `nodes_${schemas++}`));

  storageConformance('postgres', async (timers) => {
    const schema = `store_${schemas++}`;
    const { clock } = new StubbedEnvironment();
    const open = async () => {
      const store = await PostgresStore.open({
        host: '127.0.0.1',
        port: server.port,
        database: 'postgres',
        user: 'postgres',
        password: undefined,
        tls: undefined,
        connectTimeout: 5_000,
        commitTimeout: 60_000,
        timers: realEnvironment.timers,
        readTimeout: 60_000,
        logRetention: 60_000,
        applicationName: 'tessera',
        schema,
        connections: 16,
        node: ++nodes,
        describeKey: (key) => `the key of ${key.length} bytes`,
      });
      return new RemoteEngine(store, { clock, timers });
    };
    let engine = await open();
    return {
      engine,
      snapshotAtFirstRead: true,
      // Commits are made one group after the other, so that those before it have ended when one more has; connections may have to be opened.
      settle: async (rounds = 8) => {
        for (let round = 0; round < rounds; round++) {
          const transaction = await engine.begin({ writable: true });
          transaction.put('settled', round);
          await transaction.commit();
        }
      },
      reopen: async () => {
        await engine.close();
        engine = await open();
        return engine;
      },
      dispose: () => engine.close(),
    };
  });
});
