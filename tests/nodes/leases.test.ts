/**
 * Which of several nodes does the background work, and how it goes on when that node dies, stands still, or can't reach
 * the store.
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type BackgroundWork, DATABASE_WORKS, WORKS } from '../../src/catalog/nodes/lease-row.js';
import { failure, type TesseraError } from '../../src/errors/error.js';
import { LeaseLost } from '../../src/session/background/lease.js';
import { LEASE_TIME, Membership, NODE_RENEWAL_INTERVAL, REMOVAL_TIME } from '../../src/session/nodes/membership.js';
import type { Transaction } from '../../src/storage/contract.js';
import type { RemoteEngine } from '../../src/storage/remote/remote-engine.js';
import { toDatetime } from '../../src/value/time/datetime.js';
import { StubbedEnvironment } from '../support/environment.js';
import { NodeProcess, pass, settled } from '../support/node-process.js';
import { type SharedNodes, simulatedNodes } from '../support/shared-nodes.js';

interface Node {
  readonly engine: RemoteEngine;
  readonly process: NodeProcess;
  readonly membership: Membership;
  readonly reported: TesseraError[];
  readonly forgotten: string[];
  /** When it noticed that others may have declared it dead. */
  readonly returns: number[];
  /** Whether the store answers. */
  isReached: boolean;
}

let world: StubbedEnvironment;
let shared: SharedNodes;
beforeEach(async () => {
  world = new StubbedEnvironment();
  shared = await simulatedNodes({ count: 0, clock: world.clock, timers: world.timers });
});
afterEach(() => shared.close());

async function node(): Promise<Node> {
  const engine = await shared.join();
  const process = new NodeProcess(world);
  const reported: TesseraError[] = [];
  const forgotten: string[] = [];
  const returns: number[] = [];
  const reached = { isReached: true };
  const membership = new Membership({
    engine: new Proxy(engine, {
      get: (target, name) => {
        if (name === 'begin' && !reached.isReached) throw failure('storage_unavailable', { reason: 'it is cut off' });
        const member: unknown = Reflect.get(target, name, target);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    }),
    shared: engine.shared,
    environment: process.environment,
    about: { version: '1.2.3', since: toDatetime(world.clock.now()), address: undefined },
    formats: { oldest: 2, newest: 2 },
    forget: (_, gone) => void forgotten.push(gone),
    returned: () => void returns.push(world.clock.monotonic()),
    report: (error) => reported.push(error),
  });
  await during(membership.join());
  return Object.assign(reached, { engine, process, membership, reported, forgotten, returns });
}

/** Lets time pass until something is done. */
async function during<T>(work: Promise<T>): Promise<T> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  done.catch(() => undefined);
  while (!isDone) await pass(world, 1);
  return done;
}

const held = ({ membership }: Node) => WORKS.filter((work) => membership.lease(work).isHeld);

/** How many nodes have each lease. */
const holders = (nodes: readonly Node[]) =>
  WORKS.map((work) => nodes.filter(({ membership }) => membership.lease(work).isHeld).length);
const ONE_EACH = WORKS.map(() => 1);

test('One node alone has all leases, and shares them with those who come', async () => {
  const one = await node();
  expect(held(one)).toEqual(WORKS);
  const nodes = [one, await node(), await node()];
  for (let step = 0; step < 40; step++) {
    expect(Math.max(...holders(nodes))).toBe(1);
    await pass(world, NODE_RENEWAL_INTERVAL / 10);
  }
  const shares = nodes.map(held);
  for (const share of shares) expect(share.length).toBeGreaterThan(WORKS.length / 6);
  // There they stay, however long all of them run.
  for (let round = 0; round < 20; round++) {
    expect(holders(nodes)).toEqual(ONE_EACH);
    expect(nodes.map(held)).toEqual(shares);
    await pass(world, NODE_RENEWAL_INTERVAL);
  }
});

test('Each kind of work on databases is shared out', async () => {
  const nodes = [await node(), await node(), await node()];
  await pass(world, 3 * NODE_RENEWAL_INTERVAL);
  for (const kind of DATABASE_WORKS) {
    const sharing = nodes.filter((each) => held(each).some((work) => work.startsWith(kind)));
    expect(sharing.length).toBeGreaterThan(1);
  }
});

test('When a holder dies, others have its leases within five seconds, and not before their time', async () => {
  const [one, two, three] = [await node(), await node(), await node()];
  await pass(world, 3 * NODE_RENEWAL_INTERVAL);
  const [, ofTwo, ofThree] = [one, two, three].map(held);
  one.process.pause();
  await pass(world, LEASE_TIME - NODE_RENEWAL_INTERVAL - 100);
  expect([two, three].map(held)).toEqual([ofTwo, ofThree]);
  await pass(world, 5_000 - (LEASE_TIME - NODE_RENEWAL_INTERVAL - 100));
  expect(holders([two, three])).toEqual(ONE_EACH);
  // What the others did stays where it is.
  expect(held(two)).toEqual(expect.arrayContaining(ofTwo ?? []));
  expect(held(three)).toEqual(expect.arrayContaining(ofThree ?? []));
});

test('No two nodes have a lease at the same moment, whenever they stand still', async () => {
  const nodes = [await node(), await node(), await node()];
  for (let round = 0; round < 60; round++) {
    const { process } = nodes[round % 3]!;
    if (round % 4 === 0) process.pause();
    await pass(world, 350 + 170 * (round % 7));
    if (round % 4 !== 1) process.resume();
    expect(Math.max(...holders(nodes))).toBeLessThanOrEqual(1);
  }
});

test('What a holder that stood still commits late conflicts with the take-over', async () => {
  const [one, two] = [await node(), await node()];
  await pass(world, 3 * NODE_RENEWAL_INTERVAL);
  const share = held(one);
  const lease = one.membership.lease(share[0] as BackgroundWork);
  const late = one.engine.begin({ writable: true });
  await during(Promise.resolve(lease.confirm(late)));
  late.put('late', true);
  one.process.pause();
  await pass(world, 6_000);
  expect(held(two)).toEqual(WORKS);
  expect(held(one)).toEqual([]);
  await expect(during(Promise.resolve(late.commit()))).rejects.toMatchObject({ code: 'transaction_conflict' });
  const later = one.engine.begin({ writable: true });
  await expect(during(Promise.resolve(lease.confirm(later)))).rejects.toBeInstanceOf(LeaseLost);
  later.cancel();
  one.process.resume();
  await pass(world, 3_000);
  expect(held(one)).toEqual(share);
  expect(holders([one, two])).toEqual(ONE_EACH);
});

test('A holder that stood still alone has its leases again as soon as it goes on', async () => {
  const one = await node();
  one.process.pause();
  await pass(world, 60_000);
  expect(held(one)).toEqual([]);
  let granted = 0;
  one.membership.lease('events 0').onGranted(() => granted++);
  one.process.resume();
  await settled();
  expect(held(one)).toEqual(WORKS);
  expect(granted).toBe(1);
});

test('A node that is closed gives up its leases, and another goes on at once', async () => {
  const [one, two] = [await node(), await node()];
  await during(one.membership.leave());
  expect(held(one)).toEqual([]);
  await pass(world, 100);
  expect(held(two)).toEqual(WORKS);
  expect(one.forgotten).toEqual([one.engine.shared.node]);
});

test('A node that can’t reach the store stops its work, says so once, and goes on when it can', async () => {
  const one = await node();
  one.isReached = false;
  await pass(world, LEASE_TIME + NODE_RENEWAL_INTERVAL);
  expect(held(one)).toEqual([]);
  await pass(world, 10_000);
  expect(one.reported.map(({ code }) => code)).toEqual(['storage_unavailable']);
  one.isReached = true;
  await pass(world, NODE_RENEWAL_INTERVAL + 100);
  expect(held(one)).toEqual(WORKS);
});

test('The rows of a node that is gone are removed once; those of one that only stood still come back', async () => {
  const [one, two] = [await node(), await node()];
  const rows = async () => {
    const reader: Transaction = one.engine.begin({ writable: false });
    const count = await during(Promise.resolve(reader.count({ from: 'D\xff\xff\xff\xffn', to: 'D\xff\xff\xff\xffo' })));
    reader.cancel();
    return count;
  };
  expect(await rows()).toBe(2);
  two.process.pause();
  await pass(world, REMOVAL_TIME + 2 * NODE_RENEWAL_INTERVAL);
  expect(await rows()).toBe(1);
  expect(one.forgotten).toEqual([two.engine.shared.node]);
  expect([one.returns, two.returns]).toEqual([[], []]);
  two.process.resume();
  await pass(world, NODE_RENEWAL_INTERVAL);
  expect(await rows()).toBe(2);
  expect([one.returns.length, two.returns.length]).toEqual([0, 1]);
});
