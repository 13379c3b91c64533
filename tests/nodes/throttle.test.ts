/** Failed sign-ins where several nodes use one store: what fails at one delays at all. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { prefixRange } from '../../src/catalog/keys/key-bytes.js';
import { FAILURES_PREFIX } from '../../src/catalog/keys/node-keys.js';
import { failure } from '../../src/errors/error.js';
import { objectFrom } from '../../src/value/value.js';
import { type DatabaseNode, NodeDatabases } from '../support/node-databases.js';
import { settled } from '../support/node-process.js';

const QUICK = { authentication: { failureDelay: { minimum: 0, step: 1 } } };
const ADDRESS = '192.0.2.1';
const WRONG = { user: 'ann', pass: 'wrong' };
/** Failures that are free of delay at one node alone: those of one account from one address. */
const FREE = 5;

let nodes: NodeDatabases;
let one: DatabaseNode;
let two: DatabaseNode;
beforeEach(async () => {
  nodes = new NodeDatabases();
  one = await nodes.join(QUICK);
  two = await nodes.join(QUICK);
  await nodes.ask(one, "DEFINE USER ann ON ROOT PASSWORD 'ann has a password' ROLES VIEWER");
});
afterEach(() => nodes.close());

/** An attempt: the error that it ended with, `in`, or `waiting`. */
interface Attempt {
  outcome: string;
}

function begin({ database }: DatabaseNode, ip: string, credentials: Record<string, string>): Attempt {
  const attempt = { outcome: 'waiting' };
  database
    .session({ ip })
    .signIn(objectFrom(credentials))
    .then(
      () => {
        attempt.outcome = 'in';
      },
      ({ code }) => {
        attempt.outcome = code;
      },
    );
  return attempt;
}

/** Threads hash passwords, in the order in which attempts begin. No time passes for the nodes. */
async function outcomeOf(attempt: Attempt): Promise<string> {
  while (attempt.outcome === 'waiting') await settled();
  return attempt.outcome;
}

const rows = async () => {
  const reader = one.engine.begin({ writable: false });
  const count = await nodes.during(reader.count(prefixRange(FAILURES_PREFIX)));
  reader.cancel();
  return count;
};

test('Attempts that fail at one node are delayed at another after one interval', async () => {
  for (let time = 0; time <= FREE; time++) expect(await outcomeOf(begin(one, ADDRESS, WRONG))).toBe('invalid_auth');
  await nodes.pass(500);
  const delayed = begin(two, ADDRESS, WRONG);
  // One from elsewhere for another account isn't; it begins later and has ended.
  expect(await outcomeOf(begin(two, '192.0.2.9', { ...WRONG, user: 'bob' }))).toBe('invalid_auth');
  expect(delayed.outcome).toBe('waiting');
  await nodes.pass(1_000);
  expect(await outcomeOf(delayed)).toBe('invalid_auth');
});

test('None is counted twice', async () => {
  for (let time = 1; time < FREE; time++) expect(await outcomeOf(begin(one, ADDRESS, WRONG))).toBe('invalid_auth');
  await nodes.pass(500);
  for (const node of [one, two]) expect(await outcomeOf(begin(node, ADDRESS, WRONG))).toBe('invalid_auth');
});

test('A success writes nothing', async () => {
  expect(await outcomeOf(begin(one, ADDRESS, { user: 'ann', pass: 'ann has a password' }))).toBe('in');
  await nodes.pass(1_000);
  expect(await rows()).toBe(0);
});

test('What is written of failures says no names, and goes after a while', async () => {
  await outcomeOf(begin(one, ADDRESS, WRONG));
  await nodes.pass(500);
  const reader = two.engine.begin({ writable: false });
  const batch = await nodes.during(reader.scan(prefixRange(FAILURES_PREFIX)).next());
  reader.cancel();
  expect(JSON.stringify(batch)).not.toMatch(/ann|192/);
  expect(batch).toHaveLength(1);
  // The node, and three counters.
  expect(batch?.[0]?.[1]).toHaveLength(4);
  await nodes.pass(65_000);
  expect(await rows()).toBe(0);
});

test('INFO FOR SIGNIN ATTEMPTS counts what failed at either, and says where the names are known', async () => {
  for (let time = 0; time <= FREE; time++) await outcomeOf(begin(one, ADDRESS, WRONG));
  const last = nodes.world.clock.now();
  await nodes.pass(500);
  const listed = (node: DatabaseNode) =>
    nodes.ask(
      node,
      "SELECT user, failures, node, nodes, delayed_until FROM (INFO FOR SIGNIN ATTEMPTS) WHERE of = 'account'",
    );
  // After five failures of one account from one address each has a delay; of the account from all addresses, after ten.
  const ofOne = (node: DatabaseNode, user: string) =>
    `[{ delayed_until: NONE, failures: 6, node: '${node.id}', nodes: ['${one.id}'], user: ${user} }]`;
  expect(await listed(one)).toBe(ofOne(one, "'ann'"));
  expect(await listed(two)).toBe(ofOne(two, 'NONE'));

  const delays = "SELECT VALUE delayed_until FROM (INFO FOR SIGNIN ATTEMPTS) WHERE of = 'account and address'";
  const until = new Date(Number(last / 1_000_000n) + 1_000).toISOString().replace('.000Z', 'Z');
  expect(await nodes.ask(one, delays)).toBe(`[d'${until}']`);
  await nodes.pass(1_000);
  expect(await nodes.ask(one, delays)).toBe('[NONE]');

  await outcomeOf(begin(two, '192.0.2.9', WRONG));
  await nodes.pass(500);
  const ofBoth = (node: DatabaseNode, ids: readonly string[]) =>
    `[{ delayed_until: NONE, failures: 7, node: '${node.id}', nodes: ['${ids.join("', '")}'], user: 'ann' }]`;
  for (const node of [one, two]) expect(await listed(node)).toBe(ofBoth(node, [one.id, two.id]));
});

/** Record users, whose sign-in hashes nothing, so that it ends in no time. */
const PEOPLE = `DEFINE TABLE person; CREATE person:ann SET name = 'ann', code = 'right';
  DEFINE ACCESS people ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM person WHERE name = $name AND code = $password)`;
const GUESS = { NS: 'test', DB: 'test', AC: 'people', name: 'ann', password: 'wrong' };

/** Lets time pass until an attempt has ended. */
async function ended(attempt: Attempt): Promise<string> {
  while (attempt.outcome === 'waiting') await nodes.pass(1);
  return attempt.outcome;
}

/** Uses up the failures that are free of delay, so that the next attempt waits for a second. */
async function useUpFree(): Promise<void> {
  await nodes.ask(one, PEOPLE);
  for (let time = 0; time <= FREE; time++) expect(await ended(begin(one, ADDRESS, GUESS))).toBe('invalid_auth');
  await nodes.pass(400);
}

/** How many guesses of an account fail in two minutes at nodes of which each always has two that wait. */
async function guesses(name: string, at: readonly DatabaseNode[]): Promise<number> {
  let failed = 0;
  const waiting = new Map(at.map((node) => [node, [] as Attempt[]]));
  for (let time = 0; time < 120_000; time += 250) {
    for (const [node, attempts] of waiting) {
      failed += attempts.filter(({ outcome }) => outcome === 'invalid_auth').length;
      const left = attempts.filter(({ outcome }) => outcome === 'waiting');
      while (left.length < 2) left.push(begin(node, ADDRESS, { ...GUESS, name }));
      waiting.set(node, left);
    }
    await nodes.pass(250);
  }
  return failed;
}

test('N nodes admit as many delayed guesses as one', async () => {
  await nodes.ask(one, PEOPLE);
  const three = await nodes.join(QUICK);
  const ofOne = await guesses('ann', [one]);
  const ofThree = await guesses('bob', [one, two, three]);
  // Failures that are free of delay are counted by each node until it has read those of the others.
  expect(ofThree).toBeLessThanOrEqual(ofOne + 5);
  expect(ofOne).toBeGreaterThan(FREE + 5);
});

test('Attempts that wait at several nodes for one delay take turns', async () => {
  const three = await nodes.join(QUICK);
  await useUpFree();
  const attempts = [one, two, three].map((node) => begin(node, ADDRESS, GUESS));
  const outcomes = () => attempts.map(({ outcome }) => outcome).sort();
  for (const [milliseconds, failed] of [
    [1_000, 1],
    [1_500, 1],
    [1_000, 2],
    [3_000, 2],
    [2_000, 3],
  ] as const) {
    await nodes.pass(milliseconds);
    expect(outcomes().filter((outcome) => outcome === 'invalid_auth')).toHaveLength(failed);
  }
});

test('The right password gets in while others guess at another node', async () => {
  await useUpFree();
  const guess = begin(one, ADDRESS, GUESS);
  const right = begin(two, ADDRESS, { ...GUESS, password: 'right' });
  await nodes.pass(5_000);
  expect([await ended(guess), await ended(right)]).toEqual(['invalid_auth', 'in']);
});

test('If the store takes no turn, an attempt fails with its error, and the next one is admitted', async () => {
  await useUpFree();
  await nodes.pass(2_000);
  const { engine } = one;
  const open = engine.begin.bind(engine);
  engine.begin = (options) => {
    if (options.writable) throw failure('storage_unavailable', { reason: 'the test says so' });
    return open(options);
  };
  expect(await ended(begin(one, ADDRESS, GUESS))).toBe('storage_unavailable');
  engine.begin = open;
  expect(await ended(begin(one, ADDRESS, GUESS))).toBe('invalid_auth');
});
