/**
 * What is hidden can't be found out by filters: a record user gets the answers that there would be if nothing hidden were stored. An owner
 * gets different ones, so that every filter is about something hidden.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Session } from '../../src/session/contract.js';
import { objectFrom } from '../../src/value/value.js';
import { openStack, type Stack } from './stack.js';

const DEFINITIONS = `
  DEFINE CONFIG GRAPHQL AUTO;
  DEFINE TABLE user PERMISSIONS FOR select WHERE id = $auth.id OR public = true;
  DEFINE FIELD name ON user TYPE string;
  DEFINE FIELD public ON user TYPE option<bool>;
  DEFINE FIELD pin ON user TYPE option<string> PERMISSIONS FOR select NONE;
  DEFINE FIELD pins ON user TYPE option<array<int>> PERMISSIONS FOR select NONE;
  DEFINE FIELD codes ON user TYPE option<set<int>> PERMISSIONS FOR select NONE;
  DEFINE FIELD place ON user TYPE option<geometry<point>> PERMISSIONS FOR select NONE;
  DEFINE FIELD manager ON user TYPE option<record<user>> PERMISSIONS FOR select NONE;
  DEFINE FIELD staff ON user TYPE option<array<record<user>>> PERMISSIONS FOR select NONE;
  DEFINE FIELD home ON user TYPE option<object>;
  DEFINE FIELD home.city ON user TYPE option<string>;
  DEFINE FIELD home.alarm ON user TYPE option<int> PERMISSIONS FOR select NONE;
  DEFINE FIELD rooms ON user TYPE option<array<object>>;
  DEFINE FIELD rooms.*.safe ON user TYPE option<int> PERMISSIONS FOR select NONE;
  DEFINE FIELD boss ON user TYPE option<record<user>>;
  DEFINE FIELD notes ON user TYPE option<array<record<note>>>;
  DEFINE FIELD thing ON user TYPE option<record>;
  DEFINE FIELD things ON user TYPE option<array<record<note | closed>>>;
  DEFINE TABLE note PERMISSIONS FOR select WHERE public OR owner = $auth.id;
  DEFINE FIELD name ON note TYPE string;
  DEFINE FIELD public ON note TYPE bool DEFAULT true;
  DEFINE FIELD owner ON note TYPE option<record<user>>;
  DEFINE FIELD draft ON note TYPE option<string> PERMISSIONS FOR select WHERE owner = $auth.id;
  DEFINE TABLE closed PERMISSIONS NONE;
  DEFINE FIELD name ON closed TYPE string;
  DEFINE TABLE reads TYPE RELATION FROM user TO note PERMISSIONS FOR select WHERE kept != true;
  DEFINE FIELD name ON reads TYPE string DEFAULT 'r';
  DEFINE FIELD kept ON reads TYPE option<bool>;
  DEFINE FIELD rating ON reads TYPE option<int> PERMISSIONS FOR select NONE;
  DEFINE TABLE spies TYPE RELATION FROM user TO user PERMISSIONS NONE;
  DEFINE FIELD name ON spies TYPE string DEFAULT 's';
  DEFINE ACCESS account ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM user WHERE name = $name);
  CREATE user:1 SET name = 'me', boss = user:2, notes = [note:mine, note:open, note:theirs], thing = closed:1,
    things = [note:open, closed:1], home = { city: 'Rome' }, rooms = [{}, {}];
  CREATE user:3 SET name = 'other', public = true, boss = user:1;
  CREATE note:mine SET name = 'mine', public = false, owner = user:1;
  CREATE note:open SET name = 'open', owner = user:2;
  RELATE user:1->reads:seen->note:open;`;

const HIDDEN = `
  UPDATE user:1 SET pin = 'abc', pins = [1, 2], codes = <set>[1, 2], place = (1, 1), manager = user:3, staff = [user:3], home.alarm = 7,
    rooms = [{ safe: 1 }, { safe: 2 }];
  CREATE user:2 SET name = 'hidden';
  CREATE note:theirs SET name = 'theirs', public = false, owner = user:2;
  UPDATE note:open SET draft = 'draft';
  CREATE closed:1 SET name = 'closed';
  UPDATE reads:seen SET rating = 5;
  RELATE user:1->reads->note:mine SET kept = true; RELATE user:3->reads->note:open SET kept = true;
  RELATE user:1->spies->user:3;`;

const AREA = {
  type: 'Polygon',
  coordinates: [
    [
      [0, 0],
      [2, 0],
      [2, 2],
      [0, 2],
      [0, 0],
    ],
  ],
};

const FILTERS: Readonly<Record<string, readonly object[]>> = {
  user: [
    { pin: { eq: 'abc' } },
    { pin: { ne: null } },
    { pin: { eq: null } },
    { pin: { gt: 'aba' } },
    { pin: { lte: 'abc' } },
    { pin: { regex: '^a' } },
    { pin: { regex: '(' } },
    { pin: { ieq: 'ABC' } },
    { pin: { containsAny: ['a', 'x'] } },
    { pins: { exists: true } },
    { pins: { contains: 2 } },
    { pins: { containsNone: [2] } },
    { pins: { some: { gt: 1 } } },
    { pins: { every: { gt: 1 } } },
    { pins: { none: { gt: 1 } } },
    { pins: { count: { eq: 2 } } },
    { codes: { some: { eq: 2 } } },
    { codes: { count: { gt: 1 } } },
    { place: { inside: AREA } },
    { place: { intersects: AREA } },
    { place: { outside: { ...AREA, coordinates: [AREA.coordinates[0]?.map(([x = 0, y = 0]) => [x + 5, y + 5])] } } },
    { manager: { exists: true } },
    { manager: { eq: '3' } },
    { manager: { is: { name: { eq: 'other' } } } },
    { staff: { some: {} } },
    { staff: { every: { name: { eq: 'me' } } } },
    { staff: { count: { gt: 0 } } },
    { home: { alarm: { eq: 7 } } },
    { home: { not: { alarm: { eq: null } } } },
    { rooms: { some: { safe: { gt: 1 } } } },
    { rooms: { every: { safe: { eq: null } } } },
    { boss: { exists: true } },
    { boss: { is: {} } },
    { boss: { is: { name: { eq: 'hidden' } } } },
    { boss: { is: { not: { name: { eq: 'x' } } } } },
    { boss: { is: { pin: { eq: 'abc' } } } },
    { boss: { is: { boss: { is: { name: { eq: 'hidden' } } } } } },
    { notes: { some: { name: { eq: 'theirs' } } } },
    { notes: { some: { draft: { eq: 'draft' } } } },
    { notes: { every: { name: { ne: 'theirs' } } } },
    { notes: { none: { not: { name: { in: ['mine', 'open'] } } } } },
    { thing: { exists: true } },
    { things: { every: { exists: true } } },
    { reads: { count: { gt: 1 } } },
    { reads: { some: { kept: { eq: true } } } },
    { reads: { some: { rating: { gt: 1 } } } },
    { reads: { every: { rating: { eq: null } } } },
    { reads: { none: { out: { is: { name: { eq: 'mine' } } } } } },
    { spies: { exists: true } },
    { spies: { some: {} } },
    { spies: { count: { eq: 0 } } },
    { spies_incoming: { exists: true } },
  ],
  note: [
    { owner: { exists: true } },
    { owner: { is: { name: { eq: 'hidden' } } } },
    { owner: { is: { pin: { ne: null } } } },
    { owner: { is: { spies: { exists: true } } } },
    { draft: { startsWith: 'd' } },
    { reads_incoming: { count: { gt: 1 } } },
    { reads_incoming: { some: { in: { is: { name: { eq: 'other' } } } } } },
    { reads_incoming: { every: { in: { is: { name: { eq: 'me' } } } } } },
    { reads_incoming: { some: { in: { is: { manager: { exists: true } } } } } },
  ],
  reads: [{ rating: { gt: 1 } }, { kept: { eq: true } }, { in: { is: { pins: { count: { gt: 0 } } } } }],
  closed: [{ name: { eq: 'closed' } }, { id: { eq: '1' } }],
  spies: [{ in: { is: { name: { eq: 'me' } } } }],
};

interface World {
  readonly stack: Stack;
  readonly user: Session;
}

async function openWorld(setup: string): Promise<World> {
  const stack = await openStack(setup);
  const user = stack.database.session({});
  await user.use('test', 'test');
  await user.signIn(objectFrom({ ns: 'test', db: 'test', ac: 'account', name: 'me' }));
  return { stack, user };
}

let stored: World;
let absent: World;
beforeAll(async () => {
  stored = await openWorld(DEFINITIONS + HIDDEN);
  absent = await openWorld(DEFINITIONS);
});

const CASES = Object.entries(FILTERS).flatMap(([table, filters]) => filters.map((filter) => [table, filter] as const));

describe('filters of a record user', () => {
  it.each(CASES)('%s %j', async (table, filter) => {
    const query = `query ($f: _filter_${table}) { ${table}(filter: $f, order: {asc: name}) { name } }`;
    const ask = ({ stack }: World, session: Session, f: object) => stack.ask(query, { f }, session);
    for (const f of [filter, { not: filter }, { or: [filter, { name: { eq: 'open' } }] }, { and: [{ not: filter }] }]) {
      expect(await ask(stored, stored.user, f)).toEqual(await ask(absent, absent.user, f));
    }
    expect(await ask(stored, stored.stack.owner, filter)).not.toEqual(await ask(absent, absent.stack.owner, filter));
  });

  it('find what may be seen', async () => {
    const names = async (filter: string) =>
      ((await stored.stack.ask(`{ user(filter: {${filter}}) { name } }`, {}, stored.user)).data?.user ??
        []) as object[];
    expect(await names('boss: {is: {name: {eq: "me"}}}')).toEqual([{ name: 'other' }]);
    expect(await names('reads: {some: {out: {is: {name: {eq: "open"}}}}}')).toEqual([{ name: 'me' }]);
    expect(await names('notes: {some: {name: {eq: "mine"}}}')).toEqual([{ name: 'me' }]);
    expect(await names('reads: {count: {eq: 1}}')).toEqual([{ name: 'me' }]);
  });
});
