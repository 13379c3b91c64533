/** The official JavaScript client against the real server, over both transports, and with the engine in process. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DateTime, Duration, RecordId, StringRecordId, type Surreal, Table, Uuid } from 'surrealdb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RunningServer } from '../../src/server/server.js';
import { startDrawnServer } from '../support/drawn-server.js';
import { newClient } from '../support/official-client.js';
import { ROOT } from '../support/server.js';

let server: RunningServer;
const folder = mkdtempSync(join(tmpdir(), 'tessera-'));
beforeAll(async () => {
  server = await startDrawnServer('client over each transport');
  const db = newClient();
  await db.connect(address('tessera'));
  await db.query(`DEFINE USER root ON ROOT PASSWORD '${ROOT.password}' ROLES OWNER`);
  await db.close();
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

function address(scheme: string): string {
  return scheme === 'tessera' ? `tessera://${folder}` : `${server.url.replace('http', scheme)}/rpc`;
}

describe.each(['ws', 'http', 'tessera'])('over %s', (scheme) => {
  let db: Surreal;
  beforeEach(async () => {
    db = newClient();
    await db.connect(address(scheme), { reconnect: false });
    await db.signin(ROOT);
    await db.use({ namespace: 'test', database: scheme });
    await db.query(
      `DEFINE NAMESPACE IF NOT EXISTS test; REMOVE DATABASE IF EXISTS ${scheme}; DEFINE DATABASE ${scheme};`,
    );
  });
  afterEach(() => db.close());

  it('reports its version', async () => {
    expect(await db.version()).toMatchObject({ version: expect.stringMatching(/^surrealdb-3\./) });
  });

  it('gives one result for each statement', async () => {
    const [one, two] = await db.query<[number, string]>('RETURN 1; RETURN $name', { name: 'x' });
    expect([one, two]).toEqual([1, 'x']);
  });

  it('creates, selects, changes and deletes records', async () => {
    const id = new RecordId('person', 1);
    expect(await db.create(id).content({ name: 'Ann', age: 30 })).toMatchObject({ name: 'Ann' });
    expect(await db.select(id)).toMatchObject({ id, name: 'Ann', age: 30 });
    expect(await db.update(id).merge({ age: 31 })).toMatchObject({ name: 'Ann', age: 31 });
    expect(await db.update(id).content({ name: 'Bob' })).toEqual({ id, name: 'Bob' });
    expect(await db.upsert(new RecordId('person', 2)).content({ name: 'Eve' })).toMatchObject({ name: 'Eve' });
    expect(await db.select(new Table('person'))).toHaveLength(2);
    expect(await db.delete(id)).toMatchObject({ name: 'Bob' });
    expect(await db.select(id)).toBeUndefined();
    expect(await db.delete(new Table('person'))).toHaveLength(1);
  });

  it('inserts and relates', async () => {
    await db.insert(new Table('person'), [{ id: 1 }, { id: 2 }]);
    const edge = await db.relate(new RecordId('person', 1), new Table('knows'), new RecordId('person', 2), {
      since: 2020,
    });
    expect(edge).toMatchObject({ in: new RecordId('person', 1), out: new RecordId('person', 2), since: 2020 });
  });

  it('brings every kind of value back as it was', async () => {
    const values = {
      int: 42,
      big: 9007199254740993n,
      float: 1.5,
      text: 'ÿ 漢 😀',
      nothing: null,
      list: [1, [2, { a: 3 }]],
      when: new DateTime('2024-02-29T12:34:56.123456789Z'),
      span: new Duration('1h30m'),
      uuid: new Uuid('018f4e3a-7c1b-7def-8123-456789abcdef'),
      record: new RecordId('a', ['x', 1]),
      bytes: new Uint8Array([0, 1, 255]).buffer,
    };
    const [back] = await db.query<[typeof values]>('RETURN $values', { values });
    expect(back).toEqual(values);
  });

  it('reads record ids that come as text', async () => {
    await db.create(new RecordId('person', 'ann')).content({ a: 1 });
    expect(await db.select(new StringRecordId('person:ann'))).toMatchObject({ a: 1 });
  });

  it('says what went wrong', async () => {
    await expect(db.query('THROW "no"')).rejects.toThrow('An error occurred: no');
    await expect(db.query('SEL ECT')).rejects.toThrow('Parse error');
    await expect(db.signin({ username: 'root', password: 'wrong' })).rejects.toThrow(
      'There was a problem with authentication',
    );
    await db.create(new RecordId('person', 1));
    await expect(db.create(new RecordId('person', 1))).rejects.toThrow('Database record `person:1` already exists');
  });

  it('keeps variables', async () => {
    await db.set('x', 5);
    expect((await db.query<[number]>('RETURN $x'))[0]).toBe(5);
    await db.unset('x');
    expect((await db.query<[undefined]>('RETURN $x'))[0]).toBeUndefined();
  });

  it('signs record users up and in', async () => {
    await db.query(`
      DEFINE TABLE user SCHEMALESS PERMISSIONS FOR select WHERE id = $auth.id;
      DEFINE ACCESS account ON DATABASE TYPE RECORD
        SIGNUP (CREATE user SET email = $email, pass = crypto::argon2::generate($pass))
        SIGNIN (SELECT * FROM user WHERE email = $email AND crypto::argon2::compare(pass, $pass));
    `);
    const account = { namespace: 'test', database: scheme, access: 'account' };
    const variables = { email: 'ann@example.com', pass: 'correct horse' };
    const other = newClient();
    await other.connect(address(scheme), { reconnect: false });
    const { access } = await other.signup({ ...account, variables });
    expect(access.split('.')).toHaveLength(3);
    await other.signin({ ...account, variables });
    expect(await other.select(new Table('user'))).toMatchObject([{ email: 'ann@example.com' }]);
    await other.invalidate();
    await other.authenticate(access);
    expect(await other.select(new Table('user'))).toHaveLength(1);
    await other.close();
  });
});

describe.each(['ws', 'tessera'])('attached sessions over %s', (scheme) => {
  it('are apart from each other', async () => {
    const db = newClient();
    await db.connect(address(scheme), { reconnect: false });
    await db.signin(ROOT);
    await db.use({ namespace: 'test', database: 'first' });
    const session = await db.newSession();
    await session.signin(ROOT);
    await session.use({ namespace: 'test', database: 'second' });
    expect(await session.query('RETURN session::db()')).toEqual(['second']);
    expect(await db.query('RETURN session::db()')).toEqual(['first']);
    expect(await db.sessions()).toHaveLength(1);
    await session.closeSession();
    expect(await db.sessions()).toHaveLength(0);
    await db.close();
  });
});
