/** PostgreSQL for the servers that the tests of a suite start. */
import { afterAll, beforeAll } from 'vitest';
import { PostgresServer } from './postgres-server.js';
import { cleanUp } from './server-process.js';

/**
 * Has PostgreSQL run during a suite, and ends the servers that its tests have started. What it acknowledges survives its
 * own end. `deadline` in milliseconds.
 */
export function postgresOfSuite(deadline: number): () => PostgresServer {
  let postgres: PostgresServer | undefined;
  beforeAll(async () => {
    postgres = await PostgresServer.start({ settings: { synchronous_commit: 'on' } });
  }, deadline);
  afterAll(async () => {
    await cleanUp();
    await postgres?.remove();
  });
  return () => postgres as PostgresServer;
}
