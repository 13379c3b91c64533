/** Token buckets of several nodes: rows are removed when the buckets are full again, and clocks may differ. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LIMITS_RANGE } from '../../src/catalog/keys/node-keys.js';
import { rateOf } from '../../src/catalog/limits/request-rates.js';
import { objectFrom } from '../../src/value/value.js';
import { type DatabaseNode, NodeDatabases } from '../support/node-databases.js';

const SECOND = 1_000_000_000n;
const OPTIONS = {
  authentication: { failureDelay: { minimum: 0, step: 1 } },
  rates: { signUps: rateOf(4, 40n * SECOND), signUpsInDatabase: rateOf(100, 3_600n * SECOND) },
};

let nodes: NodeDatabases;
beforeEach(() => {
  nodes = new NodeDatabases();
});
afterEach(() => nodes.close());

async function join(ahead = 0n): Promise<DatabaseNode> {
  const node = await nodes.join(OPTIONS, ahead);
  await nodes.ask(node, 'DEFINE TABLE IF NOT EXISTS user');
  await nodes.ask(node, 'DEFINE ACCESS IF NOT EXISTS people ON DATABASE TYPE RECORD SIGNUP (CREATE user)');
  return node;
}

/** `in`, or the seconds to wait. */
async function signUp({ database }: DatabaseNode, ip = '192.0.2.1'): Promise<unknown> {
  const session = database.session({ ip });
  const answer = session.signUp(objectFrom({ NS: 'test', DB: 'test', AC: 'people' })).then(
    () => 'in',
    ({ details }) => details.details.retryAfter,
  );
  return nodes.during(answer);
}

async function rowsAt({ engine }: DatabaseNode): Promise<number> {
  const reader = engine.begin({ writable: false });
  const count = await nodes.during(reader.count(LIMITS_RANGE));
  reader.cancel();
  return count;
}

test('full buckets lose their rows, others keep theirs', async () => {
  const [one, two] = [await join(), await join()];
  for (const at of [1, 2, 3, 4, 5]) expect(await signUp(at % 2 === 0 ? one : two, `192.0.2.${at}`)).toBe('in');
  // One for each address, and the database's.
  expect(await rowsAt(one)).toBe(6);
  await nodes.pass(70_000);
  expect(await rowsAt(two)).toBe(1);
  for (let time = 0; time < 4; time++) expect(await signUp(two, '192.0.2.1')).toBe('in');
  expect(await signUp(one, '192.0.2.1')).toBe(10);
});

test('what one node has taken isn’t there for another, until it comes back', async () => {
  const [one, two] = [await join(), await join()];
  for (const node of [one, two, one, two]) expect(await signUp(node)).toBe('in');
  for (const node of [one, two]) expect(await signUp(node)).toBe(10);
  await nodes.pass(10_000);
  expect([await signUp(one), await signUp(two)]).toEqual(['in', 10]);
});

test('clocks that differ by a second give a second’s worth', async () => {
  const [one, ahead] = [await join(), await join(SECOND)];
  for (let time = 0; time < 4; time++) expect(await signUp(ahead)).toBe('in');
  expect([await signUp(ahead), await signUp(one)]).toEqual([10, 10]);
  await nodes.pass(9_000);
  expect(await signUp(one)).not.toBe('in');
  await nodes.pass(1_000);
  expect(await signUp(ahead)).toBe('in');
});
