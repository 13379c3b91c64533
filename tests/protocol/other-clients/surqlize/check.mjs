// Asks a server through Surqlize, as its users do; `client.test.ts` starts it with the server's address. Prints a line for each check:
// `ok NAME`, or `not ok NAME: why`.
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { edge, orm, t, table } from 'surqlize';
import { RecordId, Surreal } from 'surrealdb';
import { WebSocket } from 'ws';

const [address, username, password] = process.argv.slice(2);
const client = new Surreal({ websocketImpl: WebSocket });
await client.connect(`ws://${address}/rpc`);
await client.signin({ username, password });
await client.use({ namespace: 'test', database: 'surqlize' });

const user = table('user', {
  name: t.string(),
  age: t.number(),
  tags: t.array(t.string()),
  address: t.object({ city: t.string() }),
  bio: t.option(t.string()),
});
const post = table('post', { title: t.string(), author: t.record('user') });
const wrote = edge('user', 'wrote', 'post', { role: t.string() });
const db = orm(client, user, post, wrote);
const ann = new RecordId('user', 'ann');
const trees = new RecordId('post', 'trees');

const CHECKS = {
  async 'creates records by SET and by CONTENT'() {
    const [made] = [
      await db.create('user', 'ann').set({ name: 'Ann', age: 40, tags: ['a'], address: { city: 'Rome' } }),
    ].flat();
    equal(made.id.toString(), 'user:ann');
    await db.create('post', 'trees').content({ title: 'Trees', author: ann });
  },
  async 'inserts several, and changes those that are there'() {
    const rows = ['Bob', 'Cy'].map((name, at) => ({ name, age: 20 + at, tags: [], address: { city: 'Oslo' } }));
    equal((await db.insert('user', rows)).length, 2);
    await db
      .insert('user', { id: ann, name: 'Ann', age: 1, tags: [], address: { city: 'x' } })
      .onDuplicate({ age: { '+=': 1 } });
    deepEqual(await client.query('SELECT VALUE age FROM user:ann').collect(), [[41]]);
  },
  async 'selects by conditions, in order, in part'() {
    const found = await db
      .select('user')
      .where((row) => row.age.gte(21))
      .orderBy('age', 'DESC')
      .limit(2)
      .return((row) => ({ name: row.name, city: row.address.city }));
    deepEqual(
      found.map(({ name, city }) => [name, city]),
      [
        ['Ann', 'Rome'],
        ['Cy', 'Oslo'],
      ],
    );
  },
  async 'calls functions of the language'() {
    const found = await db
      .select('user')
      .where((row) => row.name.startsWith('A'))
      .return((row) => ({ length: row.tags.len() }));
    deepEqual(found, [{ length: 1 }]);
  },
  async 'follows links and fetches them'() {
    const [linked] = await db.select('post').return((row) => ({ author: row.author.select().return((of) => of.name) }));
    deepEqual(linked, { author: ['Ann'] });
    const [fetched] = await db.select('post').fetch('author');
    equal(fetched.author.name, 'Ann');
  },
  async 'updates by SET with operators, by MERGE and by PATCH'() {
    await db.update('user', 'ann').set({ age: { '+=': 1 }, tags: { '+=': ['b'] } });
    await db.update('user', 'ann').merge({ bio: 'Writes' });
    await db.update('user', 'ann').patch([{ op: 'replace', path: '/name', value: 'Anna' }]);
    const [row] = await client.query('SELECT age, bio, name, tags FROM ONLY user:ann').collect();
    deepEqual({ ...row }, { age: 42, bio: 'Writes', name: 'Anna', tags: ['a', 'b'] });
  },
  async upserts() {
    await db.upsert('user', 'dan').set({ name: 'Dan', age: 5, tags: [], address: { city: 'Bern' } });
    equal((await db.select(new RecordId('user', 'dan'))).length, 1);
  },
  async 'relates records'() {
    await db.relate('wrote', ann, trees).set({ role: 'author' });
    deepEqual(await client.query('SELECT VALUE ->wrote->post.title FROM user:ann').collect(), [[['Trees']]]);
  },
  async 'runs batches and transactions, all of them or nothing'() {
    const [made, all] = await db.batch(
      db.create('post', 'books').content({ title: 'Books', author: ann }),
      db.select('post'),
    );
    equal([made].flat()[0].title, 'Books');
    equal(all.length, 2);
    await rejects(
      db.transaction(async (transaction) => {
        await transaction.delete('post', 'books');
        throw new Error('undone');
      }),
      /undone/,
    );
    equal((await db.select('post')).length, 2);
  },
  async 'deletes by a condition, and gives what was there'() {
    const gone = await db
      .delete('user')
      .where((row) => row.age.lt(21))
      .return('before');
    deepEqual(gone.map(({ name }) => name).sort(), ['Bob', 'Dan']);
  },
};

for (const [name, check] of Object.entries(CHECKS)) {
  try {
    await check();
    console.log(`ok ${name}`);
  } catch (error) {
    console.error(error);
    console.log(`not ok ${name}: ${String(error.message).replaceAll('\n', ' ')}`);
  }
}
await client.close();
