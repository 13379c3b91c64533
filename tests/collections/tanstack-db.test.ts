/** Collections of TanStack DB over live results: what comes, what is written, refused and lost. */
import { type Collection, createCollection } from '@tanstack/db';
import { RecordId, type Surreal, Uuid } from 'surrealdb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { liveCollection, type Row, writeMutations } from '../../collections/tanstack-db.js';
import type { RunningServer } from '../../src/server/server.js';
import { asRoot, connected } from '../protocol/client-2/client.js';
import { CuttingProxy } from '../support/cutting-proxy.js';
import { startTestServer } from '../support/server.js';

interface Todo extends Row {
  readonly id: RecordId;
  text: string;
  done?: boolean | undefined;
}

const RULES = `
  DEFINE TABLE user; DEFINE TABLE todo PERMISSIONS
    FOR select WHERE owner = $auth OR $auth IN with, FOR create WHERE owner = $auth, FOR update, delete WHERE owner = $auth;
  DEFINE FIELD owner ON todo VALUE $before ?? $auth ?? $value;
  DEFINE FIELD text ON todo TYPE string ASSERT string::len($value) < 20;
  DEFINE FIELD done ON todo TYPE option<bool>;
  DEFINE ACCESS account ON DATABASE TYPE RECORD SIGNUP (CREATE type::record('user', $name))`;

let server: RunningServer;
let owner: Surreal;
let ann: Surreal;
let bob: Surreal;
const open: { cleanup(): Promise<void> }[] = [];

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  owner = await asRoot(server, 'ws', 'todos');
  await owner.query(RULES);
  ann = await signedUp('ann');
  bob = await signedUp('bob');
});
afterEach(async () => {
  for (const collection of open.splice(0)) await collection.cleanup();
  await Promise.all([owner, ann, bob].map((client) => client.close()));
});

async function signedUp(name: string): Promise<Surreal> {
  const client = await connected(server, 'ws', {});
  await client.signup({ namespace: 'test', database: 'todos', access: 'account', variables: { name } });
  return client;
}

type Todos = Collection<Todo, string>;

async function todosOf(
  client: Surreal,
  query = 'SELECT * FROM todo',
  onError?: (error: unknown) => void,
): Promise<Todos> {
  const collection = createCollection(liveCollection<Todo>({ client, query, ...(onError && { onError }) }));
  open.push(collection);
  await collection.preload();
  return collection as unknown as Todos;
}

const texts = (todos: Todos): string[] =>
  todos.toArray.map(({ text, done }) => `${text}${done ? ' (done)' : ''}`).sort();
const newTodo = (text: string): Todo => ({ id: new RecordId('todo', Uuid.v7()), text });

test('rows are there at the beginning, and follow what others write', async () => {
  await ann.query("CREATE todo:1 SET text = 'Milk'; CREATE todo:2 SET text = 'Tea', with = [user:bob]");
  const [ofAnn, ofBob] = [await todosOf(ann), await todosOf(bob)];
  expect([texts(ofAnn), texts(ofBob)]).toEqual([['Milk', 'Tea'], ['Tea']]);
  await ann.query(
    'UPDATE todo:1 SET with = [user:bob]; UPDATE todo:2 SET done = true, with = []; CREATE todo:3 SET text = "Jam"',
  );
  await expect.poll(() => texts(ofBob)).toEqual(['Milk']);
  await expect.poll(() => texts(ofAnn)).toEqual(['Jam', 'Milk', 'Tea (done)']);
  await ann.query('DELETE todo');
  await expect.poll(() => [texts(ofAnn), texts(ofBob)]).toEqual([[], []]);
});

test('a query with a condition, an order and a limit', async () => {
  const todos = await todosOf(ann, 'SELECT id, text FROM todo WHERE done != true ORDER BY text LIMIT 2');
  for (const text of ['c', 'b', 'a']) await ann.query('CREATE todo SET text = $text', { text });
  await expect.poll(() => texts(todos)).toEqual(['a', 'b']);
  await ann.query("UPDATE todo SET done = true WHERE text = 'a'");
  await expect.poll(() => texts(todos)).toEqual(['b', 'c']);
});

test('writes are seen at once, by all, and stay', async () => {
  const [todos, others] = [await todosOf(ann), await todosOf(owner)];
  const [milk, tea] = [newTodo('Milk'), newTodo('Tea')];
  const inserted = todos.insert([milk, tea]);
  expect(texts(todos)).toEqual(['Milk', 'Tea']);
  await inserted.isPersisted.promise;
  expect(texts(todos)).toEqual(['Milk', 'Tea']);
  await expect.poll(() => texts(others)).toEqual(['Milk', 'Tea']);
  const changed = todos.update(String(milk.id), (draft) => {
    draft.done = true;
  });
  const removed = todos.delete(String(tea.id));
  expect(texts(todos)).toEqual(['Milk (done)']);
  await Promise.all([changed.isPersisted.promise, removed.isPersisted.promise]);
  expect(texts(todos)).toEqual(['Milk (done)']);
  await expect.poll(() => texts(others)).toEqual(['Milk (done)']);
  await todos.update(String(milk.id), (draft) => {
    draft.done = undefined;
  }).isPersisted.promise;
  expect(await owner.query('SELECT VALUE done FROM todo')).toEqual([[undefined]]);
});

describe('what is refused is rolled back', () => {
  test('by a field, all of a transaction', async () => {
    const todos = await todosOf(ann);
    const refused = todos.insert([newTodo('Milk'), newTodo('x'.repeat(30))]);
    expect(texts(todos)).toHaveLength(2);
    await expect(refused.isPersisted.promise).rejects.toThrow(/text/);
    expect(texts(todos)).toEqual([]);
    expect(await owner.query('SELECT VALUE id FROM todo')).toEqual([[]]);
  });

  test('by a rule, which hides what it refuses', async () => {
    await ann.query("CREATE todo:1 SET text = 'Milk', with = [user:bob]");
    const todos = await todosOf(bob);
    const changed = todos.update('todo:1', (draft) => {
      draft.text = 'Beer';
    });
    await expect(changed.isPersisted.promise).rejects.toThrow('You may not change this record');
    await expect(todos.delete('todo:1').isPersisted.promise).rejects.toThrow('You may not delete this record');
    expect(texts(todos)).toEqual(['Milk']);
  });

  test('a statement that fails says so', async () => {
    const todos = createCollection(liveCollection<Todo>({ client: ann, query: 'SELECT * FROM nothing' }));
    open.push(todos);
    await expect(todos.preload()).rejects.toThrow(/nothing/);
  });
});

test('rows are right again after the connection was lost', async () => {
  const proxy = await CuttingProxy.start(Number(new URL(server.url).port), 'nothing that is sent');
  const client = await connected({ url: `http://127.0.0.1:${proxy.port}` }, 'ws', {
    reconnect: { enabled: true, attempts: -1, retryDelay: 20, retryDelayMax: 20 },
  });
  await client.signup({ namespace: 'test', database: 'todos', access: 'account', variables: { name: 'cy' } });
  const todos = await todosOf(client);
  await client.query("CREATE todo:1 SET text = 'Milk'; CREATE todo:2 SET text = 'Tea'");
  await expect.poll(() => texts(todos)).toEqual(['Milk', 'Tea']);
  proxy.refuse();
  await owner.query(
    "UPDATE todo:1 SET text = 'Oat milk'; DELETE todo:2; CREATE todo:3 SET text = 'Jam', owner = user:cy",
  );
  expect(texts(todos)).toEqual(['Milk', 'Tea']);
  proxy.accept();
  await expect.poll(() => texts(todos)).toEqual(['Jam', 'Oat milk']);
  await owner.query("UPDATE todo:3 SET text = 'Honey'");
  await expect.poll(() => texts(todos)).toEqual(['Honey', 'Oat milk']);
  await client.close();
  await proxy.close();
});

test('writing again what was written changes nothing more', async () => {
  const todo = newTodo('Milk');
  const insert = { type: 'insert', modified: todo, original: {}, changes: todo } as const;
  const update = { type: 'update', modified: todo, original: todo, changes: { done: true } } as const;
  for (let time = 0; time < 2; time++) await writeMutations<Todo>(ann, [insert, update]);
  expect(await owner.query('SELECT text, done FROM todo')).toEqual([[{ text: 'Milk', done: true }]]);
  const remove = { type: 'delete', modified: todo, original: todo, changes: {} } as const;
  for (let time = 0; time < 2; time++) await writeMutations<Todo>(ann, [remove]);
  expect(await owner.query('SELECT * FROM todo')).toEqual([[]]);
});

test('a result that ends is begun again, and one that can’t be is said to the page', async () => {
  const errors: unknown[] = [];
  const todos = await todosOf(ann, 'SELECT * FROM todo', (error) => errors.push(error));
  await owner.query('REMOVE TABLE todo');
  await expect.poll(() => errors).toHaveLength(1);
  expect(String(errors[0])).toContain('todo');
  expect(texts(todos)).toEqual([]);
});
