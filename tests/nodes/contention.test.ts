/** Writers of several nodes that change the same records: each gets through in time, and nothing is lost. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { withRetries } from '../../src/storage/retry.js';
import { PostgresServer, postgresPrograms } from '../support/postgres-server.js';
import { postgresNodes, type SharedNodes } from '../support/shared-nodes.js';

const COUNTER = 'D\0\0\0\x01counter';
const WRITERS = 8;
const ROUNDS = 8;

// Without PostgreSQL nothing contends as it does there: .ci/run installs it.
describe.skipIf(postgresPrograms() === undefined)('On PostgreSQL', () => {
  let server: PostgresServer;
  let nodes: SharedNodes;
  let schemas = 0;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  beforeEach(async () => {
    nodes = await postgresNodes(server, `contention_${schemas++}`);
    // As databases do, by which they know of the reservations of other nodes.
    for (const { shared } of nodes.nodes) await shared.follow({ onCommits: () => undefined, onGap: () => undefined });
  });
  afterEach(() => nodes.close());
  afterAll(() => server.remove());

  test('eight writers of each of two nodes all get through with one counter', async () => {
    const writers = nodes.nodes.flatMap((engine) => Array.from({ length: WRITERS }, () => engine));
    const outcomes: string[] = [];
    await Promise.all(
      writers.map(async (engine) => {
        for (let round = 0; round < ROUNDS; round++) {
          try {
            await withRetries(engine, async (transaction) => {
              const count = Number((await transaction.get(COUNTER)) ?? 0);
              transaction.put(COUNTER, count + 1);
            });
          } catch (error) {
            outcomes.push((error as { code: string }).code);
          }
        }
      }),
    );
    expect(outcomes).toEqual([]);
    const reader = nodes.nodes[0]!.begin({ writable: false });
    expect(await reader.get(COUNTER)).toBe(writers.length * ROUNDS);
    reader.cancel();
  });
});
