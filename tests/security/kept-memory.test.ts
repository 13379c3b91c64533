/** Memory that users keep between requests: it is a part of what all share, and a user's a part of that. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Session } from '../../src/session/contract.js';
import { answer, World } from '../support/world.js';

const KIB = 1024;
const MIB = 1024 * KIB;

let world: World;
beforeEach(async () => {
  world = await World.open({
    memory: {
      total: 32 * MIB,
      connection: 16 * MIB,
      user: 12 * MIB,
      session: 16 * MIB,
      request: 8 * MIB,
      guest: 256 * KIB,
    },
  });
});
afterEach(() => world.close());

/** A quarter of what all share. */
const POOL = 8 * MIB;

/** Sets a variable of so many bytes, and returns the error, if any. */
async function keep(session: Session, name: string, bytes: number): Promise<string | undefined> {
  try {
    // Two bytes for a character.
    await session.setVariable(name, 'ж'.repeat(bytes / 2));
    return undefined;
  } catch (thrown) {
    return (thrown as { code: string }).code;
  }
}

/** Fills the variables of a session until one more is refused, with what for. */
async function fill(session: Session, bytes = MIB): Promise<string | undefined> {
  for (let count = 0; count < 100; count++) {
    const error = await keep(session, `v${count}`, bytes);
    if (error !== undefined) return error;
  }
  return undefined;
}

const LARGE = "RETURN array::len(array::repeat('xxxxxxxx', 10000))";
const pool = () => world.database.memory.variables;

it('one user with two connections leaves room for the requests and the variables of others', async () => {
  const other = await world.person('other');
  const [first, second] = [await world.person('greedy'), world.guest()];
  await second.authenticate(world.tokenOf(first) as string);
  expect(await fill(first)).toBe('variables_full');
  expect(await fill(second)).toBe('variables_full');
  expect(world.database.memory.budget.used).toBeLessThan(POOL + MIB);
  // Twenty large requests at once.
  const answers = await Promise.all(Array.from({ length: 20 }, () => answer(other, LARGE)));
  expect(new Set(answers)).toEqual(new Set(['10000']));
  expect(await keep(other, 'mine', MIB)).toBeUndefined();
  expect(await answer(other, 'RETURN string::len($mine)')).toBe(String(MIB / 2));
});

it('ends the largest idle session of the user who holds the most, which frees its variables', async () => {
  const [large, small, other] = [await world.person('large'), await world.person('small'), await world.person('other')];
  const second = world.guest();
  await second.authenticate(world.tokenOf(large) as string);
  await keep(large, 'v', 3 * MIB);
  await keep(second, 'v', 2 * MIB);
  await keep(small, 'v', 2 * MIB + 512 * KIB);
  const before = pool().used;
  expect(before).toBeGreaterThan(7 * MIB);
  expect(await keep(other, 'v', MIB)).toBeUndefined();
  expect(await answer(large, 'RETURN 1')).toContain('session_expired');
  for (const session of [second, small, other])
    expect(await answer(session, 'RETURN string::len($v) > 0')).toBe('true');
  expect(before - pool().used).toBeGreaterThan(MIB);
  // They may sign in again, with as much to keep as others.
  await large.authenticate(world.tokenOf(second) ?? (world.tokenOf(small) as string));
  expect(await answer(large, 'RETURN $v')).toBe('NONE');
});

it('ends no session for a user who would hold more, nor where that would not make room', async () => {
  const [holder, other] = [await world.person('holder'), await world.person('other')];
  await keep(holder, 'v', 3 * MIB);
  await keep(other, 'v', 3 * MIB);
  // More than the other one has.
  expect(await keep(holder, 'w', 3 * MIB)).toBe('variables_full');
  expect(await answer(other, 'RETURN string::len($v) > 0')).toBe('true');
  const root = await world.systemUser('RO');
  await keep(root, 'v', MIB);
  // Even without both of them there would be no room.
  const third = await world.person('third');
  expect(await keep(third, 'v', 2 * MIB + 900 * KIB)).toBeUndefined();
  expect(await answer(root, 'RETURN string::len($v) > 0')).toBe('true');
});

it('does not end a session that is running a request', async () => {
  const [busy, idle] = [await world.systemUser('DO'), await world.person('idle')];
  await keep(busy, 'v', 4 * MIB);
  await keep(idle, 'v', 3 * MIB);
  let finish = () => {};
  const waits = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const running = busy.import(
    (async function* () {
      yield 'RETURN 1;';
      await waits;
    })(),
  );
  expect(await keep(await world.person('new'), 'v', 2 * MIB)).toBeUndefined();
  expect([busy.variables.size, idle.variables.size]).toEqual([1, 0]);
  finish();
  await running;
});

it('never ends the session of a root user, whose variables others can’t use up either', async () => {
  const root = await world.systemUser('RO');
  expect(await fill(root)).toBe('variables_full');
  const other = await world.person('other');
  expect(await keep(other, 'v', MIB)).toBe('variables_full');
  expect(await answer(root, 'RETURN string::len($v0) > 0')).toBe('true');
});

it('counts a guest alone among guests, and forgets what a session kept when it is closed', async () => {
  const guests = Array.from({ length: 40 }, () => world.guest());
  await keep(world.guest(), 'v', 150 * KIB);
  for (const guest of guests) {
    await guest.use('test', 'test');
    await keep(guest, 'v', 200 * KIB);
  }
  expect(pool().used).toBeGreaterThan(POOL - 256 * KIB);
  // All hold the same.
  expect(await keep(world.guest(), 'v', 240 * KIB)).toBe('variables_full');
  expect(await keep(world.guest(), 'v', 100 * KIB)).toBeUndefined();
  expect((await Promise.all(guests.map((guest) => answer(guest, 'RETURN 1')))).filter((text) => text !== '1')).toEqual([
    expect.stringContaining('session_expired'),
  ]);
  for (const guest of guests) guest.close();
  expect(pool().used).toBeLessThan(256 * KIB);
});

it('lets guests neither end the session of a user nor use up what users may keep', async () => {
  const user = await world.person('user');
  expect(await keep(user, 'v', MIB)).toBeUndefined();
  const guests = Array.from({ length: 40 }, () => world.guest());
  for (const guest of guests) {
    await guest.use('test', 'test');
    await keep(guest, 'v', 200 * KIB);
  }
  expect(pool().used).toBeGreaterThan(POOL - 256 * KIB);
  expect(await keep(world.guest(), 'v', 100 * KIB)).toBeUndefined();
  expect(await answer(user, 'RETURN string::len($v)')).toBe(String(MIB / 2));
  // The largest of the guests' sessions end for them.
  const root = await world.systemUser('RO');
  expect([await keep(user, 'w', MIB), await keep(root, 'v', MIB)]).toEqual([undefined, undefined]);
  expect(await answer(user, 'RETURN string::len($v)')).toBe(String(MIB / 2));
  for (const guest of guests) guest.close();
});

it('charges all connections of a record user to one budget, and releases it with them', async () => {
  const first = await world.person('one');
  const token = world.tokenOf(first) as string;
  const sessions = [first];
  for (let count = 0; count < 3; count++) {
    const session = world.guest();
    await session.authenticate(token);
    sessions.push(session);
  }
  const reserve = (session: Session, bytes: number) => {
    try {
      session.memory.connection.budget.charge(bytes);
      return 'reserved';
    } catch (thrown) {
      return (thrown as { code: string }).code;
    }
  };
  expect(sessions.map((session) => reserve(session, 5 * MIB))).toEqual([
    'reserved',
    'reserved',
    'user_memory_exceeded',
    'user_memory_exceeded',
  ]);
  const other = await world.person('two');
  expect(reserve(other, 5 * MIB)).toBe('reserved');
  // A session that signs in as another user takes along what the connection holds.
  await sessions[1]?.authenticate(world.tokenOf(other) as string);
  expect(reserve(sessions[2] as Session, 5 * MIB)).toBe('reserved');
  expect(reserve(other, 5 * MIB)).toBe('user_memory_exceeded');
  // A refused reservation has reserved nothing anywhere.
  expect(world.database.memory.budget.used).toBeLessThan(21 * MIB);
  sessions[1]?.memory.connection.budget.release(5 * MIB);
  expect(reserve(other, 5 * MIB)).toBe('reserved');
});
