/** Attacks that would bring a server down or make it stand still (34 to 42, 45 to 51, 53). */
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { WebSocket } from 'ws';
import type { Session } from '../../src/session/contract.js';
import { durationFromNanoseconds } from '../../src/value/time/duration.js';
import { objectFrom } from '../../src/value/value.js';
import { atLeast } from '../support/timeouts.js';
import { answer, answers, run, World } from '../support/world.js';
import { attack } from './attack.js';
import { Doors } from './doors.js';

let world: World;
let doors: Doors;
let app: FastifyInstance;
let eve: Session;
const internal: unknown[] = [];

const TOO_DEEP = /^(parse_error|query_too_deep): /;

beforeEach(async () => {
  internal.length = 0;
  world = await World.open({ report: (error) => internal.push(error.cause) });
  doors = await Doors.open(world);
  app = doors.app;
  eve = await world.person('eve');
});
/** Whatever was sent: no fault of our own, and everything still answers. */
afterEach(async () => {
  expect(internal).toEqual([]);
  expect(await answer(eve, 'RETURN 1')).toBe('1');
  expect((await app.inject({ url: '/health' })).statusCode).toBe(200);
  await doors.close();
  await world.close();
});

const OWNER_OF_DATABASE = `Basic ${Buffer.from('DO:DO has a password').toString('base64')}`;

const post = (url: string, payload: string | Buffer, headers: Record<string, string> = {}) =>
  app.inject({
    method: 'POST',
    url,
    payload,
    headers: { accept: 'application/json', 'content-type': 'application/json', ...headers },
  });

const rpc = (body: unknown) => post('/rpc', typeof body === 'string' ? body : JSON.stringify(body));

/** Each of the texts ends in an error of ours, or in an answer. */
async function expectAnswers(session: Session, texts: readonly string[]): Promise<string[]> {
  const told: string[] = [];
  for (const text of texts) told.push(await answers(session, text));
  for (const [at, each] of told.entries()) {
    expect([texts[at]?.slice(0, 80), each.slice(0, 200)]).toEqual([
      texts[at]?.slice(0, 80),
      expect.not.stringMatching(/^internal: /m),
    ]);
  }
  if (session === eve) for (const text of texts) await expectAnswersOutside(text);
  return told;
}

/** The same at every other door. */
async function expectAnswersOutside(text: string): Promise<void> {
  for (const [door, told] of Object.entries(await doors.ask(eve, text))) {
    expect([door, text.slice(0, 80), told.slice(0, 200)]).toEqual([
      door,
      text.slice(0, 80),
      expect.not.stringContaining('There was an internal problem'),
    ]);
  }
}

async function listen(): Promise<(path?: string) => Promise<WebSocket>> {
  const { port } = app.server.address() as AddressInfo;
  return (path = '/rpc') =>
    new Promise((resolve, reject) => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, ['json']);
      socket.once('open', () => resolve(socket));
      socket.once('error', reject);
    });
}

attack(34, 'CVE-2026-63747: selects a database without a namespace', async () => {
  for (const params of [
    [null, 'x'],
    [undefined, 'x'],
    [{ db: 'x' }],
    ['', 'x'],
    [1, 2],
    [null, null],
    [],
    [[], {}],
    [{ ns: null, db: 'x' }],
    ['x'.repeat(100_000), 'y'],
  ]) {
    const { statusCode } = await rpc({ id: 1, method: 'use', params });
    expect(statusCode).toBeLessThan(500);
  }
  const guest = world.guest();
  await guest.use(undefined, 'x');
  expect(await answer(guest, 'SELECT * FROM x')).toMatch(/^namespace_empty/);
  await guest.use(null, 'x');
  expect(await answer(guest, 'CREATE x')).toMatch(/^namespace_empty/);
});

attack(35, 'CVE-2026-63760: nests JSON, CBOR and queries without end', async () => {
  const depth = 100_000;
  await world.systemUser('DO');
  const own = { authorization: OWNER_OF_DATABASE, 'svc-auth-ns': 'test', 'svc-auth-db': 'test' };
  for (const open of ['[', '{"a":', '[{"a":']) {
    const { statusCode } = await rpc(`{"id":1,"method":"query","params":${open.repeat(depth)}`);
    expect(statusCode).toBe(413);
    expect((await rpc(open.repeat(depth))).statusCode).toBe(413);
    expect((await post('/rpc', open.repeat(depth), own)).statusCode).toBe(400);
  }
  const cborBombs = [0x81, 0xa1, 0x9f, 0xbf, 0xc8, 0xd9].map((byte) => Buffer.alloc(depth, byte));
  for (const payload of cborBombs) {
    const headers = { 'content-type': 'application/cbor', accept: 'application/cbor' };
    expect((await post('/rpc', payload, headers)).statusCode).toBe(413);
    expect((await post('/rpc', payload, { ...headers, ...own })).statusCode).toBe(400);
  }
  // An array that claims to have more elements than there is memory.
  const huge = Buffer.from([0x9b, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);
  expect((await post('/rpc', huge, { 'content-type': 'application/cbor' })).statusCode).toBe(400);
  const told = await expectAnswers(
    eve,
    ['[', '{ a: ', '(', '{', '[{ a: (', '<set>[', '|$x| ', 'IF true { ', '!', '-', 'a:[', 'r"a:['].map(
      (open) => `RETURN ${open.repeat(depth)}`,
    ),
  );
  for (const each of told) expect(each).toMatch(TOO_DEEP);
});

describe('over WebSocket', () => {
  attack(36, 'CVE-2026-63750: sends frames and fragments without end', async () => {
    const open = await listen();
    const whole = await open();
    const closed = new Promise<number>((resolve) => whole.once('close', resolve));
    whole.send(Buffer.alloc(256 * 1024, 0x20));
    expect(await closed).toBe(1009);
    const fragments = await open();
    const ended = new Promise<number>((resolve) => fragments.once('close', resolve));
    fragments.on('error', () => undefined);
    const part = Buffer.alloc(8 * 1024, 0x20);
    for (let sent = 0; sent < 64 && fragments.readyState === WebSocket.OPEN; sent++) {
      fragments.send(part, { fin: false, binary: false });
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await ended).toBe(1009);
  });

  attack(53, 'GHSA-58j9-j2fj-v8f4: keeps one socket busy with many cheap messages', async () => {
    const open = await listen();
    const [loud, quiet] = [await open(), await open()];
    for (let at = 0; at < 5_000; at++) loud.send('{"id":1,"method":"ping"}');
    let answered = 0;
    loud.on('message', () => answered++);
    const reply = new Promise<string>((resolve) => quiet.once('message', (data) => resolve(String(data))));
    quiet.send('{"id":2,"method":"ping"}');
    expect(JSON.parse(await reply)).toMatchObject({ id: 2 });
    expect(answered).toBeLessThan(5_000);
    loud.terminate();
    quiet.terminate();
  });
});

attack(37, 'CVE-2026-63737: chains operators without end', async () => {
  const many = 50_000;
  await expectAnswers(
    eve,
    ['1 + ', '1 - ', 'true AND ', 'false OR ', 'NONE ?? ', '1 == ', '2 ** ', '1 IN ', 'a.', '$a.', '1..'].map(
      (part) => `RETURN ${part.repeat(many)}1`,
    ),
  );
  await expectAnswers(eve, [
    `RETURN a${'.b'.repeat(many)}`,
    `RETURN a${'[0]'.repeat(many)}`,
    `RETURN a${'.b()'.repeat(many)}`,
    `RETURN a:1${'->b'.repeat(many)}`,
    `RETURN 1${'; RETURN 1'.repeat(20_000)}`,
  ]);
});

attack(38, 'CVE-2026-63759: nests types without end', async () => {
  const depth = 100_000;
  for (const open of ['array<', 'option<', 'set<', 'array<option<', '{ a: ', '[', 'any | array<']) {
    const type = open.repeat(depth);
    for (const text of [
      `RETURN <${type}int> 1`,
      `DEFINE FIELD f ON t TYPE ${type}int`,
      `LET $x: ${type}int = 1`,
      `RETURN |$x: ${type}int| $x`,
      `DEFINE FUNCTION fn::f($x: ${type}int) {}`,
    ]) {
      expect(await answer(eve, text)).toMatch(TOO_DEEP);
    }
  }
  await expectAnswers(world.owner, [
    `RETURN <${'int | '.repeat(20_000)}string> 'x'`,
    `DEFINE FIELD f ON t TYPE ${'int | '.repeat(20_000)}string`,
  ]);
});

attack(39, 'CVE-2024-58370: nests statements and paths past the limit', async () => {
  const depth = 20_000;
  const told = await expectAnswers(eve, [
    `${'IF true { '.repeat(depth)}`,
    `${'IF true THEN '.repeat(depth)}1`,
    `RELATE ${'(RELATE '.repeat(depth)}a:1->b->c:1`,
    `SELECT * FROM ${'(SELECT * FROM '.repeat(depth)}a`,
    `${'FOR $x IN [1] { '.repeat(depth)}`,
    `RETURN a[WHERE ${'a[WHERE '.repeat(depth)}1`,
    `RETURN a.{ ${'a: b.{ '.repeat(depth)}`,
    `RETURN ${'fn::f('.repeat(depth)}`,
    `RETURN ${'a->(b WHERE '.repeat(depth)}`,
    `EXPLAIN ${'EXPLAIN '.repeat(depth)}RETURN 1`,
  ]);
  for (const each of told) expect(each).toMatch(TOO_DEEP);
});

attack(40, 'CVE-2025-71393: calls itself by way of functions, events, fields and closures', async () => {
  await run(
    world.owner,
    `DEFINE FUNCTION fn::f() { RETURN fn::g() }; DEFINE FUNCTION fn::g() { RETURN fn::f() } ;
     DEFINE TABLE t PERMISSIONS FULL; DEFINE EVENT e ON t THEN { CREATE t };
     DEFINE TABLE u PERMISSIONS FULL; DEFINE EVENT e ON u THEN { UPDATE u:1 SET n = rand() }; DEFINE TABLE x PERMISSIONS FULL;
     DEFINE FIELD v ON x VALUE fn::x(); DEFINE FUNCTION fn::x() { CREATE x; RETURN 1 };
     DEFINE TABLE c PERMISSIONS FULL; CREATE c:1; DEFINE FIELD c ON c COMPUTED fn::c(); DEFINE FUNCTION fn::c() { RETURN c:1.c };
     DEFINE TABLE p PERMISSIONS FOR select WHERE fn::p(); DEFINE FUNCTION fn::p() { RETURN fn::p() }; CREATE p:1`,
  );
  for (const text of ['fn::f()', 'CREATE t', 'CREATE u:1', 'CREATE x', 'SELECT * FROM c']) {
    expect([text, await answer(eve, text)]).toEqual([text, expect.stringContaining('excessive computation depth')]);
  }
  expect(await answer(eve, 'SELECT * FROM p')).toBe('[]');
  await expectAnswers(eve, [
    'LET $f = |$f, $n| $f($f, $n + 1); $f($f, 0)',
    'LET $f = |$x| [1, 1].map(|$y| $f($y)); $f(1)',
  ]);
});

attack(41, 'CVE-2025-71397: loops for ever', async () => {
  await run(world.owner, 'DEFINE TABLE t PERMISSIONS FULL; FOR $at IN 1..=100 { CREATE t }');
  const many = Array(20).fill('t').join();
  const slow = [
    'SELECT * FROM t WHERE { FOR $a IN 0..1000000 { FOR $b IN 0..1000000 {} }; true } TIMEOUT 50ms',
    'SELECT (SELECT (SELECT (SELECT id FROM t) FROM t) FROM t) FROM t TIMEOUT 50ms',
    `SELECT * FROM ${many} WHERE array::len((SELECT * FROM ${many} WHERE id != $parent.id)) > 0 TIMEOUT 50ms`,
    'SELECT array::range(0, 10000).map(|$x| array::range(0, 10000).map(|$y| $x)) FROM 1 TIMEOUT 50ms',
  ];
  for (const text of slow) {
    const other = answer(world.owner, 'RETURN 1');
    expect([text, await answer(eve, text)]).toEqual([text, expect.stringMatching(/^(timed_out|value_too_large)/)]);
    expect(await other).toBe('1');
  }
  const timeout = durationFromNanoseconds(100_000_000n);
  const limited = await World.open(timeout === undefined ? {} : { requestTimeout: timeout });
  expect(await answer(limited.owner, 'FOR $a IN 0..1000000 { FOR $b IN 0..1000000 {} }')).toMatch(/^timed_out/);
  await limited.close();
});

attack(42, 'CVE-2025-71395: makes texts that double and double', async () => {
  await expectAnswers(eve, [
    "RETURN string::repeat('x', 9999999999)",
    "RETURN string::repeat(string::repeat('x', 1000000), 1000000)",
    "LET $s = string::repeat('x', 100000); RETURN string::replace($s, 'x', $s)",
    `LET $s = 'x'; ${'LET $s = string::concat($s, $s, $s, $s);'.repeat(40)} RETURN string::len($s)`,
    `LET $s = 'x'; ${'LET $s = $s + $s;'.repeat(60)} RETURN string::len($s)`,
    "RETURN string::repeat('x', 9999999999)",
    "RETURN string::matches(string::repeat('a', 100000), '(a+)+$b')",
    "RETURN string::repeat('a', 50000) = /^(a|a)*$b/",
    "RETURN string::replace(string::repeat('a', 100000), /(a*)*b/, '')",
    'RETURN 10 ** 1000000; RETURN 9dec ** 99999',
  ]);
});

attack(
  42,
  'CVE-2025-71395: makes lists that double and double',
  async () => {
    await expectAnswers(eve, [
      `LET $a = [1]; ${'LET $a = array::concat($a, $a, $a, $a);'.repeat(40)} RETURN array::len($a)`,
      `LET $a = [1]; ${'LET $a = [$a, $a];'.repeat(60)} RETURN array::flatten($a)`,
      `LET $a = 1; ${'LET $a = [$a, $a];'.repeat(60)} RETURN $a = $a`,
      `LET $a = 1; ${'LET $a = [$a, $a];'.repeat(60)} RETURN <string> $a`,
      `LET $a = 1; ${'LET $a = [$a, $a];'.repeat(60)} CREATE t SET a = $a`,
    ]);
    // As much is encoded as an answer may have, four times.
  },
  atLeast(120_000),
);

attack(42, 'CVE-2025-71395: asks for lists without end', async () => {
  await expectAnswers(eve, [
    'RETURN array::range(0, 99999999999)',
    'RETURN <array> 0..99999999999',
    'RETURN array::repeat(1, 99999999999)',
    'RETURN |t:1000001|',
    'RETURN |t:1..9999999999|',
  ]);
});

attack(45, 'CVE-2025-71391: puts NUL bytes everywhere', async () => {
  await world.systemUser('DO');
  const own = {
    authorization: OWNER_OF_DATABASE,
    'svc-auth-ns': 'test',
    'svc-auth-db': 'test',
    'svc-ns': 'test',
    'svc-db': 'test',
  };
  for (const text of [
    '\0',
    'RETURN 1\0',
    'RETURN "a\0b"',
    'RETURN `a\0b`',
    'CREATE `a\0b`:`c\0d`',
    'DEFINE TABLE `\0`',
    "RETURN 'a\\0b'",
  ]) {
    expect((await post('/sql', text, own)).statusCode).toBeLessThan(500);
    await answers(eve, text);
    await answers(world.owner, text);
  }
  expect((await rpc({ id: 1, method: 'use', params: ['a\0b', '\0'] })).statusCode).toBeLessThan(500);
  expect((await post('/signin', JSON.stringify({ user: '\0', pass: '\0', NS: 'a\0', DB: '\0' }))).statusCode).toBe(401);
  expect((await post('/sql?a%00b=%00', 'RETURN 1', own)).statusCode).toBeLessThan(500);
  expect(await answer(world.owner, 'CREATE nul SET a = $a', objectFrom({ a: 'x\0y', 'b\0c': 1 }))).toContain('nul:');
  // Keys with NUL in them neither end early nor run into each other.
  await run(world.owner, "CREATE n:['a\\0', 'b'], n:['a', '\\0b'], n:['a\\0b']");
  expect(await answer(world.owner, 'SELECT VALUE id FROM n GROUP ALL')).not.toMatch(/^internal/);
  expect(await answer(world.owner, 'RETURN count((SELECT * FROM n))')).toBe('3');
});

attack(46, 'CVE-2024-58368: puts special characters into headers', async () => {
  for (const value of ['`', '`; DROP', "'", '"', '\\', '⟩', 'é', '%00', '../..', '{}', '$auth', 'x'.repeat(7_000)]) {
    for (const name of [
      'svc-ns',
      'svc-db',
      'svc-id',
      'surreal-ns',
      'surreal-db',
      'surreal-id',
      'ns',
      'db',
      'id',
      'svc-auth-ns',
      'svc-auth-db',
      'authorization',
    ]) {
      const { statusCode } = await post('/sql', 'RETURN 1', { [name]: Buffer.from(value).toString('latin1') });
      expect([name, value.slice(0, 20), statusCode < 500]).toEqual([name, value.slice(0, 20), true]);
    }
  }
});

attack(47, 'CVE-2024-58361: casts empty and odd texts', async () => {
  const texts = [
    '',
    ' ',
    ':',
    'a:',
    ':a',
    'a:⟨',
    'a:`',
    'a:[',
    'a:{',
    '\\',
    '\u2028',
    '💥',
    '1',
    '-',
    '+',
    '.',
    'e',
    '0x',
    '1e999',
    '1y999999999999999w',
    '9999-99-99',
    '0000-00-00T00:00:00Z',
  ];
  const types = [
    'record',
    'duration',
    'datetime',
    'uuid',
    'int',
    'float',
    'decimal',
    'number',
    'bool',
    'bytes',
    'array',
    'set',
    'object',
    'geometry',
    'point',
    'regex',
    'range',
    'record<t>',
    'file',
  ];
  for (const type of types) {
    await expectAnswers(
      eve,
      texts.map((text) => `RETURN <${type}> ${JSON.stringify(text)}`),
    );
  }
  for (const prefix of ['r', 'd', 'u', 'b', 'f', 's', ''])
    await expectAnswers(
      eve,
      texts.map((text) => `RETURN ${prefix}${JSON.stringify(text)}`),
    );
});

attack(48, 'CVE-2024-58364: makes syntax errors at odd characters', async () => {
  const odd = [
    '\r',
    '\n',
    '\r\n',
    '\u2028',
    '\u2029',
    '\u0085',
    'é',
    '💥',
    '\ud800',
    '\ufeff',
    '\u200b',
    '\t',
    '\0',
    '\u0301',
  ];
  for (const each of odd) {
    await expectAnswers(eve, [
      each,
      `RETURN ${each}`,
      `RETURN 1 ${each} ]`,
      `RETURN "${each}`,
      `${each.repeat(50)}]`,
      `SELECT ${each}* FRM x`,
      `/* ${each}`,
      `RETURN '${each}' ]`,
      `RETURN (${each}\n${each}]`,
    ]);
  }
});

attack(49, 'CVE-2024-58365: names functions that do not exist in trees that were never parsed', async () => {
  const call = { kind: 'call', path: 'no::such', args: [] } as const;
  for (const expression of [
    call,
    { kind: 'array', items: [call] },
    { kind: 'idiom', start: call, parts: [] },
  ] as const) {
    const [result] = await eve.execute([{ kind: 'return', value: expression } as never]);
    expect(result?.outcome).toMatchObject({ ok: false, error: { code: 'function_missing' } });
  }
  for (const body of [
    { id: 1, method: 'run', params: ['no::such', null, []] },
    { id: 1, method: 'run', params: ['fn::', null, [1]] },
    { id: 1, method: 'run', params: ['', null, {}] },
    { id: 1, method: 'run', params: ['__proto__'] },
    { id: 1, method: 'constructor', params: [] },
    { id: 1, method: '__proto__', params: [] },
  ]) {
    expect((await rpc(body)).json()).toHaveProperty('error');
  }
});

attack(50, 'CVE-2024-58369: calls functions and params where nothing is selected', async () => {
  const sessions = [world.guest(), world.database.ownerSession()];
  const half = world.database.ownerSession();
  await half.use('test', null);
  for (const session of [...sessions, half]) {
    const texts = [
      'fn::x()',
      '$param',
      'SELECT * FROM t',
      'CREATE t',
      't:1.*',
      't:1->e->t',
      'record::exists(t:1)',
      'INFO FOR DB',
      'DEFINE TABLE t',
      'DEFINE FUNCTION fn::x() {}',
      'REMOVE TABLE t',
      'REBUILD INDEX i ON t',
      'RELATE t:1->e->t:2',
      'INSERT INTO t {}',
      'SELECT * FROM $auth',
      'USE DB x',
    ];
    await expectAnswers(session, texts);
  }
});

attack(51, 'CVE-2024-58359: sorts at random, and what cannot be compared', async () => {
  await run(
    world.owner,
    'DEFINE TABLE t PERMISSIONS FULL; INSERT INTO t (SELECT VALUE { id: $this } FROM 1..=20000)',
  ).catch(() => undefined);
  await run(
    world.owner,
    'FOR $at IN 1..=3000 { CREATE t SET v = [1, 1f, 1dec, "a", NONE, NULL, true, [1], {a: 1}, 1/0, t:1, d"2020-01-01T00:00:00Z", 1s, {1,}, 1..2][$at % 15] }',
  );
  expect(await answer(eve, 'RETURN count((SELECT VALUE id FROM t ORDER BY rand() LIMIT 3000))')).toBe('3000');
  await expectAnswers(eve, [
    'SELECT VALUE v FROM t ORDER BY v LIMIT 1',
    'SELECT VALUE v FROM t ORDER BY v DESC LIMIT 1',
    'SELECT VALUE v FROM t ORDER BY v COLLATE NUMERIC LIMIT 1',
    'RETURN array::sort((SELECT VALUE v FROM t))[0]',
    'RETURN array::max((SELECT VALUE v FROM t))',
    'SELECT v, count() FROM t GROUP BY v',
  ]);
});
