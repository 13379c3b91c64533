/**
 * The server of a suite that must hold on any store: over memory, or over PostgreSQL where the commit draws that.
 * `TESTS_STORE=postgres` has all such suites on PostgreSQL: `TESTS_STORE=postgres npx vitest run tests/protocol`.
 */
import type { RunningServer } from '../../src/server/server.js';
import { PostgresServer, postgresPrograms } from './postgres-server.js';
import { drawn } from './runs-all.js';
import { startTestServer } from './server.js';

/** Whether PostgreSQL is asked for by hand. */
const WANTS_POSTGRES = process.env['TESTS_STORE'] === 'postgres';
/** One suite in so many is on PostgreSQL. */
const SHARE = 6;

export async function startDrawnServer(
  suite: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<RunningServer> {
  const isDrawn = drawn(suite) % SHARE === 0 && postgresPrograms() !== undefined;
  if (!WANTS_POSTGRES && !isDrawn) return startTestServer(environment);
  const postgres = await PostgresServer.start();
  const server = await startTestServer({ ...environment, SVC_PATH: postgres.address('suite') });
  const close = async () => {
    await server.close();
    await postgres.remove();
  };
  return { ...server, close };
}
