/**
 * The copies that clients keep of LIVE QUERYs on three servers are right through kills and cuts: whenever writers pause
 * each equals the statement as its user gets it from every server, and meanwhile each is of one moment and none goes
 * back. Clients that lose their server go on at another from where they were. For a long run
 * `TESTS=all RESULT_RUNS=50 RESULT_SEED=… npx vitest run tests/nodes/result-kills`.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SCHEMA, statement } from '../properties/results/model.js';
import { JudgedRequests } from '../support/judged-requests.js';
import { seeded } from '../support/late-engine.js';
import { postgresOfSuite } from '../support/postgres-of-suite.js';
import { postgresPrograms } from '../support/postgres-server.js';
import { shownAsJson } from '../support/result-copy.js';
import { MOMENTS, MOMENTS_SCHEMA, MomentsSeen } from '../support/result-moments.js';
import { type ResultUser, ResultWatcher } from '../support/result-watcher.js';
import { ResultWriters } from '../support/result-writers.js';
import { isInTurn } from '../support/runs-all.js';
import { ROOT } from '../support/server-process.js';
import type { HistoryNode } from '../support/statement-histories.js';
import { TroubledServers } from '../support/troubled-servers.js';
import { RECORD_ACCESS } from '../support/world.js';

const RUNS = Number(process.env['RESULT_RUNS'] ?? 1);
const SEED = Number(process.env['RESULT_SEED'] ?? Math.floor(Number(process.hrtime.bigint() % 100_000n)));
const DEADLINE = 240_000 + RUNS * 120_000;
/** How often writers pause in each run, with a trouble of each kind before. */
const QUIET_POINTS = 3;
/** At each server. */
const WRITERS = 2;
/** Of each user; all follow the same statements. */
const DEVICES = 2;
const STATEMENTS = 4;
/** Milliseconds between one trouble and the next, at the most. */
const PAUSE = 1_000;
const PATIENCE = { timeout: 60_000, interval: 50 };

// What a drawn step may have removed.
const MENDED = 'DEFINE TABLE IF NOT EXISTS e TYPE RELATION IN a OUT b PERMISSIONS FOR select FULL';

// Without PostgreSQL there is no store that several servers share; `.ci/run` installs it. In turns with other long tests.
describe.skipIf(postgresPrograms() === undefined || !isInTurn(8))('On one store in PostgreSQL', () => {
  const postgres = postgresOfSuite(DEADLINE);

  test(
    `results on three servers are kept right through kills and cuts (seed ${SEED})`,
    async () => {
      const servers = await TroubledServers.start(postgres(), 'result_kills');
      for (let run = 0; run < RUNS; run++) await keptRight(servers, SEED + run);
      await servers.stop();
    },
    DEADLINE,
  );
});

async function keptRight(servers: TroubledServers, seed: number): Promise<void> {
  const { nodes } = servers;
  const random = seeded(seed);
  const database = `seed_${seed}`;
  const owner = new JudgedRequests();
  const [first] = nodes as [HistoryNode];
  await owner.signIn(first.url, ROOT);
  await owner.mustRun(first.url, database, `${RECORD_ACCESS} ${SCHEMA} ${MOMENTS_SCHEMA}`);
  const users: ResultUser[] = [{ name: 'owner', credentials: ROOT }];
  for (const name of ['ann', 'bob']) {
    await owner.mustRun(first.url, database, `CREATE user:${name} SET name = '${name}'`);
    users.push({ name, credentials: { NS: 'test', DB: database, AC: 'people', name } });
  }
  const drawn = fc.sample(statement, { numRuns: STATEMENTS, seed });
  const watchers: ResultWatcher[] = [];
  const moments: MomentsSeen[] = [];
  for (const user of users) {
    for (const text of [...drawn, ...MOMENTS]) {
      for (let device = 0; device < DEVICES; device++) {
        const seen = new MomentsSeen();
        moments.push(seen);
        const atMoment = (value: unknown) => MOMENTS.includes(text) && seen.see(value);
        watchers.push(new ResultWatcher({ user, database, text }, nodes, seeded(random(2 ** 31)), atMoment));
      }
    }
  }
  for (const watcher of watchers) watcher.start();
  const writers = new ResultWriters(owner, nodes, database, seed);
  const said = () =>
    `seed ${seed}, writes ${shownCounts(writers.counts)}, troubles ${shownCounts(servers.troubles)}, results ${shownCounts(...watchers.map(({ counts }) => counts))}, failed ${shownCounts(writers.failures)}`;
  for (let quiet = 0; quiet < QUIET_POINTS; quiet++) {
    let isOver = false;
    const running = writers.run(WRITERS, () => isOver);
    await servers.troubleUntil(() => true, { random, pause: PAUSE });
    isOver = true;
    await running;
    await expect.poll(() => owner.run(first.url, database, MENDED), PATIENCE).toMatchObject({ outcome: 'committed' });
    const areRight = () =>
      expect.poll(() => differing(nodes, users, watchers), { ...PATIENCE, message: said() }).toEqual([]);
    await areRight();
    for (const watcher of watchers) if (random(3) === 0) watcher.lose();
    await areRight();
    const faults = [...watchers.flatMap(({ copy }) => copy.faults), ...moments.flatMap((each) => each.faults)];
    expect(faults.slice(0, 20), said()).toEqual([]);
  }
  console.log(said());
  await Promise.all(watchers.map((watcher) => watcher.stop()));
}

/** What copies differ from a server's answer to their users, in words. */
async function differing(
  nodes: readonly HistoryNode[],
  users: readonly ResultUser[],
  watchers: readonly ResultWatcher[],
): Promise<string[]> {
  const differing: string[] = [];
  for (const user of users) {
    const own = watchers.filter(({ watched }) => watched.user === user);
    const requests = new JudgedRequests();
    await requests.signIn((nodes[0] as HistoryNode).url, user.credentials);
    const { database } = (own[0] as ResultWatcher).watched;
    for (const { name, url } of nodes) {
      const wanted = await requests.mustRun(url, database, own.map(({ watched }) => watched.text).join('; '));
      for (const [at, { watched, copy, state }] of own.entries()) {
        const [is, should] = [copy.value, wanted[at]].map((value) => shownAsJson(watched.text, value));
        if (is !== should)
          differing.push(
            `${user.name}, ${watched.text}: ${is} rather than ${should} of ${name}; ${state}, at ${copy.stamp}`,
          );
      }
    }
  }
  return differing;
}

function shownCounts(...counts: readonly ReadonlyMap<string, number>[]): string {
  const sums = new Map<string, number>();
  for (const each of counts) for (const [what, count] of each) sums.set(what, (sums.get(what) ?? 0) + count);
  return JSON.stringify(Object.fromEntries(sums));
}
