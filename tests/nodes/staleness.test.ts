/** A node that doesn't know what the others do serves no signed-in users. */
import { beforeEach, expect, test } from 'vitest';
import { objectFrom } from '../../src/value/value.js';
import { failureOf, PEOPLE, run, settled, signUp, type TwoNodes, twoNodes } from './two-nodes.js';

let nodes: TwoNodes;

beforeEach(async () => {
  nodes = await twoNodes({ maxStaleness: 1_000, guests: true });
  await run(nodes.a.owner, PEOPLE);
  await settled();
});

test('a node that is behind refuses requests and sign-ins, until it has caught up', async () => {
  const { a, b, environment } = nodes;
  const token = await b.database.session({}).signUp(objectFrom({ NS: 'test', DB: 'test', AC: 'people', name: 'bob' }));
  const ann = await signUp(b, 'ann');
  // Commits don't come, though the store answers.
  b.engine.hold();
  environment.advance(1_000);
  expect(await failureOf(() => run(ann, 'RETURN 1'))).toBe('none');
  environment.advance(1);
  expect(await failureOf(() => run(ann, 'RETURN 1'))).toBe('storage_unavailable');
  expect(await failureOf(() => ann.catalogSnapshot())).toBe('storage_unavailable');
  expect(await failureOf(() => ann.begin())).toBe('storage_unavailable');
  expect(await failureOf(() => b.database.session({}).authenticate(token.access))).toBe('storage_unavailable');
  expect(await failureOf(() => signUp(b, 'cy'))).toBe('storage_unavailable');
  expect(await failureOf(() => b.database.checkReady())).toBe('storage_unavailable');
  expect(await failureOf(() => b.database.check())).toBe('none');
  // Guests and the process itself have no rights that could have been revoked.
  expect(await failureOf(() => run(b.database.session({}), 'RETURN 1'))).toBe('none');
  expect(await failureOf(() => run(b.owner, 'RETURN 1'))).toBe('none');
  expect(await failureOf(() => a.database.checkReady())).toBe('none');
  b.engine.restore();
  expect(await failureOf(() => run(ann, 'RETURN 1'))).toBe('none');
  expect(await failureOf(() => b.database.checkReady())).toBe('none');
});

test('a node that is cut off knows nothing of a revocation, and refuses its token with a reason', async () => {
  const { a, b, environment } = nodes;
  const session = a.database.session({});
  const { access } = await session.signUp(objectFrom({ NS: 'test', DB: 'test', AC: 'people', name: 'ann' }));
  b.engine.hold();
  await session.signOut();
  environment.advance(1_001);
  const authenticate = async () => b.database.session({}).authenticate(access);
  await expect(authenticate()).rejects.toThrow('--max-staleness');
  b.engine.restore();
  expect(await failureOf(authenticate)).toBe('invalid_auth');
});

test('a node whose store does not answer says so, and recovers', async () => {
  const { b, environment } = nodes;
  const ann = await signUp(b, 'ann');
  await settled();
  b.engine.cut();
  environment.advance(60_000);
  expect(await failureOf(() => b.database.check())).toBe('storage_unavailable');
  expect(await failureOf(() => b.database.checkReady())).toBe('storage_unavailable');
  expect(await failureOf(() => run(ann, 'RETURN 1'))).toBe('storage_unavailable');
  b.engine.restore();
  expect(await failureOf(() => run(ann, 'RETURN 1'))).toBe('none');
});

test('a node whose store is silent answers health checks all the same: ready as long as it is current', async () => {
  const { b, environment } = nodes;
  b.engine.silence();
  const checks = () => [() => b.database.checkReady(), () => b.database.check()].map(failureOf);
  const first = checks();
  await settled();
  environment.advance(400);
  expect(await Promise.all(first)).toEqual(['none', 'none']);
  environment.advance(500);
  const later = checks();
  await settled();
  environment.advance(400);
  expect(await Promise.all(later)).toEqual(['storage_unavailable', 'storage_unavailable']);
  // Once it is known to be behind it doesn't ask the store.
  expect(await failureOf(() => b.database.checkReady())).toBe('storage_unavailable');
  b.engine.restore();
  expect(await failureOf(() => b.database.checkReady())).toBe('none');
});
