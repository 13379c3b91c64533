/**
 * The oracle of PERMISSIONS, over a store in PostgreSQL: one schema, and in turns with other long tests; twenty with all
 * tests, `PERMISSION_RUNS` by hand. Left out where PostgreSQL isn't installed.
 */
import { afterAll, describe } from 'vitest';
import { openEngine } from '../../src/storage/open/open.js';
import { PostgresServer, postgresPrograms } from '../support/postgres-server.js';
import { isInTurn, RUNS_ALL } from '../support/runs-all.js';
import { permissionOracle } from './permissions/oracle.js';
import { GIVEN_RUNS, SEED } from './permissions/seed.js';

describe.skipIf(postgresPrograms() === undefined || !isInTurn(6))('permissions on PostgreSQL', () => {
  let postgres: PostgresServer;
  const open = async () => {
    postgres = await PostgresServer.start();
    return openEngine(postgres.address('permissions'));
  };
  const runs = Number(GIVEN_RUNS ?? (RUNS_ALL ? 20 : 1));
  permissionOracle({ runs, seed: SEED, patience: 120_000, open });
  afterAll(() => postgres?.remove());
});
