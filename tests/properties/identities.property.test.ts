/**
 * Identities against a model (`identities/`): people sign in by all ways, link, step, refresh and end; owners revoke,
 * delete, make again, remove and define; time passes, and servers come and go. Each session says what was proved, and
 * nothing else; no code counts twice; no subject is two records'; what is over is over at every server.
 *
 * For a long run `IDENTITY_RUNS=1000 npx vitest run tests/properties/identities.property`; `IDENTITY_SEED=…` repeats one.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { realEnvironment } from '../../src/env/real.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { openPostgres } from '../../src/storage/postgres/open.js';
import { PostgresServer, postgresPrograms } from '../support/postgres-server.js';
import { isInTurn, RUNS_ALL } from '../support/runs-all.js';
import { simulatedNodes } from '../support/shared-nodes.js';
import { atLeast } from '../support/timeouts.js';
import { operation } from './identities/operations.js';
import { Play } from './identities/play.js';
import { Servers, type ServersOptions } from './identities/servers.js';

const GIVEN_RUNS = process.env['IDENTITY_RUNS'];
const GIVEN_SEED = process.env['IDENTITY_SEED'];
const DEADLINE = { timeout: atLeast(600_000) };

/** Several runs at the same servers, each in a database of its own. */
async function expectModel(options: ServersOptions, usualRuns: number): Promise<void> {
  const servers = await Servers.open(options);
  try {
    const operations = fc.noBias(fc.array(operation, { maxLength: 120, size: 'max' }));
    const property = fc.asyncProperty(operations, async (drawn) => {
      const play = await Play.begin(servers);
      for (const each of drawn) await play.do(each);
    });
    const numRuns = Number(GIVEN_RUNS ?? usualRuns * (RUNS_ALL ? 10 : 1));
    await fc.assert(property, { numRuns, ...(GIVEN_SEED !== undefined && { seed: Number(GIVEN_SEED) }) });
  } finally {
    await servers.close();
  }
}

/** By how many milliseconds each of three clocks is ahead. */
const CLOCKS: readonly (readonly [words: string, ahead: readonly number[]])[] = [
  ['that agree', [0, 0, 0]],
  ['a second apart', [500, 0, 1_000]],
  ['half a minute apart', [15_000, 30_000, 0]],
];

describe('Identities are what the model says', () => {
  test('at one server', DEADLINE, async () => {
    await expectModel({ engine: async () => new MemoryEngine(), ahead: [0] }, 30);
  });

  test.each(CLOCKS)('at three with clocks %s', DEADLINE, async (_, ahead) => {
    const { clock, timers } = realEnvironment;
    const shared = await simulatedNodes({ count: 0, clock, timers });
    await expectModel({ engine: () => shared.join(), ahead }, 2);
  });
});

// The machine may have no PostgreSQL: `.ci/run` installs it. In turns with other long tests.
describe.skipIf(postgresPrograms() === undefined || !isInTurn(5))('On PostgreSQL they are, too,', () => {
  let postgres: PostgresServer;
  beforeAll(async () => {
    postgres = await PostgresServer.start();
  });
  afterAll(() => postgres.remove());

  test.each(CLOCKS)('at three servers with clocks %s', DEADLINE, async (words, ahead) => {
    const address = postgres.address(words.replaceAll(' ', '_'));
    await expectModel({ engine: () => openPostgres(address), ahead }, 2);
  });
});
