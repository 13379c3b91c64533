import { beforeAll, describe, expect, it } from 'vitest';
import type { Session } from '../../src/session/contract.js';
import { objectFrom } from '../../src/value/value.js';
import { openStack, type Stack } from './stack.js';

const SETUP = `
  DEFINE CONFIG GRAPHQL AUTO;
  DEFINE TABLE user PERMISSIONS FOR select WHERE id = $auth.id;
  DEFINE FIELD email ON user TYPE string;
  DEFINE FIELD pass ON user TYPE string PERMISSIONS FOR select NONE;
  DEFINE FIELD boss ON user TYPE option<record<user>>;
  DEFINE FIELD notes ON user TYPE array<record<note>> DEFAULT [];
  DEFINE TABLE note PERMISSIONS FOR select WHERE public OR owner = $auth.id;
  DEFINE FIELD text ON note TYPE string;
  DEFINE FIELD public ON note TYPE bool;
  DEFINE FIELD owner ON note TYPE record<user>;
  DEFINE FIELD draft ON note TYPE string PERMISSIONS FOR select WHERE owner = $auth.id;
  DEFINE TABLE closed; DEFINE FIELD x ON closed TYPE int;
  DEFINE TABLE reads TYPE RELATION FROM user TO note PERMISSIONS FOR select WHERE in = $auth.id;
  CREATE user:1 SET email = 'a@b', pass = crypto::argon2::generate('pw one two'), boss = user:2, notes = [note:mine, note:theirs, note:open];
  CREATE user:2 SET email = 'c@d', pass = 'x';
  CREATE note:mine SET text = 'mine', public = false, owner = user:1, draft = 'my draft';
  CREATE note:theirs SET text = 'theirs', public = false, owner = user:2, draft = 'their draft';
  CREATE note:open SET text = 'open', public = true, owner = user:2, draft = 'open draft';
  CREATE closed:1 SET x = 1;
  RELATE user:1->reads->note:open; RELATE user:2->reads->note:open;
  DEFINE ACCESS account ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM user WHERE email = $email AND crypto::argon2::compare(pass, $pass));
  DEFINE USER viewer ON DATABASE PASSWORD 'viewer viewer' ROLES VIEWER;`;

let stack: Stack;
let user: Session;
let guest: Session;
let viewer: Session;

beforeAll(async () => {
  stack = await openStack(SETUP);
  const open = async () => {
    const session = stack.database.session({});
    await session.use('test', 'test');
    return session;
  };
  user = await open();
  await user.signIn(objectFrom({ ns: 'test', db: 'test', ac: 'account', email: 'a@b', pass: 'pw one two' }));
  guest = await open();
  viewer = await open();
  await viewer.signIn(objectFrom({ ns: 'test', db: 'test', user: 'viewer', pass: 'viewer viewer' }));
});

describe('a record user', () => {
  const ask = (query: string) => stack.ask(query, undefined, user);

  it('sees the rows that the rules admit, and hidden fields as null', async () => {
    expect(await ask('{ user { id email pass } note(order: {asc: text}) { text draft } closed { x } }')).toEqual({
      data: {
        user: [{ id: 'user:1', email: 'a@b', pass: null }],
        note: [
          { text: 'mine', draft: 'my draft' },
          { text: 'open', draft: null },
        ],
        closed: [],
      },
    });
  });

  it('finds nothing where a link leads to a hidden record', async () => {
    expect(await ask('{ user { boss { id email } notes { text draft owner { email } } } }')).toEqual({
      data: {
        user: [
          {
            boss: null,
            notes: [
              { text: 'mine', draft: 'my draft', owner: { email: 'a@b' } },
              null,
              { text: 'open', draft: null, owner: null },
            ],
          },
        ],
      },
    });
    expect(
      await ask('{ a: _get_user(id: "2") { id } b: _get(id: "user:2") { id } c: _get(id: "note:theirs") { id } }'),
    ).toEqual({
      data: { a: null, b: null, c: null },
    });
  });

  it('can’t find out what is hidden by filters or order', async () => {
    expect(await ask('{ user(filter: {pass: {startsWith: "$argon2"}}) { id } }')).toEqual({ data: { user: [] } });
    expect(await ask('{ note(filter: {draft: {eq: "open draft"}}) { id } }')).toEqual({ data: { note: [] } });
    const both = ['asc', 'desc'].map((way) => ask(`{ note(order: {${way}: draft}) { text } }`));
    for (const { data } of await Promise.all(both)) expect(data?.note).toHaveLength(2);
  });

  it('walks over the edges that the rules admit', async () => {
    expect(await ask('{ note(filter: {id: {eq: "open"}}) { reads_incoming { in { email } } } }')).toEqual({
      data: { note: [{ reads_incoming: [{ in: { email: 'a@b' } }] }] },
    });
  });
});

describe('others', () => {
  it('a viewer sees everything', async () => {
    const { data } = await stack.ask('{ user { pass boss { email } } closed { x } }', undefined, viewer);
    expect(data).toMatchObject({ user: [{ boss: { email: 'c@d' } }, { pass: 'x' }], closed: [{ x: 1 }] });
  });

  it('a guest sees what the rules leave', async () => {
    expect(await stack.ask('{ user { email } note { text } closed { x } }', undefined, guest)).toEqual({
      data: { user: [], note: [{ text: 'open' }], closed: [] },
    });
  });

  it('a guest learns no definitions where guests may run nothing', async () => {
    const { openDatabase } = await import('../../src/session/database/database.js');
    const { openEngine } = await import('../../src/storage/open/open.js');
    const database = await openDatabase(await openEngine('memory'));
    const session = database.session({});
    await session.use('test', 'test');
    const { errors } = await stack.ask('{ __schema { types { name } } }', undefined, session);
    expect(errors?.[0]?.extensions.code).toBe('not_allowed');
  });

  it('no user acts outside of their level', async () => {
    await stack.owner.query('DEFINE DATABASE other; USE DB other; DEFINE CONFIG GRAPHQL AUTO; DEFINE TABLE t;');
    await viewer.use('test', 'other');
    expect((await stack.ask('{ t { id } }', undefined, viewer)).errors?.[0]?.extensions.code).toBe('not_allowed');
    await viewer.use('test', 'test');
  });
});
