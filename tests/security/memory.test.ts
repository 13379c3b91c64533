/** Attacks that would fill the memory (65 to 68, 81): each ends in an error of its own, and others go on. */
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { realEnvironment } from '../../src/env/real.js';
import { GraphqlService } from '../../src/graphql/service.js';
import { createGraphqlHandler } from '../../src/graphql/transports/handler.js';
import { createHttpServer, type HttpServerParts } from '../../src/http/server.js';
import { OwnStatements } from '../../src/session/cache/own-statements.js';
import type { Session } from '../../src/session/contract.js';
import type { DatabaseOptions } from '../../src/session/database/options.js';
import type { MemoryLimits } from '../../src/session/resources/server-memory.js';
import { encodeCbor } from '../../src/value/codecs/cbor-encode.js';
import { newObject, objectFrom } from '../../src/value/value.js';
import { answer, run, World } from '../support/world.js';
import { attack } from './attack.js';
import { Doors } from './doors.js';

const KIB = 1024;
const MIB = 1024 * KIB;
const SMALL: MemoryLimits = {
  vectors: 2 ** 20,
  files: 2 ** 20,
  total: 16 * MIB,
  connection: 8 * MIB,
  user: 8 * MIB,
  session: 8 * MIB,
  request: 4 * MIB,
  guest: 256 * KIB,
};

let world: World;
let app: FastifyInstance | undefined;
let sockets: (WebSocket | net.Socket)[] = [];
const internal: unknown[] = [];

async function open(options: DatabaseOptions = {}): Promise<void> {
  world = await World.open({
    guests: false,
    report: (error) => internal.push(error.cause),
    ...options,
    memory: { ...SMALL, ...options.memory },
  });
}

async function serve(parts: Partial<HttpServerParts> = {}): Promise<FastifyInstance> {
  app = createHttpServer({ database: world.database, ...parts });
  await app.listen({ host: '127.0.0.1', port: 0 });
  return app;
}

const port = () => (app?.server.address() as AddressInfo | undefined)?.port ?? 0;

async function connect(protocol = 'json'): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port()}/rpc`, [protocol], { maxPayload: 64 * MIB });
  sockets.push(socket);
  socket.on('error', () => undefined);
  await once(socket, 'open');
  return socket;
}

async function call(socket: WebSocket, method: string, ...params: unknown[]): Promise<string> {
  const answered = once(socket, 'message');
  socket.send(JSON.stringify({ id: 1, method, params }));
  return String((await answered)[0]);
}

async function connectAs(session: Session): Promise<WebSocket> {
  const socket = await connect();
  await call(socket, 'authenticate', world.tokenOf(session));
  return socket;
}

const used = () => world.database.memory.budget.used;
const sql = (text: string, session: Session) =>
  app?.inject({
    method: 'POST',
    url: '/sql',
    headers: {
      accept: 'application/json',
      authorization: `Bearer ${world.tokenOf(session)}`,
      'svc-ns': 'test',
      'svc-db': 'test',
    },
    payload: text,
  });

beforeEach(() => {
  internal.length = 0;
  sockets = [];
});
afterEach(async () => {
  for (const socket of sockets) {
    if (socket instanceof WebSocket) socket.terminate();
    else socket.destroy();
  }
  expect(internal).toEqual([]);
  expect(await answer(world.owner, 'RETURN 1')).toBe('1');
  await app?.close();
  app = undefined;
  await world.close();
});

attack(65, 'sets variables before sign-in, few in number and large when they are decoded', async () => {
  await open();
  await serve();
  const socket = await connect('cbor');
  const many = Array.from({ length: 8_000 }, () => newObject());
  const send = async (name: string) => {
    const answered = once(socket, 'message');
    socket.send(encodeCbor(objectFrom({ id: 1, method: 'let', params: [name, many] })));
    return String((await answered)[0]);
  };
  // Some 8 KB on the way, no more values than guests may send, and more than they may keep.
  expect(await send('w0')).toContain('--max-guest-memory');
  const whole = await connect();
  const texts: string[] = [];
  for (let at = 0; at < 20; at++) texts.push(await call(whole, 'let', `w${at}`, 'x'.repeat(16 * KIB)));
  const kept = texts.filter((each) => each.includes('"result":null')).length;
  expect(kept).toBeGreaterThan(2);
  expect(kept * 16 * KIB).toBeLessThan(SMALL.guest);
  expect(texts.at(-1)).toContain('--max-guest-memory');
  expect(used()).toBeLessThanOrEqual(SMALL.guest);
  // Others have as much.
  expect(await call(await connect(), 'let', 'w', 'x'.repeat(16 * KIB))).toContain('"result":null');
  for (const each of sockets) (each as WebSocket).terminate();
  await expect.poll(() => used()).toBe(0);
});

describe('products of SPLIT', () => {
  const PRODUCT = 'FROM {a: <array> 0..2000, b: <array> 0..2000, c: <array> 0..2000} SPLIT a, b, c';

  attack(66, 'splits a row into eight thousand million', async () => {
    let now = 0;
    const clock = { ...realEnvironment.clock, monotonic: () => now++ };
    await open({ environment: { ...realEnvironment, clock } });
    const eve = await world.person('eve');
    expect(await answer(eve, `SELECT a, b, c ${PRODUCT} START 2000 LIMIT 2`)).toBe(
      '[{ a: 0, b: 1, c: 0 }, { a: 0, b: 1, c: 1 }]',
    );
    expect(await answer(eve, `SELECT * ${PRODUCT}`)).toMatch(/^request_memory_exceeded/);
    expect(await answer(eve, `SELECT * ${PRODUCT} ORDER BY a LIMIT 1 TIMEOUT 500ms`)).toMatch(/^timed_out/);
    // The clock goes on by a millisecond at each look, so that there was a look for some hundred rows.
    expect(now).toBeLessThan(5_000);
    expect(used()).toBe(0);
  });

  test('are what they were when they are small', async () => {
    await open();
    expect(await answer(world.owner, 'SELECT * FROM {a: [1, 2], b: [], c: [3, NONE], d: 4} SPLIT a, b, c, d')).toBe(
      '[{ a: 1, b: [], c: 3, d: 4 }, { a: 1, b: [], c: NONE, d: 4 }, { a: 2, b: [], c: 3, d: 4 }, { a: 2, b: [], c: NONE, d: 4 }]',
    );
    await run(world.owner, 'CREATE t:1 SET o = {a: {1, 2}}, b = [[1, 2], [3]]; CREATE t:2 SET b = 5');
    expect(await answer(world.owner, 'SELECT o.a, b FROM t SPLIT o.a, b LIMIT 3')).toBe(
      '[{ b: [1, 2], o: { a: 1 } }, { b: [3], o: { a: 1 } }, { b: [1, 2], o: { a: 2 } }]',
    );
  });
});

/** A text of 64,000 characters. */
const TEXT = "LET $s = string::repeat('abcdefgh', 8000);";

describe('requests', () => {
  attack(67, 'highlights and offsets of many rows count as what they are', async () => {
    await open({ memory: { ...SMALL, request: MIB } });
    const eve = await world.person('eve');
    await run(
      world.owner,
      `DEFINE TABLE text PERMISSIONS FOR select FULL; DEFINE ANALYZER words TOKENIZERS blank;
      DEFINE INDEX body ON text FIELDS body FULLTEXT ANALYZER words BM25 HIGHLIGHTS;
      INSERT INTO text (<array> 0..400).map(|$n| { id: $n, body: string::repeat('tea ', 200) })`,
    );
    const found = (what: string) => answer(eve, `SELECT ${what} FROM text WHERE body @0@ 'tea' LIMIT 300`);
    for (const what of ['search::offsets(0)', "search::highlight('<b>', '</b>', 0, true)"]) {
      expect((await found(what)).slice(0, 40)).toMatch(/^request_memory_exceeded/);
    }
    expect(
      await answer(eve, "RETURN (SELECT VALUE search::offsets(0) FROM text WHERE body @0@ 'tea' LIMIT 5).len()"),
    ).toBe('5');
    expect(await found('search::score(0)')).toContain('search::score');
  });

  attack(67, 'makes more than there is memory for, from little', async () => {
    await open();
    const doors = await Doors.open(world);
    const eve = await world.person('eve');
    const bombs = [
      `${TEXT} RETURN (<array> 0..4000).map(|$x| string::uppercase($s))`,
      `${TEXT} RETURN array::map(<array> 0..4000, |$x| <bytes> $s)`,
      `${TEXT} RETURN (<array> 0..4000).map(|$x| <string> $x + $s)`,
      `${TEXT} RETURN array::fold(<array> 0..4000, [], |$all, $x| $all + [string::uppercase($s)])`,
      'RETURN (<array> 0..200000).map(|$x| { a: $x, b: [$x, $x], c: <string> $x })',
      'RETURN (<array> 0..9000).map(|$x| <array> 0..9000)',
      `LET $a = (<array> 0..9000); RETURN (<array> 0..9000).map(|$x| $a + [$x])`,
      `LET $a = object::from_entries((<array> 0..5000).map(|$x| [<string> $x, $x])); RETURN (<array> 0..900).map(|$x| $a + { b: $x })`,
      `${TEXT} ${'LET $s = $s + $s;'.repeat(8)} RETURN string::len($s)`,
      `${TEXT} ${'RETURN string::uppercase($s);'.repeat(100)}`,
      `${TEXT} BEGIN; ${'LET $s = $s + $s;'.repeat(8)} COMMIT`,
      '1;'.repeat(20_000),
    ];
    for (const text of bombs) {
      for (const [door, told] of Object.entries(await doors.ask(eve, text))) {
        const named = told.match(/The request needs more than the 4 MiB of memory/)?.[0] ?? told.slice(-400);
        expect([door, text.slice(0, 60), named]).toEqual([door, text.slice(0, 60), expect.stringMatching(/4 MiB/)]);
      }
      // The WebSocket's is given back when the server receives its end.
      await expect.poll(() => used()).toBe(0);
    }
    await doors.close();
  });

  attack(67, 'sends texts whose trees, pending parts and errors take many times what was sent', async () => {
    await open();
    const eve = await world.person('eve');
    const refused = ['request_memory_exceeded', 'session_memory_exceeded'];
    const code = async (work: () => Promise<unknown> | unknown) => {
      try {
        await work();
      } catch (error) {
        return (error as { code: string }).code;
      }
      return 'none';
    };
    // Some 20 bytes of memory for each byte of text, and several times as much once they have run.
    for (const text of ['RETURN 1;'.repeat(15_000), `RETURN [${'[],'.repeat(40_000)}1]`])
      expect(refused).toContain(await code(() => eve.query(text, newObject())));
    const block = `BEGIN;${'CREATE z SET a = 1;'.repeat(1_500)}COMMIT`;
    expect(refused).toContain(await code(() => eve.query(block, newObject())));
    // A text of some failing statements: the text of their errors.
    const failing = 'THROW string::uppercase(string::repeat("x", 200000));'.repeat(100);
    const messages = (await eve.query(failing, newObject())).map(
      (each) => each.outcome.ok || each.outcome.error.message,
    );
    expect(messages[0]).toHaveLength('An error occurred: '.length + 200_000);
    expect(messages.join('').length).toBeLessThan(4 * MIB);
    const failed = await eve.query('RETURN 1 + "";'.repeat(100), newObject());
    expect(failed).toHaveLength(100);
    const { outcome } = failed.at(-1) as (typeof failed)[number];
    expect(outcome).toMatchObject({ ok: false, error: { stack: '' } });
    expect(used()).toBe(0);

    let read = 0;
    const pieces = async function* (first: string, piece: string) {
      for (yield first; read < 1_000; read++) yield piece;
    };
    const wide = '→'.repeat(16 * KIB);
    for (const [first, piece] of [
      ['RETURN "', 'a'.repeat(64 * KIB)],
      ['RETURN "', wide],
      ['BEGIN;', 'CREATE z SET a = 1;'.repeat(100)],
      ['RETURN [', '[],'.repeat(20_000)],
    ] as const) {
      read = 0;
      expect(refused).toContain(await code(() => world.owner.import(pieces(first, piece))));
      // It ends with what is too much, not with the text.
      expect(read).toBeLessThan(500);
      expect(used()).toBe(0);
    }
    // Of those who may import nothing, nothing is read.
    read = 0;
    expect(await code(() => eve.import(pieces('RETURN "', wide)))).toBe('not_allowed');
    expect(read).toBe(0);
  });

  test('forget the statements of a long text as they run', async () => {
    await open();
    const forget = vi.spyOn(OwnStatements.prototype, 'forget');
    await world.owner.query('RETURN 1; BEGIN; RETURN 2; COMMIT;'.repeat(400), newObject());
    await world.owner.query('RETURN 1', newObject());
    const [long, ...others] = new Set(forget.mock.contexts as OwnStatements[]);
    expect(new Set(long?.statements.map(({ kind }) => kind))).toEqual(new Set(['cancel']));
    expect(others).toEqual([]);
    forget.mockRestore();
  });

  test('may make any amount of what they don’t keep', async () => {
    await open();
    await run(world.owner, `${TEXT} CREATE |t:1..300| SET text = $s, n = 1 RETURN NONE`);
    await run(
      world.owner,
      'DEFINE FUNCTION fn::length($s: string) { LET $u = string::uppercase($s); RETURN string::len($u) }',
    );
    for (const text of [
      'RETURN (<array> 0..1000).map(|$x| string::len(string::uppercase($s))).len()',
      'RETURN (<array> 0..1000).map(|$x| string::slice(string::uppercase($s), 0, 10)).len()',
      'RETURN (<array> 0..1000).map(|$x| fn::length($s)).len()',
      'FOR $x IN 0..1000 { LET $u = string::uppercase($s); }; RETURN 1000',
      'RETURN (<array> 0..1000).map(|$x| (SELECT VALUE string::len(string::uppercase($s)) FROM ONLY 1)).len()',
      'SELECT VALUE count() FROM ONLY (SELECT * FROM t WHERE string::uppercase(text) != "") GROUP ALL LIMIT 1',
      'RETURN (SELECT VALUE string::len(string::uppercase(text)) FROM t).len()',
      'RETURN (SELECT n, math::sum(string::len(string::uppercase(text))) FROM t GROUP BY n).len()',
      'RETURN (SELECT n FROM t ORDER BY n).len()',
      'RETURN (UPDATE t SET n = string::len(string::uppercase(text)) RETURN VALUE n).len()',
      'RETURN (DELETE t WHERE string::uppercase(text) = "" RETURN BEFORE).len()',
    ]) {
      expect([text, await answer(world.owner, `${TEXT} ${text}`)]).toEqual([text, expect.stringMatching(/^\d+$/)]);
    }
    expect(used()).toBe(0);
  });

  test('that fail leave the others of their text alone', async () => {
    await open();
    const results = await world.owner.query(
      `${TEXT} RETURN (<array> 0..4000).map(|$x| string::uppercase($s)); RETURN string::len(string::uppercase($s))`,
    );
    expect(results.map(({ outcome }) => (outcome.ok ? outcome.value : outcome.error.code))).toEqual([
      undefined,
      'request_memory_exceeded',
      64_000,
    ]);
  });

  test('count the records that they collect, make, sort and group', async () => {
    await open({ memory: { request: 512 * KIB } });
    await run(world.owner, 'CREATE |t:1..9001| SET name = "some name", n = 5 RETURN NONE');
    // Engines in memory share their records with all readers.
    expect(await answer(world.owner, 'RETURN (SELECT * FROM t).len()')).toBe('9000');
    for (const text of [
      'SELECT id, name, n FROM t',
      'SELECT * FROM t ORDER BY n',
      'SELECT id, count() FROM t GROUP BY id',
      'SELECT * FROM t SPLIT n',
    ]) {
      expect([text, await answer(world.owner, text)]).toEqual([
        text,
        expect.stringMatching(/^request_memory_exceeded/),
      ]);
      expect(used()).toBe(0);
    }
    expect(await answer(world.owner, 'RETURN (SELECT * FROM t ORDER BY n LIMIT 10).len()')).toBe('10');
    expect(await answer(world.owner, 'RETURN (SELECT n, count() FROM t GROUP BY n).len()')).toBe('1');
  });

  test('the largest is ended when the heap is nearly full, and no other', async () => {
    let full = false;
    let now = 0;
    const clock = { ...realEnvironment.clock, monotonic: () => (now += 20) };
    // Of 560 MiB, the limit that V8 reports for a heap of 512.
    const heap = { used: () => (full ? 480 : 56) * MIB, limit: 560 * MIB };
    await open({
      environment: { ...realEnvironment, clock, heap },
      memory: { ...SMALL, request: 16 * MIB, session: 16 * MIB, connection: 16 * MIB },
    });
    const [small, large] = [await world.person('small'), await world.person('large')];
    const sleeping = (variables: string) =>
      `${variables} SLEEP 20ms; FOR $x IN 0..2000 { LET $u = string::uppercase($s) }; RETURN 1`;
    const told = [answer(small, sleeping(TEXT)), answer(large, sleeping(`${TEXT} ${'LET $s = $s + $s;'.repeat(6)}`))];
    full = true;
    expect(await told[1]).toMatch(/^heap_exhausted/);
    expect(await told[0]).toBe('1');
  });
});

describe('what is held', () => {
  attack(68, 'holds variables and messages and bodies that never end', async () => {
    await open();
    await serve();
    const eve = await world.person('eve');
    const socket = await connectAs(eve);
    const texts: string[] = [];
    for (let at = 0; at < 12; at++) texts.push(await call(socket, 'let', `v${at}`, 'x'.repeat(MIB)));
    expect(texts[0]).toContain('"result":null');
    expect(texts.at(-1)).toContain('error');
    expect(used()).toBeLessThanOrEqual(SMALL.connection);
    expect(await call(socket, 'let', 'v0', 'short')).toContain('"result":null');
    expect(await call(socket, 'let', 'v20', 'x'.repeat(MIB / 2))).toContain('"result":null');

    const unfinished = await connectAs(eve);
    const closed = once(unfinished, 'close');
    unfinished.send(Buffer.alloc(12 * MIB, 0x20), { fin: false, binary: false });
    expect((await closed)[0]).toBe(1013);

    const refused: string[] = [];
    const bodies = Array.from({ length: 12 }, () => {
      const body = net.connect(port(), '127.0.0.1');
      sockets.push(body);
      body.on('error', () => undefined).on('data', (data) => refused.push(String(data)));
      body.write(
        `POST /rpc HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${world.tokenOf(eve)}\r\n` +
          'content-type: application/json\r\ncontent-length: 2000000\r\n\r\n',
      );
      body.write(Buffer.alloc(1_000_000, 0x20));
      return body;
    });
    await expect.poll(() => refused.length).toBeGreaterThan(4);
    expect(refused[0]).toContain('HTTP/1.1 503');
    expect(refused[0]).toContain('server_memory_exceeded');
    expect(world.database.memory.incoming.used).toBeLessThanOrEqual(world.database.memory.incoming.limit);
    // A client that sends little is served meanwhile.
    expect((await sql('RETURN 1', eve))?.body).toContain('"result":1');
    expect(await call(await connect(), 'ping')).toContain('result');

    for (const body of bodies) body.destroy();
    await expect.poll(() => world.database.memory.incoming.used).toBe(0);
    socket.terminate();
    await expect.poll(() => used()).toBe(0);
  });

  test('is given back when it is unset, replaced, forgotten or its session is closed', async () => {
    await open();
    const session = world.database.session({});
    const kept = () => session.memory.connection.budget.used;
    void session.setVariable('a', 'x'.repeat(10_000));
    const once = kept();
    expect(once).toBeGreaterThan(20_000);
    void session.setVariable('a', 'x'.repeat(10_000));
    expect(kept()).toBe(once);
    void session.setVariable('a', 1);
    expect(kept()).toBeLessThan(100);
    session.unsetVariable('a');
    expect(kept()).toBe(0);
    void session.setVariable('a', 'x'.repeat(10_000));
    session.reset();
    expect(kept()).toBe(0);
    void session.setVariable('a', 'x'.repeat(10_000));
    expect(() => session.setVariable('b', 'x'.repeat(200_000))).toThrow('--max-guest-memory');
    expect(kept()).toBe(once);
    session.close();
    expect(used()).toBe(0);
  });

  test('by a user who signs out again is no more than guests may hold', async () => {
    await open();
    const eve = await world.person('eve');
    void eve.setVariable('little', 1);
    eve.invalidate();
    await eve.authenticate(world.tokenOf(eve) as string);
    await eve.use('test', 'test');
    expect(await answer(eve, 'RETURN $little')).toBe('1');
    void eve.setVariable('large', 'x'.repeat(MIB));
    eve.invalidate();
    expect(used()).toBe(0);
  });
});

describe('answers', () => {
  const QUERY = 'SELECT * FROM t';
  /** Few rows are written at once, many in pieces. */
  const SIZES = [500, 4_000];

  const openWithRows = async () => {
    await open({ memory: { ...SMALL, total: 64 * MIB, user: 64 * MIB } });
    await run(world.owner, 'DEFINE TABLE t SCHEMALESS PERMISSIONS FULL; DEFINE FIELD name ON t TYPE string');
    await run(world.owner, 'DEFINE CONFIG GRAPHQL AUTO');
    await run(world.owner, 'CREATE |t:1..4001| SET name = "some name of somebody" RETURN NONE');
  };

  attack(81, 'asks for answers longer than any text may be', async () => {
    await openWithRows();
    const limit = 16 * KIB;
    const graphql = createGraphqlHandler(new GraphqlService({ maxAnswer: limit }), 'standard');
    await serve({ graphql, options: { limits: { answer: limit } } });
    const eve = await world.person('eve');
    const headers = {
      authorization: `Bearer ${world.tokenOf(eve)}`,
      'svc-ns': 'test',
      'svc-db': 'test',
      'content-type': 'application/json',
    };
    const post = async (url: string, accept: string, payload: string) => {
      const told = await app?.inject({ method: 'POST', url, headers: { ...headers, accept }, payload });
      return `${told?.statusCode} ${told?.body}`;
    };
    const socket = await connectAs(eve);
    await call(socket, 'use', 'test', 'test');
    for (const rows of SIZES) {
      const text = `${QUERY} LIMIT ${rows}`;
      const rpc = JSON.stringify({ id: 7, method: 'query', params: [text] });
      for (const accept of ['application/json', 'application/cbor']) {
        expect(await post('/sql', accept, text)).toMatch(/^413 .*answer_too_large/s);
        expect(await post('/rpc', accept, rpc)).toMatch(/^200 .*--max-answer/s);
      }
      expect(await call(socket, 'query', text)).toMatch(/"id":1.*--max-answer|--max-answer.*"id":1/);
      const document = JSON.stringify({ query: `{ t(limit: ${rows}) { id name } }` });
      expect(await post('/graphql', 'application/json', document)).toContain('--max-answer');
    }
    // Several statements together.
    expect(await post('/sql', 'application/json', `${QUERY} LIMIT 100;`.repeat(9))).toMatch(/^413 .*answer_too_large/s);
    expect(await post('/sql', 'application/json', `${QUERY} LIMIT 9`)).toMatch(/^200 /);
    expect(await call(socket, 'query', `${QUERY} LIMIT 9`)).toContain('some name');
    // A text that JavaScript can't hold is a limit's error, too.
    expect(await answer(world.owner, 'RETURN 1')).toBe('1');
  });

  attack(81, 'stops reading a long answer', async () => {
    await openWithRows();
    const stalls: (() => void)[] = [];
    const timers = {
      ...realEnvironment.timers,
      after: (milliseconds: number, callback: () => void) => {
        if (milliseconds !== 60_000) return realEnvironment.timers.after(milliseconds, callback);
        stalls.push(callback);
        return () => {
          stalls.splice(stalls.indexOf(callback), 1);
        };
      },
    };
    await serve({ environment: { ...realEnvironment, timers } });
    const eve = await world.person('eve');
    // More than the system takes for a reader who is late.
    const text = `${QUERY}; `.repeat(80);
    const reader = net.connect({ port: port(), host: '127.0.0.1' });
    sockets.push(reader);
    reader.on('error', () => undefined);
    reader.write(
      `POST /sql HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${world.tokenOf(eve)}\r\naccept: application/json\r\nsvc-ns: test\r\nsvc-db: test\r\ncontent-length: ${text.length}\r\n\r\n${text}`,
    );
    await once(reader, 'readable');
    // What it hasn't read is counted until it is gone.
    expect(used()).toBeGreaterThan(MIB);
    await expect.poll(() => stalls.length).toBe(1);
    // The first time finds that the system has taken some of it since.
    const timeIsUp = () => {
      for (const stall of stalls.splice(0)) stall();
    };
    await expect
      .poll(() => {
        timeIsUp();
        return used();
      })
      .toBe(0);

    const socket = await connectAs(eve);
    await call(socket, 'use', 'test', 'test');
    socket.pause();
    socket.send(JSON.stringify({ id: 1, method: 'query', params: [text] }));
    await expect.poll(() => used()).toBeGreaterThan(MIB);
    socket.terminate();
    await expect.poll(() => used()).toBe(0);
  });
});
