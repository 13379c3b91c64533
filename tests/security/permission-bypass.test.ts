/** Attacks on row and field permissions (14 to 28). More of them are in `tests/scripts/permissions`. */
import { afterEach, beforeEach, expect } from 'vitest';
import type { Session } from '../../src/session/contract.js';
import { answer, run, World } from '../support/world.js';
import { attack } from './attack.js';
import { Doors } from './doors.js';

let world: World;
let doors: Doors;
let eve: Session;
let guest: Session;

beforeEach(async () => {
  world = await World.open();
  doors = await Doors.open(world);
  eve = await world.person('eve');
  guest = world.guest();
  await guest.use('test', 'test');
});
afterEach(async () => {
  await doors.close();
  await world.close();
});

const define = (text: string) => run(world.owner, text);

/** Sends statements by every door, as the record user and as a guest. */
async function askEverybody(statements: readonly string[]): Promise<void> {
  for (const session of [eve, guest]) for (const text of statements) await doors.ask(session, text);
}

/** None of the answers holds the secret, whichever way they are asked for, by the record user and by a guest. */
async function expectSilence(statements: readonly string[], secret = 'xyzzy'): Promise<void> {
  for (const session of [eve, guest]) {
    for (const text of statements) {
      const told = Object.entries(await doors.ask(session, text)).filter(([, each]) => each.includes(secret));
      expect([text, told]).toEqual([text, []]);
    }
  }
}

/** The same of GraphQL, for tables whose fields are defined. */
async function expectGraphqlSilence(documents: readonly string[], secret = 'xyzzy'): Promise<void> {
  await define('DEFINE CONFIG OVERWRITE GRAPHQL AUTO');
  for (const session of [eve, guest]) {
    for (const text of documents) {
      const told = await doors.graphql(session, text);
      expect([text, told]).toEqual([text, expect.not.stringContaining(secret)]);
      expect([text, told]).toEqual([text, expect.stringContaining('"data"')]);
    }
  }
}

attack(14, 'CVE-2023-54366: uses a table that was defined without permissions', async () => {
  await define('DEFINE TABLE t; CREATE t:1 SET n = 1');
  expect(await answer(world.owner, 'RETURN (INFO FOR DB).tables.t')).toContain('PERMISSIONS NONE');
  for (const session of [guest, eve]) {
    for (const text of [
      'SELECT * FROM t',
      'CREATE t',
      'UPDATE t SET n = 2',
      'UPSERT t:1',
      'DELETE t',
      'INSERT INTO t {}',
    ]) {
      expect([text, await answer(session, text)]).toEqual([text, '[]']);
      for (const [door, told] of Object.entries(await doors.ask(session, text))) {
        expect([door, text, told]).toEqual([door, text, expect.stringMatching(/^\[\]$|"result":\[\]/)]);
      }
    }
  }
  expect(await answer(world.owner, 'SELECT * FROM t')).toBe('[{ id: t:1, n: 1 }]');
});

attack(15, 'CVE-2024-58367: evaluates a field before its rule', async () => {
  await define(`DEFINE TABLE t PERMISSIONS FULL; DEFINE FIELD f ON t PERMISSIONS FOR select NONE;
    DEFINE FUNCTION fn::same($x: any) { RETURN $x }; CREATE t:1 SET f = 'xyzzy'`);
  await expectSilence([
    'SELECT VALUE f FROM t',
    'SELECT f AS g, fn::same(f), string::uppercase(f ?? ""), [f], { f } FROM t',
    "SELECT id FROM t WHERE f = 'x' OR { THROW f }",
    'SELECT id FROM t ORDER BY f',
    'UPDATE t SET x = f RETURN BEFORE',
    'UPDATE t SET x = f RETURN x, f',
    'UPDATE t SET y = { THROW f ?? 0 }',
    'DELETE t:1 RETURN BEFORE',
  ]);
});

attack(15, 'CVE-2024-58367: evaluates a field before its rule, over GraphQL', async () => {
  await define(`DEFINE TABLE t PERMISSIONS FULL; DEFINE FIELD f ON t TYPE string PERMISSIONS FOR select NONE; DEFINE FIELD n ON t TYPE int;
    DEFINE FIELD o ON t TYPE object; DEFINE FIELD o.f ON t TYPE string PERMISSIONS FOR select NONE; DEFINE FIELD o.g ON t TYPE int;
    CREATE t:1 SET f = 'xyzzy', n = 1, o = { f: 'xyzzy', g: 1 }; CREATE t:2 SET f = 'a', n = 2, o = { f: 'a', g: 2 }`);
  await expectGraphqlSilence([
    '{ t { id f n o { f g } } }',
    '{ _get_t(id: "1") { f o { f } } _get(id: "t:1") { ... on t { f } } }',
  ]);
  // Neither filters nor the order tell anything of it.
  for (const list of ['filter: {f: {eq: "xyzzy"}}', 'filter: {f: {gt: "b"}}', 'filter: {o: {f: {eq: "xyzzy"}}}']) {
    const told = await doors.graphql(eve, `{ t(${list}) { id } }`);
    expect([list, told]).toEqual([list, expect.not.stringContaining('t:1')]);
  }
  for (const direction of ['asc', 'desc']) {
    const told = await doors.graphql(eve, `{ t(order: {${direction}: f}) { id } }`);
    expect(told).toContain('{"id":"t:1"},{"id":"t:2"}');
  }
});

attack(16, 'CVE-2026-63755: runs conditions and assignments before the row rule', async () => {
  await define(
    "DEFINE TABLE t PERMISSIONS FOR create FULL; CREATE t:1 SET secret = 'xyzzy'; DEFINE INDEX i ON t FIELDS u UNIQUE; UPDATE t:1 SET u = 1",
  );
  await expectSilence(
    [
      'SELECT * FROM t WHERE { THROW secret }',
      'SELECT * FROM t WHERE { SLEEP 10s; true }',
      'SELECT { THROW secret } FROM t',
      'UPDATE t SET x = { THROW secret }',
      'UPDATE t:1 SET x = { THROW $before }',
      'UPSERT t:1 SET x = { THROW secret ?? "" }',
      'UPSERT t SET u = 1, x = { THROW secret ?? "" }',
      'UPDATE t MERGE { THROW secret } WHERE { THROW secret }',
      'INSERT INTO t { id: 1 } ON DUPLICATE KEY UPDATE x = { THROW secret }',
      'INSERT INTO t { u: 1 } ON DUPLICATE KEY UPDATE x = { THROW secret }',
      'DELETE t WHERE { THROW secret }',
      'RETURN t:1[WHERE { THROW secret }]',
      'RETURN t:1.{ secret }',
    ],
    'xyzzy',
  );
});

attack(17, 'CVE-2026-63742: counts by an index over a hidden field', async () => {
  await define(`DEFINE TABLE t PERMISSIONS FULL; DEFINE FIELD hidden ON t PERMISSIONS FOR select NONE;
    DEFINE INDEX i ON t FIELDS hidden; DEFINE INDEX u ON t FIELDS hidden, n UNIQUE;
    FOR $at IN 1..=20 { CREATE type::record('t', $at) SET hidden = $at, n = $at }`);
  for (const condition of [
    'hidden = 7',
    'hidden > 7',
    'hidden = 7 AND n = 7',
    'hidden IN [7]',
    'hidden >= 1 AND hidden <= 20',
  ]) {
    for (const hint of ['', 'WITH INDEX i ', 'WITH NOINDEX ']) {
      const text = `SELECT count() FROM t ${hint}WHERE ${condition} GROUP ALL`;
      expect([text, await answer(eve, text)]).toEqual([text, '[{ count: 0 }]']);
    }
  }
  expect(await answer(eve, 'SELECT count() FROM t WHERE hidden = NONE GROUP ALL')).toBe('[{ count: 20 }]');
  expect(await answer(eve, 'SELECT count(hidden = 7) AS c FROM t GROUP ALL')).toBe('[{ c: 0 }]');
});

attack(18, 'CVE-2026-63746: walks over edges into a table that is closed', async () => {
  await define(`DEFINE TABLE a PERMISSIONS FULL; DEFINE TABLE e TYPE RELATION PERMISSIONS FULL; DEFINE TABLE secret;
    CREATE a:1; CREATE secret:1 SET word = 'xyzzy'; RELATE a:1->e->secret:1`);
  await expectSilence([
    'SELECT ->e->secret.* AS s FROM a:1',
    'RETURN a:1->e->secret.word',
    'RETURN a:1->e.out.word',
    'RETURN a:1->?->?.*',
    'RETURN a:1.{1..5}->e->?.word',
    'SELECT * FROM e FETCH out',
    'SELECT VALUE out.* FROM e',
  ]);
  expect(await answer(eve, 'RETURN a:1->e->secret')).toBe('[]');
  await define(`DEFINE TABLE OVERWRITE e TYPE RELATION IN a OUT secret PERMISSIONS FULL; DEFINE FIELD word ON secret TYPE string;
    DEFINE FIELD link ON a TYPE option<record<secret>>; UPDATE a:1 SET link = secret:1`);
  await expectGraphqlSilence([
    '{ a { id e { id out { word } } link { word } } }',
    '{ e { out { word } } secret { word } _get_secret(id: "1") { word } }',
    '{ _get(id: "secret:1") { id ... on secret { word } } }',
  ]);
});

attack(19, 'CVE-2026-63738: reaches hidden fields by walking', async () => {
  await define(`DEFINE TABLE a PERMISSIONS FULL; DEFINE FIELD f ON a PERMISSIONS FOR select NONE; DEFINE TABLE e TYPE RELATION PERMISSIONS FULL;
    CREATE a:1, a:2 SET f = 'xyzzy'; RELATE a:1->e->a:2; UPDATE a:1 SET next = a:2`);
  await expectSilence([
    'RETURN a:1->e->a.f',
    'RETURN a:1->e->a.*',
    'RETURN a:1->e->(a WHERE f).f',
    'RETURN a:1->e->(SELECT f, * FROM a)',
    'RETURN a:1.next.f',
    'RETURN a:1.next.*',
    'RETURN a:1.{1..3}.next.f',
    'RETURN a:1.{..}.{ f, next: next.@ }',
    'SELECT next FROM a:1 FETCH next',
    'RETURN a:2<-e<-a.{ f }',
    'SELECT * FROM a:1.next',
  ]);
  expect(await answer(eve, "RETURN a:1->e->(a WHERE f = 'xyzzy')")).toBe('[]');
  // Where an edge leads can't be found out by coming from there.
  await define(`DEFINE TABLE h TYPE RELATION IN a OUT a PERMISSIONS FULL; DEFINE FIELD OVERWRITE out ON h TYPE record<a> PERMISSIONS FOR select NONE;
    RELATE a:1->h:1->a:2`);
  for (const path of ['a:2<-h', 'a:2<->h', 'a:2<-h<-a', 'a:2<-(h WHERE in = a:1)', 'a:1->h->a', 'a:2<-?.{ id }']) {
    expect([path, await answer(eve, `RETURN ${path}`)]).toEqual([path, expect.not.stringContaining('h:1')]);
  }
  expect(await answer(eve, 'RETURN a:1->h')).toBe('[h:1]');
  await define(`DEFINE FIELD OVERWRITE f ON a TYPE option<string> PERMISSIONS FOR select NONE; DEFINE FIELD next ON a TYPE option<record<a>>;
    DEFINE TABLE OVERWRITE e TYPE RELATION IN a OUT a PERMISSIONS FULL`);
  await expectGraphqlSilence(['{ a { f next { f next { f } } e { out { f } } e_incoming { in { f } } } }']);
});

attack(20, 'CVE-2026-63740: sees elements that slip past a rule while others are taken out', async () => {
  await define(`DEFINE TABLE t PERMISSIONS FULL; DEFINE FIELD l ON t TYPE option<array>; DEFINE FIELD s ON t TYPE option<set>;
    DEFINE FIELD l.* ON t PERMISSIONS FOR select WHERE $value % 2 = 0; DEFINE FIELD s.* ON t PERMISSIONS FOR select WHERE $value % 2 = 0;
    DEFINE FIELD m[0] ON t PERMISSIONS FOR select NONE; DEFINE FIELD m[2] ON t PERMISSIONS FOR select NONE;
    DEFINE FIELD d.*.x ON t PERMISSIONS FOR select WHERE $value = 2; DEFINE FIELD d.* ON t PERMISSIONS FOR select WHERE $value.x > 1;
    CREATE t:1 SET l = [1, 3, 5, 2, 7, 7, 4, 9], s = {1, 2, 3, 5}, m = [1, 2, 3, 4], d = [{ x: 1 }, { x: 2 }, { x: 3 }]`);
  expect(await answer(eve, 'SELECT * FROM t')).toBe(
    '[{ d: [{ x: 2 }, {  }], id: t:1, l: [2, 4], m: [2, 4], s: {2,} }]',
  );
  await define('DEFINE CONFIG GRAPHQL AUTO; DEFINE FIELD OVERWRITE l ON t TYPE option<array<int>>');
  expect(await doors.graphql(eve, '{ t { l } }')).toContain('"l":[2,4]');
});

attack(21, 'CVE-2026-63745: writes a field where a rule looks at the key', async () => {
  await define(`DEFINE TABLE doc PERMISSIONS FOR select, create, update WHERE id.tenant = 'b'; DEFINE INDEX one ON doc FIELDS id.tenant UNIQUE;
    CREATE doc:{ tenant: 'a' } SET word = 'xyzzy'`);
  expect(await answer(eve, "CREATE doc:{ tenant: 'a', n: 1 } SET tenant = 'b'")).toBe('[]');
  expect(await answer(eve, "CREATE doc:{ tenant: 'a', n: 1 } CONTENT { tenant: 'b', `id.tenant`: 'b' }")).toBe('[]');
  expect(await answer(eve, "CREATE doc:{ tenant: 'a', n: 1 } CONTENT { id: { tenant: 'b' } }")).toMatch(/^id_mismatch/);
  await define("UPDATE doc SET tenant = 'b'");
  await expectSilence([
    'SELECT * FROM doc',
    "SELECT * FROM doc WITH INDEX one WHERE id.tenant = 'b'",
    "SELECT * FROM doc WHERE id.id().tenant = 'b'",
    'SELECT * FROM doc ORDER BY id.tenant',
  ]);
  expect(await answer(eve, "CREATE doc:{ tenant: 'b', n: 1 } SET tenant = 'a' RETURN tenant")).toBe(
    "[{ tenant: 'a' }]",
  );
  expect(await answer(eve, "CREATE doc:{ tenant: 'b', n: 2 }")).toMatch(/^index_violation/);
  expect(await answer(eve, "SELECT VALUE id FROM doc WHERE id.id().tenant = 'b'")).toBe("[doc:{ n: 1, tenant: 'b' }]");
});

attack(22, 'CVE-2026-63751: copies the whole record by a patch', async () => {
  await define(
    "DEFINE TABLE t PERMISSIONS FULL; DEFINE FIELD f ON t PERMISSIONS FOR select NONE; DEFINE FIELD o.f ON t PERMISSIONS FOR select NONE; CREATE t:1 SET f = 'xyzzy', o = { f: 'xyzzy', g: 1 }",
  );
  await expectSilence(
    ['', '/', '/f', '/o', '/o/f'].flatMap((from) => [
      `UPDATE t:1 PATCH [{ op: 'copy', from: '${from}', path: '/x' }]`,
      `UPDATE t:1 PATCH [{ op: 'move', from: '${from}', path: '/y' }] RETURN y`,
      `UPDATE t:1 PATCH [{ op: 'test', path: '${from}', value: 1 }]`,
      'SELECT * FROM t',
    ]),
  );
  expect(await answer(eve, "UPDATE t:1 PATCH [{ op: 'test', path: '/f', value: 'xyzzy' }]")).toMatch(
    /^patch_test_failed/,
  );
  expect(await answer(world.owner, 'SELECT VALUE f FROM t')).toBe("['xyzzy']");
});

attack(23, 'CVE-2026-63748: reads hidden operands in errors', async () => {
  await define(`DEFINE TABLE t PERMISSIONS FULL; DEFINE FIELD f ON t PERMISSIONS FOR select NONE; DEFINE FIELD big ON t PERMISSIONS FOR select NONE;
    DEFINE FIELD v ON t VALUE IF $input.go THEN f + [] ELSE NONE END; DEFINE FIELD c ON t COMPUTED IF go THEN f * 2 END;
    DEFINE FIELD a ON t ASSERT !go OR f * 2 = 1; DEFINE FIELD g ON t TYPE option<int> PERMISSIONS FOR select NONE;
    DEFINE EVENT e ON t WHEN $after.event THEN { UPDATE t:2 SET x = f + [] };
    DEFINE EVENT u ON t WHEN $after.other THEN { CREATE secret SET word = 'xyzzy' };
    DEFINE TABLE secret; DEFINE INDEX i ON secret FIELDS word UNIQUE; CREATE secret:1 SET word = 'xyzzy';
    CREATE t:1 SET f = 'xyzzy', big = 9223372036854775807, g = 424242; CREATE t:2 SET f = 'xyzzy'`);
  const statements = [
    'UPDATE t:1 SET x = f + []',
    'UPDATE t:1 SET f += []',
    'UPDATE t:1 SET f -= {}',
    'UPDATE t:1 SET big += 1',
    'UPDATE t:1 SET a = 1, go = true',
    'UPDATE t:1 SET v = { go: true }',
    'UPDATE t:1 SET event = true',
    'UPDATE t:1 SET other = true',
    "UPDATE t:1 SET g += 'x'",
    'UPDATE t:1 SET g = <int> f',
    'SELECT f + [] FROM t',
    'SELECT <int> f, -f FROM t',
    'SELECT * FROM t WHERE f + [] = 1',
    'SELECT math::sum(f) FROM t GROUP ALL',
    'SELECT * FROM t ORDER BY f + []',
    'SELECT string::repeat(f, 1e9) FROM t',
    'CREATE t:1 SET x = 1',
    'RETURN t:1.f.nope()',
    'UPDATE t:1 SET go = true; SELECT * FROM t',
  ];
  for (const secret of ['xyzzy', '9223372036854775807', '424242']) await expectSilence(statements, secret);
});

attack(24, 'CVE-2026-63752: takes an edge over by RELATE', async () => {
  await define(
    'DEFINE TABLE n PERMISSIONS FULL; DEFINE TABLE e TYPE RELATION PERMISSIONS FOR select, create FULL; RELATE n:1->e:known->n:2 SET mine = true',
  );
  await askEverybody([
    'RELATE n:3->e->n:4 SET id = e:known, mine = false',
    'RELATE n:3->e:known->n:4 SET mine = false',
    'RELATE n:3->e:known->n:4 CONTENT { id: e:known }',
    'INSERT RELATION INTO e { id: e:known, in: n:3, out: n:4 }',
    'INSERT RELATION INTO e { id: e:known, in: n:3, out: n:4 } ON DUPLICATE KEY UPDATE mine = false',
    'INSERT IGNORE RELATION INTO e { id: e:known, in: n:3, out: n:4, mine: false }',
    'UPSERT e:known SET in = n:3',
  ]);
  expect(await answer(world.owner, 'SELECT * FROM e WHERE id = e:known OR !mine')).toBe(
    '[{ id: e:known, in: n:1, mine: true, out: n:2 }]',
  );
});

attack(25, 'CVE-2026-49997: removes edges along with a node', async () => {
  await define(
    'DEFINE TABLE n PERMISSIONS FULL; DEFINE TABLE e TYPE RELATION PERMISSIONS FOR select FULL; CREATE n:1, n:2; RELATE n:1->e:1->n:2',
  );
  expect(await answer(eve, 'DELETE n:1 RETURN BEFORE')).toBe('[]');
  await askEverybody(['DELETE n', 'DELETE n:1', 'DELETE n:2 RETURN BEFORE', 'DELETE ONLY n:1', 'DELETE n WHERE true']);
  expect(await answer(world.owner, 'RETURN [(SELECT VALUE id FROM n), (SELECT VALUE id FROM e)]')).toBe(
    '[[n:1, n:2], [e:1]]',
  );
});

attack(26, 'CVE-2026-63733: writes by way of a permission clause', async () => {
  await define(`DEFINE TABLE log; DEFINE FUNCTION fn::log() { RETURN CREATE log };
    DEFINE TABLE a PERMISSIONS FOR select WHERE (CREATE log) != NONE, FOR create WHERE fn::log() != NONE, FOR update WHERE { UPSERT log:1; true }, FOR delete WHERE (DELETE log) = [];
    DEFINE TABLE b PERMISSIONS FULL; DEFINE FIELD f ON b PERMISSIONS FOR select WHERE (INSERT INTO log {}) != NONE, FOR update WHERE { DEFINE USER evil ON DATABASE PASSWORD 'x' ROLES OWNER; true };
    DEFINE FUNCTION fn::guarded() { RETURN 'xyzzy' } PERMISSIONS WHERE { CREATE log; true };
    DEFINE PARAM $guarded VALUE 'xyzzy' PERMISSIONS WHERE { REMOVE TABLE b; true };
    CREATE a:1, b:1 SET f = 'xyzzy'`);
  await expectSilence([
    'SELECT * FROM a',
    'CREATE a',
    'UPDATE a:1 SET x = 1',
    'DELETE a',
    'SELECT * FROM b',
    'UPDATE b:1 SET f = 1',
    'RETURN fn::guarded()',
    'RETURN $guarded',
  ]);
  expect(await answer(world.owner, 'RETURN [(SELECT * FROM log), (SELECT VALUE f FROM b), (INFO FOR DB).users]')).toBe(
    "[[], ['xyzzy'], {  }]",
  );
});

attack(27, 'CVE-2026-63763: stores code that others run', async () => {
  const editor = await world.systemUser('DE');
  for (const text of [
    "CREATE t SET f = |$x| { DEFINE USER evil ON ROOT PASSWORD 'x' ROLES OWNER }",
    'CREATE t SET f = { deep: [{ er: |$x| $x }] }',
    'INSERT INTO t { f: [|$x| $x] }',
    'UPSERT t:1 MERGE { f: |$x| $x }',
    "UPSERT t:1 PATCH [{ op: 'add', path: '/f', value: |$x| $x }]",
    'RELATE t:1->e->t:2 SET f = |$x| $x',
    'DEFINE PARAM $f VALUE |$x| $x',
    'LET $f = |$x| $x; CREATE t SET f = $f',
    'DEFINE TABLE d; DEFINE FIELD f ON d DEFAULT |$x| $x; CREATE d',
    'DEFINE TABLE v; DEFINE FIELD f ON v VALUE { a: |$x| $x }; CREATE v',
  ]) {
    expect([text, await answer(editor, text)]).toEqual([text, expect.stringMatching(/^closure_stored/)]);
    for (const [door, told] of Object.entries(await doors.ask(editor, text))) {
      expect([door, text, told]).toEqual([door, text, expect.stringMatching(/closure_stored|"ERR"/)]);
    }
  }
  // A closure that reaches its victim another way writes nothing.
  const ran = await answer(world.owner, "RETURN (|$x| { DEFINE USER evil ON ROOT PASSWORD 'x' ROLES OWNER })(1)");
  expect(ran).toMatch(/^read_only/);
  expect(await answer(world.owner, 'RETURN (INFO FOR ROOT).users.evil')).toBe('NONE');
});

attack(27, 'CVE-2026-63763: stores code in definitions that somebody higher runs', async () => {
  const editor = await world.systemUser('DE');
  const evil = "DEFINE USER evil ON ROOT PASSWORD 'x' ROLES OWNER";
  await run(
    editor,
    `DEFINE FUNCTION fn::trap() { ${evil} }; DEFINE FUNCTION fn::deep() { RETURN fn::trap() }; DEFINE FUNCTION fn::info() { RETURN INFO FOR ROOT };
     DEFINE TABLE t; DEFINE EVENT e ON t WHEN $event = 'UPDATE' THEN { ${evil} }; CREATE t:1;
     DEFINE TABLE v; CREATE v:1; DEFINE FIELD f ON v VALUE { ${evil}; 1 }; DEFINE TABLE d; DEFINE FIELD f ON d DEFAULT { ${evil}; 1 };
     DEFINE TABLE a; DEFINE FIELD f ON a ASSERT { ${evil}; true }; DEFINE TABLE c; CREATE c:1; DEFINE FIELD f ON c COMPUTED { ${evil}; 1 };
     DEFINE TABLE w; DEFINE FIELD f ON w VALUE fn::trap(); DEFINE FUNCTION fn::grow() { DEFINE TABLE grown; REMOVE NAMESPACE test };`,
  );
  for (const victim of [
    world.owner,
    await world.systemUser('RO'),
    await world.systemUser('NO'),
    await world.systemUser('DO'),
  ]) {
    for (const text of [
      'fn::trap()',
      'fn::deep()',
      'fn::info()',
      '[1].map(|$x| fn::trap())',
      'UPDATE t:1 SET x = rand()',
      'UPDATE v:1',
      'CREATE d',
      'CREATE a SET f = 1',
      'SELECT * FROM c',
      'CREATE w',
      'fn::grow()',
    ]) {
      expect([text, await answer(victim, text)]).toEqual([
        text,
        expect.stringMatching(/^(not_allowed|event_failed|read_only)/),
      ]);
    }
  }
  expect(await answer(world.owner, 'RETURN (INFO FOR ROOT).users.evil')).toBe('NONE');
});

attack(28, 'CVE-2026-121416: calls as a method what is denied as a function', async () => {
  await define("DEFINE FUNCTION fn::denied($x: any) { RETURN 'xyzzy' } PERMISSIONS NONE");
  await expectSilence([
    'fn::denied(1)',
    "'a'.denied()",
    "'a'.fn::denied()",
    '[1].map(|$x| fn::denied($x))',
    '{ f: 1 }.chain(|$x| fn::denied($x))',
  ]);
  await doors.close();
  await world.close();
  // What the server denies, it denies to owners as well.
  world = await World.open({ functions: { deny: ['array::map', 'string::repeat', 'http', 'fn::denied'] } });
  doors = await Doors.open(world);
  await define("DEFINE FUNCTION fn::denied() { RETURN 'xyzzy' } PERMISSIONS FULL; CREATE t:1 SET l = [1], s = 'xyz'");
  for (const session of [await world.systemUser('RO'), await world.systemUser('DV'), await world.person('eve')]) {
    for (const text of [
      "RETURN [1].map(|$x| 'xyzzy')",
      "RETURN array::map([1], |$x| 'xyzzy')",
      "RETURN [[1]][0].map(|$x| 'xyzzy')",
      "LET $l = [1]; $l.map(|$x| 'xyzzy')",
      "RETURN 'xyzzy'.repeat(1)",
      "RETURN string::repeat('xyzzy', 1)",
      "RETURN ['xyzzy'].at(0).repeat(1)",
      "RETURN [1].fold('', |$all, $x| 'xyzzy'.repeat(1))",
      'RETURN fn::denied()',
      'RETURN [1].fold(0, |$all, $x| fn::denied())',
      "RETURN http::get('http://127.0.0.1/xyzzy')",
    ]) {
      for (const [door, told] of Object.entries(await doors.ask(session, text))) {
        expect([door, text, told]).toEqual([door, text, expect.stringMatching(/is not allowed to be executed/)]);
      }
    }
    const run = { method: 'run', params: ['string::repeat', null, ['xyzzy', 1]] };
    const signIn = { method: 'authenticate', params: [world.tokenOf(session)] };
    expect((await doors.talk([signIn, run]))[1]).toContain('is not allowed to be executed');
  }
});
