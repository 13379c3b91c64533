/** What live queries, subscriptions and readers that are slow keep in memory: bounded in bytes, and given back. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Notification, Session } from '../../src/session/contract.js';
import { ChangeBacklog } from '../../src/session/resources/change-backlog.js';
import { DEFAULT_GUEST_MEMORY, defaultMemoryLimits } from '../../src/session/resources/server-memory.js';
import { objectFrom } from '../../src/value/value.js';
import { LiveServer } from '../support/graphql-live-server.js';
import { run, World } from '../support/world.js';

const KIB = 1024;
const MIB = 1024 * KIB;

describe('live queries', () => {
  const LIMITS = { ...defaultMemoryLimits(64 * MIB), total: 16 * MIB };
  let world: World;
  const used = () => world.database.memory.budget.used;
  beforeEach(async () => {
    world = await World.open({ guests: true, memory: LIMITS });
    await run(world.owner, 'DEFINE TABLE open PERMISSIONS FULL');
  });
  afterEach(() => world.close());

  async function listening(session: Session, sink: (notification: Notification) => Promise<void> | void) {
    await session.use('test', 'test');
    session.listen(sink);
    return session;
  }

  test('count towards the memory of their connection until they end', async () => {
    const guest = await listening(world.guest(), () => undefined);
    const text = objectFrom({ text: 'x'.repeat(100 * KIB) });
    const [id] = await run(guest, 'LIVE SELECT * FROM open WHERE text = $text', text);
    expect(used()).toBeGreaterThan(100 * KIB);
    await expect(run(guest, 'LIVE SELECT * FROM open WHERE text = $text', text)).rejects.toMatchObject({
      code: 'connection_memory_exceeded',
    });
    expect(used()).toBeLessThan(DEFAULT_GUEST_MEMORY);
    await run(guest, 'KILL $id', objectFrom({ id }));
    expect(used()).toBe(0);
    await run(guest, 'LIVE SELECT * FROM open WHERE text = $text', text);
    guest.close();
    expect(used()).toBe(0);
  });

  test('of slow clients end, those with the most changes waiting first', async () => {
    const { backlog } = world.database.memory;
    const wake: (() => void)[] = [];
    const reasons: (string | undefined)[] = [];
    const slow = async (table: string) => {
      await run(world.owner, `DEFINE TABLE ${table}`);
      const session = await listening(world.database.ownerSession(), (notification) => {
        if (notification.action === 'KILLED') reasons.push(notification.reason?.code);
        return new Promise<void>((resolve) => wake.push(resolve));
      });
      await run(session, `LIVE SELECT * FROM ${table}`);
      return session;
    };
    const sessions = [await slow('a'), await slow('b'), await slow('c')];
    const heard: Notification[] = [];
    const prompt = await listening(world.database.ownerSession(), (notification) => {
      heard.push(notification);
    });
    await run(prompt, 'LIVE SELECT VALUE id FROM open');
    const text = objectFrom({ text: 'x'.repeat(256 * KIB) });
    for (let round = 0; round < 12; round++) {
      for (const table of ['a', 'b', 'c']) {
        await run(
          world.owner,
          `CREATE ${table}:${round} SET text = $text RETURN NONE; DELETE ${table} RETURN NONE`,
          text,
        );
        expect(backlog.used).toBeLessThanOrEqual(LIMITS.total / 4);
      }
      await run(world.owner, `CREATE open:${round}`);
    }
    await expect.poll(() => heard.length).toBe(12);
    expect(heard.map(({ action }) => action)).toEqual(Array(12).fill('CREATE'));
    // They are notified of their end once they read on.
    await expect
      .poll(() => {
        for (const each of wake.splice(0)) each();
        return reasons.length;
      })
      .toBeGreaterThanOrEqual(2);
    expect(new Set(reasons)).toEqual(new Set(['live_queries_behind']));
    for (const session of [...sessions, prompt]) session.close();
    for (const each of wake.splice(0)) each();
    expect(backlog.used).toBe(0);
    await expect.poll(() => used()).toBe(0);
  });
});

describe('the changes that wait', () => {
  class Reader {
    backlog = 0;
    fell = 0;
    readonly #held: { readonly bytes: number; holders: number }[] = [];
    constructor(readonly changes: ChangeBacklog) {}

    take(change: { readonly bytes: number; holders: number }): boolean {
      if (!this.changes.hold(change, this)) return false;
      this.#held.push(change);
      this.backlog += change.bytes;
      return true;
    }

    fallBehind(): void {
      this.fell++;
      for (const change of this.#held.splice(0)) {
        this.backlog -= change.bytes;
        this.changes.release(change, this);
      }
    }
  }
  const change = (bytes: number) => ({ bytes, holders: 0 });

  test('count once, however many they wait for', () => {
    const changes = new ChangeBacklog(100);
    const readers = Array.from({ length: 50 }, () => new Reader(changes));
    const shared = change(90);
    expect(readers.every((reader) => reader.take(shared))).toBe(true);
    expect(changes.used).toBe(90);
    for (const reader of readers) reader.fallBehind();
    expect(changes.used).toBe(0);
  });

  test('are dropped for who is slowest, be it the one that the change is for', () => {
    const changes = new ChangeBacklog(100);
    const [large, small, other] = [new Reader(changes), new Reader(changes), new Reader(changes)] as const;
    large.take(change(60));
    small.take(change(30));
    expect(large.take(change(20))).toBe(false);
    expect(other.take(change(20))).toBe(true);
    expect([large.fell, small.fell, other.fell, changes.used]).toEqual([1, 0, 0, 50]);
    // A lone one may have any size.
    expect(new Reader(changes).take(change(1_000))).toBe(true);
    expect([small.fell, other.fell, changes.used]).toEqual([1, 1, 1_000]);
  });
});

describe('subscriptions over GraphQL', () => {
  let server: LiveServer;
  const used = () => server.world.database.memory.budget.used;
  beforeEach(async () => {
    server = await LiveServer.open();
  });
  afterEach(() => server.close());

  const PLACE = { 'svc-ns': 'test', 'svc-db': 'test' };
  async function signedIn() {
    const token = server.world.tokenOf(await server.world.person('ann'));
    const client = await server.socket();
    client.say({ type: 'connection_init', payload: { ...PLACE, token } });
    await expect.poll(() => client.heard).toEqual([{ type: 'connection_ack' }]);
    return client;
  }

  test('are refused a first message that takes much more once it is decoded', async () => {
    const { socket, heard, say } = await server.socket();
    const padding = Array.from({ length: 20_000 }, () => []);
    say({ type: 'connection_init', payload: { ...PLACE, padding } });
    await expect.poll(() => socket.readyState).toBe(socket.CLOSING);
    // Who doesn't answer the close is cut off.
    server.environment.advance(2_000);
    await expect.poll(() => heard.at(-1)).toMatchObject({ code: 1013 });
    expect(JSON.stringify(heard)).toContain('--max-guest-memory');
    await expect.poll(() => used()).toBe(0);
  });

  test('have short ids, since they are kept', async () => {
    const { heard, say } = await signedIn();
    const id = 'x'.repeat(256);
    say({ id, type: 'subscribe', payload: { query: '{ note { id } }' } });
    await expect.poll(() => heard.at(-1)).toEqual({ id, type: 'complete' });
    say({ id: `${id}x`, type: 'subscribe', payload: { query: 'subscription { note { action } }' } });
    const reason = 'An id may have no more than 256 characters';
    await expect.poll(() => heard.at(-1)).toEqual({ code: 4400, reason });
  });

  test('count for all that is kept of their requests, until they end', async () => {
    const { heard, say, socket } = await signedIn();
    const before = used();
    const query = 'subscription { note { action } }';
    const extensions = { persistedQuery: { version: 1, sha256Hash: 'x'.repeat(100_000) }, other: 'x'.repeat(100_000) };
    say({ id: 'a', type: 'subscribe', payload: { query, extensions } });
    await expect.poll(() => used() - before).toBeGreaterThan(100_000);
    await expect.poll(() => used() - before).toBeLessThan(300_000);
    say({ id: 'a', type: 'complete' });
    await expect.poll(() => used()).toBe(before);
    say({ id: 'a', type: 'subscribe', payload: { query, extensions } });
    await expect.poll(() => used() - before).toBeGreaterThan(100_000);
    socket.terminate();
    await expect.poll(() => used()).toBe(0);
    expect(heard).toEqual([{ type: 'connection_ack' }, expect.objectContaining({ code: 1006 })]);
  });

  test('as all small answers do that the client has not read', async () => {
    const token = server.world.tokenOf(await server.world.person('ann'));
    const { socket, heard, say } = await server.socket('/rpc', {}, 'json');
    say({ id: 1, method: 'authenticate', params: [token] });
    await expect.poll(() => heard).toHaveLength(1);
    socket.pause();
    // Each is smaller than what is always allowed; the machine's own buffers take some megabytes.
    const query = { method: 'query', params: ["RETURN string::repeat('x', 50000)"] };
    for (let id = 0; id < 400; id++) say({ id, ...query });
    await expect.poll(() => used()).toBeGreaterThan(500 * KIB);
    expect(used()).toBeLessThan(4 * MIB);
    socket.resume();
    await expect.poll(() => heard).toHaveLength(401);
    await expect.poll(() => used()).toBeLessThan(64 * KIB);
  });
});
