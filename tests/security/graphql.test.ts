/** Published attacks once more, by GraphQL: it generates statements for all users, so that each has to hold there, too. */
import { afterEach, beforeEach, expect } from 'vitest';
import type { Session } from '../../src/session/contract.js';
import { answer, run, World } from '../support/world.js';
import { attack } from './attack.js';
import { Doors } from './doors.js';

let world: World;
let doors: Doors;
let eve: Session;
let everybody: readonly Session[];

beforeEach(async () => {
  world = await World.open();
  doors = await Doors.open(world);
  eve = await world.person('eve');
  const guest = world.guest();
  everybody = [eve, guest];
});
afterEach(async () => {
  await doors.close();
  await world.close();
});

const define = (text: string) => run(world.owner, `DEFINE CONFIG OVERWRITE GRAPHQL AUTO; ${text}`);

/** The results of documents, for all users subject to PERMISSIONS; none of it holds the secret. */
async function expectSilence(documents: readonly string[], secret = /xyzzy/): Promise<void> {
  for (const session of everybody) {
    for (const document of documents) {
      const told = await doors.graphql(session, document);
      expect([document, told]).toEqual([document, expect.stringContaining('"data"')]);
      expect([document, told]).toEqual([document, expect.not.stringMatching(secret)]);
    }
  }
}

attack(14, 'CVE-2023-54366: uses a table that was defined without permissions, over GraphQL', async () => {
  await define("DEFINE TABLE t; DEFINE FIELD s ON t TYPE string; CREATE t:1 SET s = 'xyzzy'");
  await expectSilence(
    [
      '{ t { id s } tConnection { totalCount nodes { id } } t_aggregate { count max { s } } _get_t(id: "1") { id } }',
      'mutation { createT(data: {s: "a"}) { id } updateT(id: "1", data: {s: "a"}) { id } upsertT(id: "1", data: {s: "a"}) { id } }',
      'mutation { deleteT(id: "1") { id } deleteManyT(filter: {}) { id } mergeManyT(filter: {}, data: {s: "a"}) { id } }',
    ],
    /t:\w|xyzzy|"totalCount":1|"count":1/,
  );
  expect(await answer(world.owner, 'SELECT * FROM t')).toBe("[{ id: t:1, s: 'xyzzy' }]");
});

attack(17, 'CVE-2026-63742: counts what an index knows of a hidden field, over GraphQL', async () => {
  await define(`DEFINE TABLE t PERMISSIONS FULL; DEFINE FIELD f ON t TYPE string PERMISSIONS FOR select NONE; DEFINE INDEX f ON t FIELDS f;
    CREATE t:1 SET f = 'xyzzy'`);
  await expectSilence(
    [
      '{ t_aggregate(filter: {f: {eq: "xyz"}}) { count } tConnection(filter: {f: {gte: "x"}}) { totalCount pageInfo { hasNextPage } } }',
      '{ t_aggregate(groupBy: [f]) { countOf { f } distinct { f } min { f } max { f } group { f } } }',
      '{ tConnection(first: 1, order: {asc: f}) { edges { cursor } } }',
    ],
    /xyzzy|"(count|totalCount|f)":1|"hasNextPage":true/,
  );
  // The cursor holds what its reader sees of the order.
  const told = await doors.graphql(eve, '{ tConnection(order: {asc: f}) { edges { cursor } } }');
  const cursor = /"cursor":"([^"]+)"/.exec(told)?.[1] ?? '';
  expect(cursor).not.toBe('');
  expect(Buffer.from(cursor, 'base64url').toString('latin1')).not.toContain('xyzzy');
});

attack(18, 'CVE-2026-63746: follows edges and links to tables that are hidden, over GraphQL', async () => {
  await define(`DEFINE TABLE a PERMISSIONS FULL; DEFINE TABLE secret PERMISSIONS NONE; DEFINE FIELD s ON secret TYPE string;
    DEFINE FIELD to ON a TYPE record<secret>; DEFINE TABLE e TYPE RELATION FROM a TO secret PERMISSIONS FULL;
    DEFINE TABLE h TYPE RELATION FROM a TO a PERMISSIONS NONE; DEFINE FIELD s ON h TYPE string;
    CREATE secret:1 SET s = 'xyzzy'; CREATE a:1 SET to = secret:1; RELATE a:1->e:1->secret:1; RELATE a:1->h:1->a:1 SET s = 'xyzzy'`);
  await expectSilence(
    [
      '{ a { to { s } e { out { s } in { to { id s } } } h { s } h_incoming { s } hConnection { totalCount } } e { out { s } } h { s } }',
      '{ a(filter: {to: {is: {s: {eq: "x"}}}}) { id } b: a(filter: {e: {some: {out: {is: {s: {gt: "a"}}}}}}) { id } }',
      '{ a(filter: {h: {exists: true}}) { id } b: a(filter: {h_incoming: {count: {gt: 0}}}) { id } c: a(filter: {to: {exists: true}}) { id } }',
    ],
    /xyzzy|"totalCount":1|"a":\[\{"id"|"b":\[\{|"c":\[\{/,
  );
});

attack(23, 'CVE-2026-63748: errors print hidden operands, over GraphQL', async () => {
  await define(`DEFINE TABLE t PERMISSIONS FULL; DEFINE FIELD f ON t TYPE string ASSERT string::len($value) < 9 PERMISSIONS FOR select NONE;
    DEFINE INDEX f ON t FIELDS f UNIQUE; DEFINE FIELD n ON t TYPE option<int>; CREATE t:1 SET f = 'xyzzy'`);
  for (const session of everybody) {
    const told = await doors.graphql(
      session,
      'mutation { createT(data: {f: "xyzzy"}) { id } a: createT(data: {f: "zzzzzzzzzz"}) { id } b: updateT(id: "1", data: {f: "xxxxxxxxxxx"}) { id } }',
    );
    expect(told).toContain('already contains these values');
    expect(told).not.toMatch(/xyzzy|zzzzz|xxxxx/);
  }
});

attack(24, 'CVE-2026-63752: writes over an edge that is there, over GraphQL', async () => {
  await define(`DEFINE TABLE a PERMISSIONS FULL; DEFINE TABLE e TYPE RELATION FROM a TO a PERMISSIONS FOR create FULL, FOR select, update NONE;
    DEFINE FIELD s ON e TYPE option<string>; CREATE a:1, a:2; RELATE a:1->e:1->a:2 SET s = 'xyzzy'`);
  await expectSilence([
    'mutation { relateE(in: "1", out: "2", data: {id: "1", s: "eve"}) { id s } }',
    'mutation { createA(data: {e: [{id: "1", out: "1", s: "eve"}]}) { id e { s } } }',
  ]);
  expect(await answer(world.owner, 'SELECT * FROM e')).toBe("[{ id: e:1, in: a:1, out: a:2, s: 'xyzzy' }]");
});
