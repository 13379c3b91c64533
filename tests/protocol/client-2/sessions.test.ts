/** Connections, their sessions and transactions through the client. */
import {
  AlreadyExistsError,
  Features,
  NotFoundError,
  QueryError,
  RecordId,
  type Surreal,
  Table,
  UnsupportedFeatureError,
} from 'surrealdb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RunningServer } from '../../../src/server/server.js';
import { startDrawnServer } from '../../support/drawn-server.js';
import { newClient } from '../../support/official-client.js';
import { ROOT, startTestServer } from '../../support/server.js';
import { addressOf, asRoot, connected, SCHEMES } from './client.js';

let server: RunningServer;
beforeAll(async () => {
  server = await startDrawnServer('client: sessions');
});
afterAll(() => server.close());

const databasePath = { namespace: 'test', database: 'sessions' };

describe.each(SCHEMES)('a connection over %s', (scheme) => {
  it('reports its state', async () => {
    const db = newClient();
    const seen: string[] = [];
    for (const event of ['connecting', 'connected', 'disconnected'] as const)
      db.subscribe(event, () => seen.push(event));
    expect(db.status).toBe('disconnected');
    await db.connect(addressOf(server, scheme), { reconnect: false });
    await db.ready;
    expect([db.status, db.isConnected]).toEqual(['connected', true]);
    expect((await db.version()).version).toMatch(/^surrealdb-3\.\d+\.\d+$/);
    await db.health();
    await db.close();
    expect([db.status, db.isConnected]).toEqual(['disconnected', false]);
    expect(seen).toEqual(['connecting', 'connected', 'disconnected']);
  });

  it('has the features of 3.x', async () => {
    const db = await connected(server, scheme);
    const offered = Object.values(Features)
      .filter((feature) => db.isFeatureSupported(feature))
      .map(({ name }) => name);
    expect(offered).toContain('refresh-tokens');
    expect(offered).toContain('api');
    if (scheme !== 'http')
      expect(offered).toEqual(expect.arrayContaining(['live-queries', 'sessions', 'transactions']));
    await db.close();
  });

  it('selects and signs in as it opens', async () => {
    const db = await connected(server, scheme, { ...databasePath, authentication: ROOT, reconnect: false });
    expect([db.namespace, db.database]).toEqual(['test', 'sessions']);
    expect(await db.query('RETURN [session::ns(), session::db()]')).toEqual([['test', 'sessions']]);
    await db.close();
  });

  it('selects both, one after the other, the defaults, and nothing', async () => {
    const db = await connected(server, scheme);
    await db.signin(ROOT);
    const told: unknown[] = [];
    db.subscribe('using', (where) => told.push(where));
    expect(await db.use()).toEqual({ namespace: 'main', database: 'main' });
    expect(await db.use({ namespace: 'a', database: 'b' })).toEqual({ namespace: 'a', database: 'b' });
    expect(await db.use({ database: 'c' })).toEqual({ namespace: 'a', database: 'c' });
    expect(await db.query('RETURN session::db()')).toEqual(['c']);
    expect(told).toHaveLength(3);
    const left = await db.use({ namespace: null, database: null });
    expect([left.namespace, left.database]).toEqual([undefined, undefined]);
    expect([db.namespace, db.database]).toEqual([undefined, undefined]);
    await db.close();
  });

  it('keeps variables until they are unset or all is reset', async () => {
    const db = await asRoot(server, scheme, 'sessions');
    await db.set('a', { id: new RecordId('x', 1) });
    await db.set('b', 2);
    expect(db.parameters).toEqual({ a: { id: new RecordId('x', 1) }, b: 2 });
    expect(await db.query('RETURN [$a.id, $b]')).toEqual([[new RecordId('x', 1), 2]]);
    expect(await db.query('RETURN $b', { b: 3 })).toEqual([3]);
    await db.unset('b');
    expect(await db.query('RETURN $b')).toEqual([undefined]);
    await db.reset();
    expect([db.namespace, db.accessToken, db.parameters]).toEqual([undefined, undefined, {}]);
    await db.close();
  });
});

describe('attached sessions', () => {
  let db: Surreal;
  beforeEach(async () => {
    db = await asRoot(server, 'ws', 'sessions');
  });
  afterEach(() => db.close());

  it('begin with nothing, or as a fork of another', async () => {
    await db.set('x', 1);
    const fresh = await db.newSession();
    expect([fresh.namespace, fresh.accessToken, fresh.parameters]).toEqual([undefined, undefined, {}]);
    await expect(fresh.query('RETURN 1')).rejects.toThrow();
    const fork = await db.forkSession();
    expect(await fork.query('RETURN [session::ns(), session::db(), $x]')).toEqual([['test', 'sessions', 1]]);
    await fork.set('x', 2);
    expect(await db.query('RETURN $x')).toEqual([1]);
    const second = await fork.forkSession();
    expect(await second.query('RETURN $x')).toEqual([2]);
    expect(await db.sessions()).toHaveLength(3);
  });

  it('are listed to their own connection alone', async () => {
    const session = await db.newSession();
    const other = await asRoot(server, 'ws', 'others');
    expect(await other.sessions()).toEqual([]);
    expect(await db.sessions()).toEqual([session.session]);
    await other.close();
  });

  it('are over when they are closed', async () => {
    const session = await db.forkSession();
    expect(session.isValid).toBe(true);
    await session.closeSession();
    expect(session.isValid).toBe(false);
    await expect(session.query('RETURN 1')).rejects.toThrow();
    expect(await db.sessions()).toEqual([]);
    {
      await using disposed = await db.forkSession();
      expect(await disposed.query('RETURN 1')).toEqual([1]);
    }
    expect(await db.sessions()).toEqual([]);
  });

  it('have users of their own', async () => {
    await db.query('DEFINE USER OVERWRITE viewer ON DATABASE PASSWORD "a viewer password" ROLES VIEWER');
    const session = await db.newSession();
    await session.signin({ ...databasePath, username: 'viewer', password: 'a viewer password' });
    expect(await session.query('CREATE a:1')).toEqual([[]]);
    await expect(session.query('DEFINE TABLE b')).rejects.toThrow('Not enough permissions');
    expect(await db.query('CREATE a:1')).toEqual([[{ id: new RecordId('a', 1) }]]);
    await session.invalidate();
    expect(session.accessToken).toBeUndefined();
    await expect(session.query('SELECT * FROM a')).rejects.toThrow();
    expect(await db.query('SELECT * FROM a')).toHaveLength(1);
  });

  it('don’t wait for each other', async () => {
    const [busy, other] = [await db.forkSession(), await db.forkSession()];
    let isAnswered = false;
    // It ends with the connection; the client doesn't say so.
    void busy.query('FOR $n IN 1..1000000000 { LET $a = $n }').finally(() => {
      isAnswered = true;
    });
    expect(await other.query('RETURN 1')).toEqual([1]);
    expect(await db.query('RETURN 2')).toEqual([2]);
    expect(isAnswered).toBe(false);
  });

  it('keep the order of what is asked of them', async () => {
    await db.query('CREATE counter:1 SET n = 0');
    const asked = Array.from({ length: 50 }, () => db.query<[number[]]>('UPDATE counter:1 SET n += 1 RETURN VALUE n'));
    const answers = await Promise.all(asked);
    expect(answers.map(([[n]]) => n)).toEqual(Array.from({ length: 50 }, (_, place) => place + 1));
  });

  it('do not exist over HTTP', async () => {
    const http = await asRoot(server, 'http', 'other');
    await expect(http.newSession()).rejects.toBeInstanceOf(UnsupportedFeatureError);
    await http.close();
  });
});

describe('transactions', () => {
  let db: Surreal;
  let other: Surreal;
  beforeEach(async () => {
    db = await asRoot(server, 'ws', 'sessions');
    other = await connected(server, 'ws', { ...databasePath, authentication: ROOT, reconnect: false });
    await db.query('DEFINE TABLE item');
  });
  afterEach(async () => {
    await db.close();
    await other.close();
  });

  const one = new RecordId('item', 1);

  it('are not seen by others until they are committed', async () => {
    const transaction = await db.beginTransaction();
    await transaction.create(one).content({ a: 1 });
    expect(await transaction.select(one)).toEqual({ id: one, a: 1 });
    expect([await db.select(one), await other.select(one)]).toEqual([undefined, undefined]);
    await transaction.commit();
    expect([await db.select(one), await other.select(one)]).toEqual([
      { id: one, a: 1 },
      { id: one, a: 1 },
    ]);
  });

  it('leave nothing when they are cancelled, and are over then', async () => {
    const transaction = await db.beginTransaction();
    await transaction.create(one);
    await transaction.cancel();
    expect(await db.select(one)).toBeUndefined();
    await expect(transaction.query('RETURN 1')).rejects.toThrow('Transaction not found');
    await expect(transaction.commit()).rejects.toThrow('Transaction not found');
  });

  it('go on after a statement that fails', async () => {
    const transaction = await db.beginTransaction();
    await transaction.create(one);
    await expect(transaction.create(one)).rejects.toBeInstanceOf(AlreadyExistsError);
    await expect(transaction.query('BEGIN')).rejects.toThrow('Cannot BEGIN a transaction within a transaction');
    await transaction.create(new RecordId('item', 2));
    await transaction.commit();
    expect(await db.select(new Table('item'))).toHaveLength(2);
  });

  it('conflict, in an error that says so', async () => {
    await db.create(one).content({ n: 0 });
    const [first, second] = [await db.beginTransaction(), await other.beginTransaction()];
    await first.query('UPDATE item:1 SET n += 1');
    await second.query('UPDATE item:1 SET n += 1');
    await first.commit();
    const conflict = await second.commit().then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(conflict).toBeInstanceOf(QueryError);
    expect(conflict).toMatchObject({ isTransactionConflict: true, code: -32009 });
    expect(String(conflict)).toMatch(/retr|again/i);
    expect(await db.select(one)).toEqual({ id: one, n: 1 });
  });

  it('belong to their session', async () => {
    const session = await db.forkSession();
    const transaction = await session.beginTransaction();
    await transaction.create(one);
    await session.closeSession();
    await expect(transaction.commit()).rejects.toThrow();
    expect(await db.select(one)).toBeUndefined();
  });
});

describe('a connection that is cut', () => {
  /** A client that goes on trying until a server is there again, at the port of the first. */
  async function connectedForGood() {
    const first = await startTestServer();
    const port = new URL(first.url).port;
    const db = newClient();
    await db.connect(addressOf(first, 'ws'), {
      ...databasePath,
      authentication: ROOT,
      reconnect: { enabled: true, retryDelay: 20, retryDelayMultiplier: 1, retryDelayJitter: 0, attempts: 200 },
    });
    return { first, port, db };
  }

  it('comes back with what it had', async () => {
    const { first, port, db } = await connectedForGood();
    await db.set('x', 'kept');
    const session = await db.forkSession();
    await session.use({ database: 'another' });
    await session.set('x', 'of the fork');
    const id = session.session;
    const back = new Promise<void>((resolve) => {
      db.subscribe('reconnecting', () => db.subscribe('connected', () => resolve()));
    });
    await first.close();
    const second = await startTestServer({ SVC_BIND: `127.0.0.1:${port}` });
    await back;
    expect(await db.query('RETURN [session::ns(), session::db(), $x]')).toEqual([['test', 'sessions', 'kept']]);
    expect(await session.query('RETURN [session::ns(), session::db(), $x]')).toEqual([
      ['test', 'another', 'of the fork'],
    ]);
    expect(await db.sessions()).toEqual([id]);
    await db.close();
    await second.close();
  });

  it('begins its live queries again', async () => {
    const { first, port, db } = await connectedForGood();
    await db.query('DEFINE TABLE item');
    const live = await db.live(new Table('item'));
    const messages: unknown[] = [];
    live.subscribe((message) => messages.push(message.recordId));
    await db.create(new RecordId('item', 1));
    await expect.poll(() => messages).toHaveLength(1);
    const before = String(live.id);
    await first.close();
    const second = await startTestServer({ SVC_BIND: `127.0.0.1:${port}` });
    const other = await connected(second, 'ws', { ...databasePath, authentication: ROOT, reconnect: false });
    await other.query('DEFINE TABLE IF NOT EXISTS item');
    await expect
      .poll(async () => Object.keys((await other.query<[object]>('RETURN (INFO FOR TABLE item).lives'))[0]))
      .toHaveLength(1);
    await other.create(new RecordId('item', 2));
    await expect.poll(() => messages).toEqual([new RecordId('item', 1), new RecordId('item', 2)]);
    expect(String(live.id)).not.toBe(before);
    await other.close();
    await db.close();
    await second.close();
  });

  it('fails what was asked when it is not to come back', async () => {
    const only = await startTestServer();
    const db = await connected(only, 'ws', { ...databasePath, authentication: ROOT, reconnect: false });
    await only.close();
    await expect.poll(() => db.status).toBe('disconnected');
    await expect(db.query('RETURN 1')).rejects.toThrow();
  });
});

it('has names for what is missing', async () => {
  const db = await asRoot(server, 'ws', 'sessions');
  const missing = await db.select(new Table('nowhere')).catch((error: unknown) => error);
  expect(missing).toBeInstanceOf(NotFoundError);
  expect(missing).toMatchObject({ tableName: 'nowhere', kind: 'NotFound' });
  await db.close();
});
