import { beforeEach, describe, expect, it } from 'vitest';
import type { Session } from '../../src/session/contract.js';
import { objectFrom } from '../../src/value/value.js';
import { openStack, type Stack } from './stack.js';

const SETUP = `
  DEFINE CONFIG GRAPHQL AUTO;
  DEFINE TABLE user PERMISSIONS FOR select WHERE id = $auth.id;
  DEFINE FIELD name ON user TYPE string;
  DEFINE TABLE note PERMISSIONS FOR select, update, delete WHERE owner = $auth.id, FOR create WHERE owner = $auth.id;
  DEFINE FIELD text ON note TYPE string;
  DEFINE FIELD owner ON note TYPE record<user> DEFAULT $auth.id;
  DEFINE FIELD secret ON note TYPE option<string> PERMISSIONS FOR select NONE, FOR create FULL, FOR update FULL;
  DEFINE FIELD fixed ON note TYPE option<string> PERMISSIONS FOR select FULL, FOR create, update NONE;
  DEFINE FIELD link ON note TYPE option<record<drop>>;
  DEFINE TABLE drop PERMISSIONS FOR create FULL;
  DEFINE FIELD text ON drop TYPE string; DEFINE FIELD code ON drop TYPE option<string>;
  DEFINE INDEX code ON drop FIELDS code UNIQUE;
  DEFINE FIELD next ON drop TYPE option<record<closed>>;
  DEFINE TABLE closed PERMISSIONS NONE; DEFINE FIELD x ON closed TYPE int;
  DEFINE TABLE open PERMISSIONS FOR select, update FULL; DEFINE FIELD x ON open TYPE int;
  DEFINE FIELD hidden ON open TYPE int DEFAULT 1 PERMISSIONS FOR select NONE;
  DEFINE TABLE saw TYPE RELATION FROM note TO drop PERMISSIONS FOR create, select FULL;
  CREATE user:me SET name = 'Me'; CREATE user:you SET name = 'You';
  CREATE note:mine SET text = 'mine', owner = user:me, secret = 'hush', fixed = 'f';
  CREATE note:yours SET text = 'yours', owner = user:you, secret = 'psst';
  CREATE drop:old SET text = 'old', code = 'taken'; CREATE closed:1 SET x = 1;
  CREATE open:1 SET x = 1, hidden = 1; CREATE open:2 SET x = 2, hidden = 2;
  DEFINE ACCESS account ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM user WHERE name = $name);`;

let stack: Stack;
let user: Session;
let guest: Session;
beforeEach(async () => {
  stack = await openStack(SETUP);
  [user, guest] = [stack.database.session({}), stack.database.session({})];
  for (const session of [user, guest]) await session.use('test', 'test');
  await user.signIn(objectFrom({ ns: 'test', db: 'test', ac: 'account', name: 'Me' }));
});

const ask = (query: string, session = user) => stack.ask(`mutation { ${query} }`, undefined, session);
/** What is stored, as text. */
async function stored(text: string): Promise<string> {
  const [result] = await stack.owner.query(`RETURN <string> (${text})`);
  return result?.outcome.ok === true ? String(result.outcome.value) : String(result?.outcome.error.message);
}

describe('a record user', () => {
  it('creates what the rules admit, and sees of it what they show', async () => {
    expect(
      await ask('createNote(data: {text: "new", secret: "s", fixed: "no"}) { text secret fixed owner { name } }'),
    ).toEqual({
      data: { createNote: { text: 'new', secret: null, fixed: null, owner: { name: 'Me' } } },
    });
    expect(await stored("(SELECT VALUE secret FROM note WHERE text = 'new')[0]")).toBe('s');
    expect(await ask('createNote(data: {text: "x", owner: "you"}) { text }')).toEqual({ data: { createNote: null } });
    expect(await ask('createClosed(data: {x: 2}) { x }')).toEqual({ data: { createClosed: null } });
    expect(await stored('count(SELECT * FROM note) + count(SELECT * FROM closed)')).toBe('4');
  });

  it('may write what they may not read, and learns nothing of it', async () => {
    expect(await ask('createDrop(data: {id: "a", text: "in the box"}) { id text }')).toEqual({
      data: { createDrop: null },
    });
    expect(await ask('createManyDrop(data: [{text: "1"}, {text: "2"}]) { id }')).toEqual({
      data: { createManyDrop: [] },
    });
    expect(await stored('count(SELECT * FROM drop)')).toBe('4');
    const { errors } = await ask(
      'createDrop(data: {id: "old", text: "over"}) { text } b: createDrop(data: {text: "t", code: "taken"}) { text }',
    );
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['record_exists', 'index_violation']);
    // A client that names the record knows its name; who holds the code isn't revealed.
    expect(errors?.[1]?.message).not.toContain('drop:old');
    expect(await stored('drop:old.text')).toBe('old');
  });

  it('changes nothing that is hidden', async () => {
    const fields = '{ id text secret }';
    for (const query of [
      `updateNote(id: "yours", data: {text: "x"}) ${fields}`,
      `mergeNote(id: "yours", data: {text: "x"}) ${fields}`,
      `upsertNote(id: "yours", data: {text: "x"}) ${fields}`,
      `deleteNote(id: "yours") ${fields}`,
      `deleteNote(id: "missing") ${fields}`,
      'updateDrop(id: "old", data: {text: "x"}) { id }',
      'deleteClosed(id: "1") { id }',
    ]) {
      const { data, errors } = await ask(query);
      expect([query, Object.values(data ?? {}), errors]).toEqual([query, [null], undefined]);
    }
    expect(
      await ask(`deleteManyNote(filter: {text: {eq: "yours"}}) ${fields} deleteManyDrop(filter: {}) { id }`),
    ).toEqual({
      data: { deleteManyNote: [], deleteManyDrop: [] },
    });
    expect(await stored('[note:yours.text, drop:old.text, closed:1.x]')).toBe("['yours', 'old', 1]");
  });

  it('gets a deleted record as far as it may be seen', async () => {
    expect(await ask('deleteNote(id: "mine") { text secret fixed }')).toEqual({
      data: { deleteNote: { text: 'mine', secret: null, fixed: 'f' } },
    });
  });

  it('finds nothing by hidden fields', async () => {
    const update = (filter: string) => ask(`updateManyOpen(filter: ${filter}, data: {x: 9}) { id }`);
    expect((await update('{hidden: {eq: 2}}')).data).toEqual({ updateManyOpen: [] });
    expect((await update('{hidden: {gt: 0}}')).data).toEqual({ updateManyOpen: [] });
    expect(await stored('SELECT VALUE x FROM open')).toBe('[1, 2]');
    expect((await update('{x: {eq: 2}}')).data).toEqual({ updateManyOpen: [{ id: 'open:2' }] });
  });

  it('nests all or nothing', async () => {
    const created = await ask('createNote(data: {text: "n", link_create: {text: "d"}}) { text link { text } }');
    expect(created).toEqual({ data: { createNote: { text: 'n', link: null } } });
    expect(await stored("(SELECT VALUE link.text FROM note WHERE text = 'n')[0]")).toBe('d');
    for (const data of [
      '{text: "n2", link_create: {text: "d2", next_create: {x: 1}}}',
      '{text: "n2", owner: "you", link_create: {text: "d2"}}',
      '{text: "n2", fixed: "no", link_create: {text: "d2"}}',
    ]) {
      const { data: none, errors } = await ask(`createNote(data: ${data}) { text }`);
      expect([none, errors?.[0]?.extensions.code]).toEqual([{ createNote: null }, 'write_refused']);
    }
    const edge = await ask(
      'createNote(data: {text: "e", saw: [{out_create: {text: "d3"}}]}) { saw { id out { text } } }',
    );
    expect(edge.data).toMatchObject({ createNote: { saw: [{ out: null }] } });
    expect(await stored('count(SELECT * FROM drop) * 10 + count(SELECT * FROM note)')).toBe('34');
    // Whether there is a hidden record is not told.
    for (const id of ['yours', 'missing']) {
      const { errors } = await ask(`updateNote(id: "${id}", data: {link_create: {text: "x"}}) { id }`);
      expect(errors?.[0]?.extensions.code).toBe('graphql_unchanged');
    }
    expect(await stored('count(SELECT * FROM drop)')).toBe('3');
  });
});

describe('a guest', () => {
  it('may do what the rules leave', async () => {
    expect(
      await ask(
        'createDrop(data: {text: "g"}) { text } deleteNote(id: "mine") { id } updateManyOpen(filter: {}, limit: 1, data: {x: 5}) { x hidden }',
        guest,
      ),
    ).toEqual({
      data: { createDrop: null, deleteNote: null, updateManyOpen: [{ x: 5, hidden: null }] },
    });
    expect(await stored('count(SELECT * FROM drop)')).toBe('2');
  });
});

describe('a viewer', () => {
  it('changes nothing', async () => {
    await stack.owner.query("DEFINE USER viewer ON DATABASE PASSWORD 'viewer viewer' ROLES VIEWER");
    const viewer = stack.database.session({});
    await viewer.use('test', 'test');
    await viewer.signIn(objectFrom({ ns: 'test', db: 'test', user: 'viewer', pass: 'viewer viewer' }));
    const { data } = await ask(
      'createOpen(data: {x: 3}) { x } updateClosed(id: "1", data: {x: 9}) { x } deleteOpen(id: "1") { x }',
      viewer,
    );
    expect(data).toEqual({ createOpen: null, updateClosed: null, deleteOpen: null });
    expect(await stored('[closed:1.x, open:1.x, count(SELECT * FROM open)]')).toBe('[1, 1, 2]');
  });
});
