/** A transaction that conflicts again and again with writers of another node: the others wait for it. */
import { expect, test } from 'vitest';
import { RemoteEngine } from '../../src/storage/remote/remote-engine.js';
import { withRetries } from '../../src/storage/retry.js';
import { StubbedEnvironment } from '../support/environment.js';
import { Lateness, seeded } from '../support/late-engine.js';
import { pass } from '../support/node-process.js';
import { SimulatedServer, SimulatedStore } from '../support/simulated-store.js';

const COUNTER = 'D\0\0\0\x01counter';
const ROWS = { from: 'D\xff\xff\xff\xffv', to: 'D\xff\xff\xff\xffw' };

async function increment(engine: RemoteEngine): Promise<void> {
  await withRetries(engine, async (transaction) => {
    const count = Number((await transaction.get(COUNTER)) ?? 0);
    transaction.put(COUNTER, count + 1);
  });
}

test('One that is far from the store gets through among eight writers of one that is near', async () => {
  const world = new StubbedEnvironment();
  const random = seeded(7);
  const server = new SimulatedServer(random);
  const node = async (name: number, turns: number) => {
    // As many turns for each answer.
    const lateness = new Lateness(turns, (below) => below - 1);
    const store = new SimulatedStore(server, name, { lateness, random, reliability: Number.POSITIVE_INFINITY });
    const engine = new RemoteEngine(store, { clock: world.clock, timers: world.timers });
    await engine.shared.follow({ onCommits: () => undefined, onGap: () => undefined });
    return engine;
  };
  const [near, far] = [await node(1, 1), await node(2, 40)];
  let isOver = false;
  let written = 0;
  const writers = Array.from({ length: 8 }, async () => {
    while (!isOver) {
      await increment(near);
      written++;
    }
  });
  const outcomes: string[] = [];
  const slow = (async () => {
    for (let round = 0; round < 3; round++) {
      await increment(far).then(
        () => outcomes.push('committed'),
        ({ code }) => outcomes.push(code),
      );
    }
    isOver = true;
  })();
  while (!isOver) await pass(world, 1);
  let isDone = false;
  const done = Promise.all([slow, ...writers]).then(() => {
    isDone = true;
  });
  while (!isDone) await pass(world, 1);
  await done;
  expect(outcomes).toEqual(['committed', 'committed', 'committed']);
  await pass(world, 50);
  const reader = near.begin({ writable: false });
  const read = Promise.all([reader.get(COUNTER), reader.count(ROWS)]);
  await pass(world, 1);
  // Nothing is lost, and no row is left behind.
  expect(await read).toEqual([written + 3, 0]);
  for (const engine of [near, far]) {
    const closed = engine.close();
    await pass(world, 1);
    await closed;
  }
});
