/**
 * Live queries on one table of three servers, under the load of writers on all, are notified of the same in the same
 * order, and of each acknowledged write once, through kills and cuts. For a long run
 * `TESTS=all SEQUENCES_SECONDS=600 SEQUENCES_SEED=… npx vitest run tests/nodes/live-sequences`.
 */
import { describe, expect, test } from 'vitest';
import { realEnvironment } from '../../src/env/real.js';
import { seeded } from '../support/late-engine.js';
import { faultsOf, type Sequence, SequenceWatcher, SequenceWriters } from '../support/live-sequences.js';
import { postgresOfSuite } from '../support/postgres-of-suite.js';
import { postgresPrograms } from '../support/postgres-server.js';
import { isInTurn } from '../support/runs-all.js';
import { ROOT } from '../support/server-process.js';
import type { HistoryNode } from '../support/statement-histories.js';
import { TroubledServers } from '../support/troubled-servers.js';

const SECONDS = Number(process.env['SEQUENCES_SECONDS'] ?? 5);
const SEED = Number(process.env['SEQUENCES_SEED'] ?? Math.floor(Number(process.hrtime.bigint() % 100_000n)));
const DEADLINE = 240_000 + SECONDS * 3_000;
const DATABASES = ['one', 'two'];
/** For each server and database. */
const WRITERS = 4;
/** Milliseconds between one trouble and the next, at the most. */
const PAUSE = 1_500;
const PATIENCE = { timeout: 60_000, interval: 50 };

// Without PostgreSQL there is no store that several servers share; `.ci/run` installs it. In turns with other long tests.
describe.skipIf(postgresPrograms() === undefined || !isInTurn(5))('On one store in PostgreSQL', () => {
  const postgres = postgresOfSuite(DEADLINE);

  test(
    'live queries on three servers are notified of the same, through kills and cuts',
    async () => {
      const random = seeded(SEED);
      const servers = await TroubledServers.start(postgres(), 'live_sequences');
      const [, survivor, mortal] = servers.nodes as [HistoryNode, HistoryNode, HistoryNode];
      const writers = new SequenceWriters(servers.nodes, DATABASES);
      await writers.prepare(ROOT);
      const watchers: SequenceWatcher[] = [];
      const watch = async (node: HistoryNode) => {
        for (const database of DATABASES) watchers.push(await SequenceWatcher.start(node, database, ROOT));
      };
      for (const node of servers.nodes) await watch(node);
      let isOver = false;
      const running = writers.run(WRITERS, SEED, () => isOver);
      const until = realEnvironment.clock.monotonic() + SECONDS * 1_000;
      await servers.troubleUntil(() => realEnvironment.clock.monotonic() >= until, {
        random,
        pause: PAUSE,
        mortal: [2],
        made: (kind) => (kind === 'server' ? watch(mortal) : undefined),
      });
      isOver = true;
      await running;

      for (const database of DATABASES) {
        // The last of all, so that a query has come to its end with it.
        await expect.poll(() => writers.write(survivor, database, 't:last'), PATIENCE).toBe('committed');
        const writes = writers.writes.get(database)!;
        const { number: last } = writes.at(-1)!;
        const own = watchers.filter(({ name }) => name.endsWith(` ${database}`));
        const isThrough = ({ items, end }: Sequence) => end !== undefined || items.at(-1)?.number === last;
        await expect.poll(() => own.filter((each) => !isThrough(each)).map(({ name }) => name), PATIENCE).toEqual([]);
        const seen = `seed ${SEED}, ${database}: ${said(own, writers, database)}, troubles ${JSON.stringify([...servers.troubles])}, failed ${JSON.stringify([...writers.failures])}`;
        console.log(seen);
        // Those of the server that was killed end with their connection; others must say why.
        const ended = own.filter(({ name, end }) => end !== undefined && !name.startsWith(mortal.name));
        for (const { name, end } of ended) expect(end, `${name}, ${seen}`).toMatch(/behind/);
        const whole = own.find(({ end, name }) => end === undefined && !name.startsWith(mortal.name));
        expect(whole, seen).toBeDefined();
        const sequences = [whole!, ...own.filter((each) => each !== whole)];
        expect(faultsOf(sequences, writes).slice(0, 20), seen).toEqual([]);
      }
      for (const watcher of watchers) watcher.close();
      await servers.stop();
    },
    DEADLINE,
  );
});

function said(watchers: readonly Sequence[], writers: SequenceWriters, database: string): string {
  const writes = writers.writes.get(database)!;
  const count = (which: string) => writes.filter(({ outcome }) => outcome === which).length;
  const each = watchers.map(({ name, items, end }) => `${name} ${items.length}${end === undefined ? '' : ` (${end})`}`);
  return `${count('committed')} acknowledged, ${count('unknown')} unknown, ${count('aborted')} aborted; ${each.join(', ')}`;
}
