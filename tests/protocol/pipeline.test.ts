/** Requests of one session that come together: each sees those before it, they share the cost of the disk, and none is answered too early. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RecordId, type Surreal, Table } from 'surrealdb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { Clock } from '../../src/env/environment.js';
import { realEnvironment } from '../../src/env/real.js';
import { SILENT } from '../../src/http/base/log.js';
import { readConfiguration } from '../../src/server/configuration.js';
import { type RunningServer, startServer } from '../../src/server/server.js';
import { openDatabase } from '../../src/session/database/database.js';
import { LmdbEngine } from '../../src/storage/lmdb/engine/lmdb.js';
import { HeldStore, openUnsynced } from '../support/held-store.js';
import { newClient } from '../support/official-client.js';
import { ROOT } from '../support/server.js';

/** The server takes up so many requests of a connection at a time, and another that asks for its version beside them. */
const MANY = 60;

/** Nothing seems to take long, so that no request yields to others. */
const STANDING: Clock = { now: () => realEnvironment.clock.now(), monotonic: () => 0 };

let folder: string;
let store: HeldStore;
let server: RunningServer;
let db: Surreal;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tessera-'));
  store = new HeldStore(openUnsynced(folder));
  const database = await openDatabase(new LmdbEngine({ store }), {
    environment: { ...realEnvironment, clock: STANDING },
  });
  const owner = database.ownerSession();
  await owner.query(`DEFINE USER root ON ROOT PASSWORD '${ROOT.password}' ROLES OWNER`);
  owner.close();
  server = await startServer(
    readConfiguration(() => undefined, { SVC_PATH: 'memory', SVC_BIND: '127.0.0.1:0' }),
    { database, log: SILENT, prepared: Promise.resolve() },
  );
  db = await connect();
  await db.query('DEFINE TABLE t; DEFINE TABLE counter; CREATE counter:1 SET n = 0');
});
afterEach(async () => {
  await db.close();
  await server.close();
  rmSync(folder, { recursive: true });
});

async function connect(): Promise<Surreal> {
  const client = newClient();
  await client.connect(`${server.url.replace('http', 'ws')}/rpc`, { reconnect: false });
  await client.signin(ROOT);
  await client.use({ namespace: 'test', database: 'test' });
  return client;
}

/** The disk stops in the middle of a write, until what is given is called. */
async function holdDisk(): Promise<() => void> {
  const complete = await new Promise<() => void>((resolve) => {
    store.held = resolve;
    void send(db.query('UPDATE counter:1 SET held = true'));
  });
  return () => {
    store.held = undefined;
    complete();
  };
}

/** What the client would otherwise send when a caller waits for it. */
const send = <T>(request: PromiseLike<T>): Promise<T> => Promise.resolve(request);

/** All that was sent has come: the second of these is sent behind it, and nothing waits for the version. */
async function taken(client: Surreal): Promise<void> {
  await client.version();
  await client.version();
}

type Request = readonly [method: string, ...params: unknown[]];

interface Message {
  /** The place of the request that it answers. */
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** Sends requests together, without any client's doing, and gives so many messages that come back. */
async function exchange(requests: readonly Request[], messages: number): Promise<Message[]> {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/rpc`, 'json');
  const setup: Request[] = [
    ['signin', { user: ROOT.username, pass: ROOT.password }],
    ['use', 'test', 'test'],
  ];
  await new Promise((resolve) => socket.once('open', resolve));
  const came: Message[] = [];
  const done = new Promise<void>((resolve) => {
    socket.on('message', (data) => {
      if (came.push(JSON.parse(String(data))) === setup.length + messages) resolve();
    });
  });
  for (const [at, [method, ...params]] of [...setup, ...requests].entries()) {
    socket.send(JSON.stringify({ id: at - setup.length, method, params }));
  }
  await done;
  socket.close();
  return came.slice(setup.length);
}

const id = (n: number) => new RecordId('t', n);

describe('requests that come together', () => {
  it('are written together', async () => {
    const letGo = await holdDisk();
    const before = store.writes;
    const created = Array.from({ length: MANY }, (_, n) => db.create(id(n)).content({ n }));
    const all = Promise.all(created);
    // Answered at once, behind all of them.
    await taken(db);
    letGo();
    expect(await all).toEqual(Array.from({ length: MANY }, (_, n) => ({ id: id(n), n })));
    expect(store.writes).toBe(before + 1);
  });

  it('see what those before them have done, and are answered in their order when it is durable', async () => {
    const letGo = await holdDisk();
    const answers: string[] = [];
    const other = await connect();
    const ask = (name: string, text: string) =>
      send(db.query(text)).then(
        ([found]) => {
          answers.push(name);
          return found;
        },
        (error: unknown) => {
          answers.push(name);
          return String(error);
        },
      );
    const results = [
      ask('created', 'CREATE t:1 SET n = 1'),
      ask('read', 'SELECT VALUE n FROM t'),
      ask('changed', 'UPDATE t:1 SET m = 2 RETURN VALUE m'),
      ask('refused', 'CREATE t:1'),
    ];
    await taken(db);
    expect(answers).toEqual([]);
    expect(await other.select(new Table('t'))).toEqual([]);
    letGo();
    expect(await Promise.all(results)).toEqual([
      [{ id: id(1), n: 1 }],
      [1],
      [2],
      expect.stringContaining('already exists'),
    ]);
    expect(answers).toEqual(['created', 'read', 'changed', 'refused']);
    await other.close();
  });

  it('change the same record one after the other, without a conflict', async () => {
    const letGo = await holdDisk();
    const before = store.writes;
    const counts = Array.from({ length: MANY }, () =>
      db.query<[number[]]>('UPDATE counter:1 SET n += 1 RETURN VALUE n'),
    );
    const all = Promise.all(counts);
    await taken(db);
    letGo();
    expect((await all).flat(2)).toEqual(Array.from({ length: MANY }, (_, n) => n + 1));
    expect(store.writes).toBe(before + 1);
  });

  it('write the statements of one text together', async () => {
    const before = store.writes;
    const texts = Array.from(
      { length: 20 },
      (_, n) => `CREATE t:${n} SET others = (SELECT count() FROM t GROUP ALL).count`,
    );
    const results = await db.query<{ others: number[] }[][]>(texts.join(';'));
    expect(results.flat().map(({ others }) => others)).toEqual(results.map((_, n) => [n]));
    expect(store.writes).toBe(before + 1);
  });

  it('wait for what changes the session, which waits for them', async () => {
    const requests: Request[] = [
      ['create', 't:1', { at: 'test' }],
      ['use', 'test', 'elsewhere'],
      ['create', 't:1', { at: 'elsewhere' }],
      ['let', 'x', 7],
      ['query', 'CREATE t:2 SET x = $x'],
      ['let', 'x', 8],
      ['query', 'CREATE t:3 SET x = $x'],
      ['use', 'test', 'test'],
      ['query', 'CREATE t:2 SET x = $x; DEFINE FIELD y ON t VALUE 1; CREATE t:3'],
      ['signin', { user: ROOT.username, pass: ROOT.password }],
      ['query', 'DEFINE SEQUENCE s; CREATE t:4 SET n = sequence::nextval("s")'],
      ['query', 'SELECT * FROM t; USE DB elsewhere; SELECT * FROM t'],
    ];
    const answers = await exchange(requests, requests.length);
    expect(answers.map((answer) => [answer.id, answer.error])).toEqual(requests.map((_, at) => [at, undefined]));
    const [here, , elsewhere] = (answers.at(-1)?.result ?? []) as { result: unknown }[];
    expect(here?.result).toEqual([
      { id: 't:1', at: 'test' },
      { id: 't:2', x: 8 },
      { id: 't:3', y: 1 },
      { id: 't:4', n: 0, y: 1 },
    ]);
    expect(elsewhere?.result).toEqual([
      { id: 't:1', at: 'elsewhere' },
      { id: 't:2', x: 7 },
      { id: 't:3', x: 8 },
    ]);
  });

  it('leave transactions of the client alone', async () => {
    const first = send(db.create(id(1)));
    await taken(db);
    const transaction = await db.beginTransaction();
    const beside = send(db.create(id(2)));
    expect(await transaction.select(id(1))).toEqual({ id: id(1) });
    await Promise.all([transaction.create(id(3)), db.create(id(4)), beside, first]);
    await transaction.commit();
    expect(await db.select(new Table('t'))).toEqual([1, 2, 3, 4].map((n) => ({ id: id(n) })));
  });

  it('reach live queries that began before, behind their ids, not those that began after', async () => {
    const creates = [1, 2, 3, 4, 5].map((n): Request => ['create', `t:${n}`]);
    const messages = await exchange([...creates.slice(0, 2), ['live', 't'], ...creates.slice(2)], 6 + 3);
    const began = messages.find(({ id }) => id === 2);
    expect(began?.result).toMatch(/^[0-9a-f-]{36}$/);
    const heard = messages.filter(({ id }) => id === undefined);
    expect(heard.map(({ result }) => result)).toMatchObject(
      [3, 4, 5].map((n) => ({ id: began?.result, action: 'CREATE', record: `t:${n}` })),
    );
    expect(messages.indexOf(began as Message)).toBeLessThan(messages.indexOf(heard[0] as Message));
  });

  it('are done though their client goes away', async () => {
    const letGo = await holdDisk();
    const other = await connect();
    const told: unknown[] = [];
    for (let n = 0; n < MANY; n++)
      other.create(id(n)).then(
        (record) => told.push(record),
        () => {},
      );
    await taken(other);
    await other.close();
    letGo();
    await db.query('UPDATE counter:1 SET behind = true');
    expect(await db.select(new Table('t'))).toHaveLength(MANY);
    expect(told).toEqual([]);
  });

  it('all fail when the disk does', async () => {
    const letGo = await holdDisk();
    const outcomes = Promise.allSettled([
      db.create(id(1)),
      db.query('SELECT * FROM t'),
      db.create(id(1)),
      db.use({ namespace: 'test', database: 'other' }),
    ]);
    await taken(db);
    store.failure = new Error('no space left');
    letGo();
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({
        status: 'rejected',
        reason: { message: expect.stringContaining('no space left') },
      });
    }
  });
});
