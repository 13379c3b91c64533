/** Transactions that pin the store, its memory or its writers (68, 77 to 79). */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { isPromise } from '../../src/base/promise-or-value.js';
import { GraphqlService } from '../../src/graphql/service.js';
import { createHttpServer } from '../../src/http/server.js';
import { RpcConnection } from '../../src/rpc/connection.js';
import type { Session } from '../../src/session/contract.js';
import type { ResourceUsage } from '../../src/session/database/database.js';
import { LmdbEngine, openLmdb } from '../../src/storage/lmdb/engine/lmdb.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { CBOR } from '../../src/value/codecs/formats.js';
import { isObject, objectFrom, Uuid, type Value } from '../../src/value/value.js';
import { catalogOf } from '../support/catalog-of.js';
import { StubbedEnvironment } from '../support/environment.js';
import { HeldStore, openUnsynced } from '../support/held-store.js';
import { answer, run, World } from '../support/world.js';
import { attack } from './attack.js';

const MINUTE = 60_000;
let folder: string;
let engine: LmdbEngine;
let environment: StubbedEnvironment;
let world: World;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tessera-'));
  environment = new StubbedEnvironment();
  environment.timers.yield = () => new Promise((resolve) => setImmediate(resolve));
  engine = openLmdb(folder, { sync: 'never', timers: environment.timers });
  world = await World.open({ environment }, engine);
  await run(
    world.owner,
    `DEFINE TABLE t CHANGEFEED 1h PERMISSIONS FULL; CREATE t:1 SET n = 1;
     DEFINE USER ann ON ROOT PASSWORD 'a password' ROLES OWNER; DEFINE CONFIG GRAPHQL AUTO`,
  );
});
afterEach(async () => {
  await world.close();
  rmSync(folder, { recursive: true });
});

/** The answer to a call on a connection, or its error's text. */
async function call(connection: RpcConnection, method: string, ...params: Value[]): Promise<Value> {
  const { result, error } = await connection.handle(objectFrom({ id: 1, method, params }), CBOR);
  return isObject(error) ? `! ${String(error.message)}` : result;
}

async function connect(ip?: string): Promise<RpcConnection> {
  const connection = new RpcConnection(world.database, ip === undefined ? {} : { ip });
  await call(connection, 'use', 'test', 'test');
  return connection;
}

async function status(url: string): Promise<number> {
  const app = createHttpServer({ database: world.database });
  const { statusCode } = await app.inject({ url });
  await app.close();
  return statusCode;
}

attack(77, 'makes the store unreadable, which its health tells', async () => {
  const store = new HeldStore(openUnsynced(join(folder, 'other')));
  const other = await World.open({ environment }, new LmdbEngine({ store }, { timers: environment.timers }));
  const app = createHttpServer({ database: other.database });
  store.unreadable = new Error('MDB_READERS_FULL');
  for (const url of ['/health', '/ready']) {
    const { statusCode, body } = await app.inject({ url });
    expect([statusCode, JSON.parse(body)]).toMatchObject([503, { error: 'storage_unavailable' }]);
  }
  store.unreadable = undefined;
  for (const url of ['/health', '/ready']) expect((await app.inject({ url })).statusCode).toBe(200);
  await app.close();
  await other.close();
});

attack(68, 'holds transactions that each have written much', async () => {
  const text = objectFrom({ text: 'x'.repeat(2 ** 19) });
  const connection = await connect('192.0.2.1');
  const told: string[] = [];
  for (let held = 0; held < 64; held++) {
    const id = await call(connection, 'begin');
    expect(id).toBeInstanceOf(Uuid);
    const query = objectFrom({
      id: 1,
      method: 'query',
      params: ['CREATE t SET text = $text RETURN NONE', text],
      txn: id,
    });
    told.push(JSON.stringify(await connection.handle(query, CBOR)));
  }
  const refused = told.filter((each) => each.includes('write at most 16777216 bytes together'));
  expect(refused.length).toBeGreaterThan(40);
  expect(world.database.resourceUsage.memory).toBeLessThanOrEqual(2 ** 24);
  // Other sessions aren't affected.
  expect(await answer(await world.person('bob'), 'CREATE t:2 SET text = $text RETURN NONE', text)).toBe('[]');
  connection.close();
  expect(world.database.resourceUsage).toMatchObject({ transactions: 0, memory: 0 });
});

attack(77, 'holds transactions on many connections, each with a state of the store of its own', async () => {
  const connections: RpcConnection[] = [];
  const refused: Value[] = [];
  for (let at = 0; at < 129; at++) {
    const connection = await connect(`192.0.2.${at}`);
    connections.push(connection);
    for (let held = 0; held < 64; held++) {
      const id = await call(connection, 'begin');
      if (!(id instanceof Uuid)) refused.push(id);
      else await run(world.owner, 'UPDATE t:1 SET n += 1 RETURN NONE');
    }
  }
  expect(new Set(refused)).toEqual(new Set(['! A server holds at most 512 transactions at a time']));
  expect(engine.inUse.views).toBe(512);
  expect(await answer(world.owner, 'SELECT VALUE n FROM ONLY t:1')).toBe('513');
  const ann = world.guest();
  await ann.signIn(objectFrom({ user: 'ann', pass: 'a password' }));
  await ann.use('test', 'test');
  expect(await answer(ann, 'UPDATE ONLY t:1 SET n = 0 RETURN VALUE n')).toBe('0');
  expect(await status('/health')).toBe(200);
  environment.advance(MINUTE);
  expect(world.database.resourceUsage.transactions).toBe(0);
  expect(engine.inUse).toEqual({ views: 0, transactions: 0 });
  expect(await call(connections[0] as RpcConnection, 'begin')).toBeInstanceOf(Uuid);
  for (const connection of connections) connection.close();
});

describe('#78', () => {
  const NO_VARIABLES = { variables: undefined, operationName: undefined };
  /** A request to a session before the connection is cut. */
  const WORK: Readonly<Record<string, (session: Session) => unknown>> = {
    begin: (session) => session.begin(),
    'begin, then query': async (session) => (await session.begin()).query('UPDATE t:1 SET n += 1; SELECT * FROM t'),
    commit: async (session) => {
      const held = await session.begin();
      await held.query('UPDATE t:1 SET n += 1');
      await held.commit();
    },
    snapshot: async (session) => (await session.begin({ writable: false })).query('SELECT * FROM t'),
    query: (session) => session.query('CREATE t; UPDATE t:1 SET n += 1; SELECT * FROM t; DEFINE TABLE other; CREATE t'),
    block: (session) => session.query('BEGIN; CREATE t; UPDATE t:1 SET n += 1; COMMIT; CREATE t'),
    live: (session) => session.query('LIVE SELECT * FROM t; CREATE t'),
    'live since': (session) => session.query('LIVE SELECT * FROM t SINCE 0; CREATE t'),
    'sign in': async (session) => {
      await session.signIn(objectFrom({ user: 'ann', pass: 'a password' }));
      await session.query('LIVE SELECT * FROM t');
    },
    'sign up': async (session) => {
      await session.signUp(objectFrom({ NS: 'test', DB: 'test', AC: 'people', name: `p${Math.random()}` }));
      await session.begin();
    },
    authenticate: async (session) => {
      await session.authenticate(token);
      await session.begin();
    },
    export: async (session) => {
      await session.authenticate(token);
      const pieces = session.export();
      // Its reader goes away with the connection.
      while (!(await pieces.next()).done);
    },
    'export that nobody reads': async (session) => {
      await session.authenticate(token);
      await session.export().next();
    },
    import: async (session) => {
      await session.authenticate(token);
      async function* pieces() {
        for (let piece = 0; piece < 5; piece++) {
          await new Promise(setImmediate);
          yield 'CREATE t; BEGIN; CREATE t; COMMIT;';
        }
      }
      await session.import(pieces());
    },
    catalog: (session) => catalogOf(session),
    graphql: async (session) => {
      await new GraphqlService().answer(session, { ...NO_VARIABLES, query: '{ t { id n } }' });
    },
    subscription: async (session) => {
      const query = 'subscription { t { id n } }';
      const opened = await new GraphqlService().subscribe(session, { ...NO_VARIABLES, query });
      if (Symbol.asyncIterator in opened) for await (const _ of opened) await new Promise(setImmediate);
    },
  };
  let token: string;
  beforeEach(async () => {
    const ann = world.guest();
    ({ access: token } = await ann.signIn(objectFrom({ user: 'ann', pass: 'a password' })));
    ann.close();
  });

  /** Nothing is under way. */
  async function quiet(): Promise<void> {
    for (let turn = 0; turn < 20; turn++) {
      await new Promise(setImmediate);
      await engine.earlyAnswers.durable();
      environment.advance(10);
    }
  }

  /** As many turns later as it takes to get ever further into the work. */
  const TURNS = [0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32];

  for (const [name, work] of Object.entries(WORK)) {
    attack(78, `cuts the connection within: ${name}`, async () => {
      await quiet();
      const before: ResourceUsage = world.database.resourceUsage;
      expect(engine.inUse).toEqual({ views: 0, transactions: 0 });
      for (const micro of [true, false]) {
        for (const turns of TURNS) {
          const session = world.database.session({ ip: '192.0.2.1' });
          await session.use('test', 'test');
          session.listen(() => undefined);
          let isDone = false;
          const over = () => {
            isDone = true;
          };
          void (async () => work(session))().then(over, over);
          for (let turn = 0; turn < turns; turn++) {
            await (micro ? Promise.resolve() : new Promise<void>((resolve) => setImmediate(resolve)));
          }
          session.close();
          // Passwords are hashed in threads of their own, which take their time.
          for (let turn = 0; !isDone && turn < 500_000; turn++) {
            await new Promise(setImmediate);
            if (turn % 100 === 0) environment.advance(10);
          }
          expect(isDone).toBe(true);
          await quiet();
          expect([turns, engine.inUse, world.database.resourceUsage]).toEqual([
            turns,
            { views: 0, transactions: 0 },
            before,
          ]);
        }
      }
    });
  }

  attack(78, 'cuts the connection while it isn’t clear yet whether the session may go on', async () => {
    const session = world.guest();
    await session.authenticate(token);
    await session.use('test', 'test');
    session.listen(() => undefined);
    await quiet();
    const before = world.database.resourceUsage;
    // The user of the session changes, so that it is validated again.
    await run(world.owner, 'DEFINE USER OVERWRITE bob ON ROOT PASSWORD "another" ROLES VIEWER');
    const begun = [
      (async () => session.begin())(),
      (async () => session.begin({ writable: false }))(),
      (async () => session.query('LIVE SELECT * FROM t'))(),
    ].map((each) =>
      each.then(
        () => 'done',
        ({ code }) => code,
      ),
    );
    session.close();
    await Promise.all(begun);
    await quiet();
    expect(engine.inUse).toEqual({ views: 0, transactions: 0 });
    expect(world.database.resourceUsage).toEqual({
      ...before,
      sessions: before.sessions - 1,
      signedIn: before.signedIn - 1,
    });
  });
});

attack(79, 'lets a transaction conflict, and then sleeps in it', async () => {
  const memory = new MemoryEngine(environment);
  const other = await World.open({ environment }, memory);
  const [owner, elsewhere] = [other.owner, other.database.ownerSession()];
  await run(owner, 'CREATE hot:1 SET n = 0; CREATE cold:1 SET n = 0');
  await elsewhere.use('elsewhere', 'elsewhere');
  await run(elsewhere, 'CREATE t:1 SET n = 0');
  const block = owner.query('BEGIN; UPDATE hot:1 SET n += 1; SLEEP 8s; COMMIT');
  let ended = false;
  void Promise.resolve(block).then(() => {
    ended = true;
  });
  const waits: number[] = [];
  const rival = other.database.ownerSession();
  await rival.use('test', 'test');
  let waiting: number | undefined;
  for (let nap = 0; !ended && nap < 2_000; nap++) {
    for (const each of [elsewhere, rival]) {
      const written = each.query(each === rival ? 'UPDATE cold:1 SET n += 1' : 'UPDATE t:1 SET n += 1; CREATE t');
      // Writers of other records don't wait.
      expect(isPromise(written)).toBe(false);
    }
    if (waiting === undefined) {
      const began = environment.clock.monotonic();
      const hot = rival.query('UPDATE hot:1 SET n += 10');
      if (isPromise(hot)) {
        waiting = began;
        void hot.then(([result]) => {
          expect(result?.outcome.ok).toBe(true);
          waits.push(environment.clock.monotonic() - began);
          waiting = undefined;
        });
      }
    }
    environment.advance(50);
    await new Promise(setImmediate);
  }
  const outcomes = (await block).map(({ outcome }) => (outcome.ok ? 'OK' : outcome.error.code));
  expect(outcomes).toEqual(['OK', 'transaction_conflict', 'transaction_conflict']);
  expect(waits.length).toBeGreaterThan(0);
  expect(Math.max(...waits)).toBeLessThanOrEqual(1_000);
  expect(memory.inUse.transactions).toBe(0);
  await other.close();
});
