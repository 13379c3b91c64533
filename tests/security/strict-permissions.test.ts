/** Strict permissions: a write that PERMISSIONS refuse is an error, which reveals nothing that can't be seen. */
import { afterEach, describe, expect, test } from 'vitest';
import type { Session } from '../../src/session/contract.js';
import { answer, answers, run, World } from '../support/world.js';

const SCHEMA = `
  DEFINE TABLE closed PERMISSIONS NONE;
  DEFINE TABLE shown PERMISSIONS FOR select FULL;
  DEFINE TABLE box PERMISSIONS FOR create FULL;
  DEFINE TABLE post PERMISSIONS FOR select WHERE public OR owner = $auth
    FOR create, update WHERE owner = $auth FOR delete WHERE owner = $auth AND draft;
  DEFINE TABLE card PERMISSIONS FULL;
  DEFINE FIELD grade ON card PERMISSIONS FOR select FULL FOR create, update NONE;
  DEFINE FIELD stamp ON card VALUE 'stamped' PERMISSIONS FOR select FULL FOR create, update NONE;
  DEFINE FIELD secret ON card PERMISSIONS FOR select NONE FOR create FULL FOR update NONE;
  DEFINE FIELD limit ON card PERMISSIONS FOR select, create FULL FOR update WHERE $value < 10;
  DEFINE TABLE blind PERMISSIONS FOR create WHERE false FOR update WHERE n < 5 FOR delete WHERE false;
  DEFINE FIELD grade ON blind PERMISSIONS FOR select FULL FOR update NONE;
  DEFINE INDEX code ON blind FIELDS code UNIQUE;
  DEFINE TABLE knows TYPE RELATION PERMISSIONS FOR create WHERE false;
  DEFINE TABLE likes TYPE RELATION PERMISSIONS FOR select, create FULL FOR update, delete WHERE mine = $auth;
  CREATE shown:1, closed:1, box:1;
  CREATE post:mine SET owner = user:ann, public = true;
  CREATE post:draft SET owner = user:ann, draft = true;
  CREATE post:theirs SET owner = user:bob, public = true, n = 1;
  CREATE card:1 SET grade = 1, secret = 's', limit = 5;
  RELATE post:mine->likes:1->post:draft`;

const worlds: World[] = [];
afterEach(async () => {
  await Promise.all(worlds.splice(0).map((world) => world.close()));
});

async function ann(strictPermissions: boolean, more = ''): Promise<{ world: World; session: Session }> {
  const world = await World.open({ strictPermissions });
  worlds.push(world);
  await run(world.owner, SCHEMA + (more === '' ? '' : `;${more}`));
  return { world, session: await world.person('ann') };
}

const table = (action: string, name: string) =>
  `write_refused: Not allowed to ${action} the record: PERMISSIONS FOR ${action} of the table '${name}' refuse it`;
const field = (action: string, name: string) =>
  `write_refused: Not allowed to write the field '${name}': its PERMISSIONS FOR ${action} in the table 'card' refuse it`;

describe('a refused write names table, action and clause', () => {
  test.each<[string, string]>([
    ['CREATE closed', table('create', 'closed')],
    ['CREATE closed:1', table('create', 'closed')],
    ['CREATE shown:2', table('create', 'shown')],
    ['CREATE nosuch', table('create', 'nosuch')],
    ['INSERT INTO shown {a: 1}', table('create', 'shown')],
    ['INSERT IGNORE INTO shown {a: 1}', table('create', 'shown')],
    ['CREATE post SET owner = user:bob', table('create', 'post')],
    ['UPSERT shown:new', table('create', 'shown')],
    ['UPSERT shown:1', table('update', 'shown')],
    ['UPDATE shown', table('update', 'shown')],
    ['UPDATE shown:1', table('update', 'shown')],
    ['UPDATE shown:nosuch', table('update', 'shown')],
    ['UPDATE shown:1..9', table('update', 'shown')],
    ['UPDATE closed', table('update', 'closed')],
    ['UPDATE closed:1', table('update', 'closed')],
    ['DELETE shown:1', table('delete', 'shown')],
    ['DELETE shown', table('delete', 'shown')],
    ['DELETE closed:1', table('delete', 'closed')],
    ['UPDATE post SET n = 1', table('update', 'post')],
    ['UPDATE post:theirs SET n = 1', table('update', 'post')],
    ['UPDATE post:mine SET owner = user:bob', table('update', 'post')],
    ['UPDATE post SET n = 1 WHERE n = 1', table('update', 'post')],
    ['DELETE post:mine', table('delete', 'post')],
    ['RETURN (UPDATE post:theirs SET n = 1)', table('update', 'post')],
    ["INSERT INTO post {id: 'theirs'} ON DUPLICATE KEY UPDATE n = 2", table('update', 'post')],
    ['RELATE post:mine->likes:1->post:draft SET a = 1', table('update', 'likes')],
    ['RELATE post:mine->nosuch->post:draft', table('create', 'nosuch')],
    ['DELETE likes:1', table('delete', 'likes')],
    // It takes the edge along.
    ['DELETE post:draft', table('delete', 'likes')],
    ['CREATE card SET grade = 1', field('create', 'grade')],
    ['UPDATE card:1 SET grade = 2', field('update', 'grade')],
    ['UPDATE card:1 MERGE {grade: 2}', field('update', 'grade')],
    ['UPDATE card:1 UNSET grade', field('update', 'grade')],
    ['UPDATE card:1 REPLACE {limit: 5}', field('update', 'grade')],
    ['UPDATE card:1 SET limit = 11', field('update', 'limit')],
    ["UPDATE card:1 SET stamp = 'mine', limit = 11", field('update', 'limit')],
  ])('%s', async (text, expected) => {
    const { session } = await ann(true);
    expect(await answer(session, text)).toContain(expected);
  });

  test('for viewers and guests, too', async () => {
    const { world } = await ann(true);
    const viewer = await world.systemUser('DV');
    expect(await answer(viewer, 'UPDATE closed:1 SET a = 1')).toContain(table('update', 'closed'));
    const guest = world.guest();
    await guest.use('test', 'test');
    expect(await answer(guest, 'UPDATE shown:1 SET a = 1')).toContain(table('update', 'shown'));
  });

  test('with details for programs', async () => {
    const { session } = await ann(true);
    const [result] = await session.query('UPDATE card:1 SET grade = 2');
    expect(result?.outcome).toMatchObject({
      error: {
        kind: 'NotAllowed',
        httpStatus: 403,
        details: { kind: 'Permissions', details: { action: 'update', table: 'card', field: 'grade' } },
      },
    });
  });
});

describe('what is allowed goes on', () => {
  test.each([
    'CREATE box:2',
    'UPSERT box:3',
    'CREATE post SET owner = $auth RETURN owner',
    'UPDATE post:mine SET n = 1',
    'UPDATE post SET n = 1 WHERE owner = $auth',
    'UPDATE post SET m = 1 WHERE n = 7',
    'UPDATE post:nosuch SET n = 1',
    'UPDATE card:1 SET grade = 1, limit = 9',
    'UPDATE card:1 CONTENT {limit: 6}',
    'UPDATE card:1 SET other = 1',
    "CREATE card:2 SET secret = 'x', limit = 20",
    'RELATE post:mine->likes:2->post:draft',
    'SELECT * FROM closed',
  ])('%s', async (text) => {
    const [strict, silent] = [await ann(true), await ann(false)];
    const answered = await answer(strict.session, text);
    expect(answered).not.toContain('write_refused');
    expect(answered).toBe(await answer(silent.session, text));
  });
});

describe('what cannot be seen looks like what is not there', () => {
  // Of `blind` nothing can be seen, though some may be changed.
  const HIDDEN =
    "CREATE post:hidden SET owner = user:bob, n = 7, title = 'deep'; CREATE blind:2 SET n = 1; CREATE blind:1 SET n = 5, grade = 1, code = 7; RELATE post:mine->knows:1->post:draft";

  test.each([
    'UPDATE post:hidden SET n = 1',
    'UPDATE post:hidden SET owner = user:ann',
    'DELETE post:hidden',
    'DELETE post WHERE n = 7',
    "UPDATE post SET n = 1 WHERE title = 'deep'",
    'UPDATE post SET n = 1 WHERE owner = user:ann',
    'UPDATE post:g..i SET n = 1',
    'UPDATE blind:1 SET n = 9',
    'UPDATE blind SET grade = 2',
    'UPDATE blind:2 SET n = 9',
    'DELETE blind:1',
    'UPSERT blind:1 SET n = 9',
    'UPSERT blind SET id = 1, n = 9',
    'UPSERT blind SET code = 7',
    'INSERT INTO blind {id: 1}',
    'INSERT IGNORE INTO blind {id: 1}',
    'INSERT IGNORE INTO blind {code: 7}',
    'INSERT INTO blind {id: 1} ON DUPLICATE KEY UPDATE n = 9',
    'INSERT INTO blind {code: 7} ON DUPLICATE KEY UPDATE n = 9',
    'RELATE post:mine->knows:1->post:draft',
    'INSERT RELATION INTO knows {id: 1, in: post:mine, out: post:draft}',
    'INSERT IGNORE RELATION INTO knows {id: 1, in: post:mine, out: post:draft}',
    "INSERT INTO post {id: 'hidden', owner: user:bob}",
    'CREATE post:hidden SET owner = user:bob',
  ])('a record: %s', async (text) => {
    const [without, within] = [await ann(true), await ann(true, HIDDEN)];
    expect(await answers(within.session, text)).toBe(await answers(without.session, text));
  });

  test.each(["'s'", "'t'", 'NONE'])('the value of a field, guessed: %s', async (guess) => {
    const { session, world } = await ann(true);
    expect(await answer(session, `UPDATE card:1 SET secret = ${guess} RETURN id`)).toBe('[{ id: card:1 }]');
    expect(await answer(world.owner, 'RETURN card:1.secret')).toBe("'s'");
  });

  test('a field without permissions of its own', async () => {
    const world = await World.open({ strictPermissions: true, fieldPermissions: 'none' });
    worlds.push(world);
    await run(
      world.owner,
      'DEFINE TABLE t PERMISSIONS FULL; DEFINE FIELD a ON t PERMISSIONS FULL; CREATE t:1 SET a = 1, b = 2',
    );
    const session = await world.person('ann');
    expect(await answer(session, 'UPDATE t:1 SET b = 2')).toBe(await answer(session, 'UPDATE t:1 SET b = 3'));
    expect(await answer(session, 'CREATE t SET b = 2')).toContain("Not allowed to write the field 'b'");
    expect(await answer(session, 'CREATE t:2 SET a = 2')).toBe('[{ a: 2, id: t:2 }]');
  });
});

describe('OPTION STRICT_PERMISSIONS', () => {
  test('holds for the statements after it, in this request alone', async () => {
    const { session } = await ann(false);
    const results = await session.query('UPDATE shown:1; OPTION STRICT_PERMISSIONS; UPDATE shown:1; RETURN 1');
    expect(results.map(({ outcome }) => (outcome.ok ? 'ok' : outcome.error.code))).toEqual([
      'ok',
      'ok',
      'write_refused',
      'ok',
    ]);
    expect(await answer(session, 'UPDATE shown:1')).toBe('[]');
  });

  test('switches it off as well', async () => {
    const { session } = await ann(true);
    expect(await answer(session, 'OPTION STRICT_PERMISSIONS = FALSE; UPDATE shown:1')).toBe('[]');
  });

  test('undoes a whole block', async () => {
    const { session, world } = await ann(true);
    await answers(session, 'BEGIN; UPDATE post:mine SET n = 9; UPDATE post:theirs SET n = 9; COMMIT');
    expect(await answer(world.owner, 'SELECT VALUE n FROM post WHERE n = 9')).toBe('[]');
  });
});

test('a refused write is recorded in the audit log once', async () => {
  const lines: string[] = [];
  const world = await World.open({
    strictPermissions: true,
    audit: { sink: { write: (batch) => void lines.push(...batch) } },
  });
  await run(world.owner, SCHEMA);
  const session = await world.person('ann');
  await answers(session, 'UPDATE shown:1; UPDATE card:1 SET grade = 2; UPDATE post:theirs SET n = 3');
  await world.close();
  const refusals = lines.map((line) => JSON.parse(line)).filter(({ action }) => action === 'refuse');
  expect(refusals.map(({ what }) => what)).toEqual([
    { write: 'update', table: 'shown', count: 1 },
    { write: 'update', table: 'card', field: 'grade', count: 1 },
    { write: 'update', table: 'post', count: 1 },
  ]);
});
