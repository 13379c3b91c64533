/** What can be tested of dialects without their databases; that of YugabyteDB runs on PostgreSQL, but for what only YugabyteDB understands. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readPostgresAddress } from '../../src/storage/postgres/address.js';
import { PostgresConnection } from '../../src/storage/postgres/connection.js';
import { dialectOf, POSTGRES, YUGABYTE } from '../../src/storage/postgres/dialect.js';
import { openPostgres } from '../../src/storage/postgres/open.js';
import { schemaStatements } from '../../src/storage/postgres/schema.js';
import type { RemoteEngine } from '../../src/storage/remote/remote-engine.js';
import { yugabyteOnPostgres } from '../support/dialects.js';
import { startFakePostgres } from '../support/fake-postgres.js';
import { PostgresServer, postgresPrograms } from '../support/postgres-server.js';

/** As the databases themselves give them. */
const VERSIONS = {
  debian:
    'PostgreSQL 15.18 (Debian 15.18-0+deb12u1) on x86_64-pc-linux-gnu, compiled by gcc (Debian 12.2.0-14) 12.2.0, 64-bit',
  yugabyte: 'PostgreSQL 15.12-YB-2025.1.1.1-b0 on x86_64-pc-linux-gnu, compiled by clang version 17.0.6, 64-bit',
  cockroach: 'CockroachDB CCL v25.4.5 (x86_64-pc-linux-gnu, built 2025/08/14 18:25:15, go1.23.7)',
};
const ISOLATION = 'SELECT yb_get_effective_transaction_isolation_level()';

describe('The dialect of a server', () => {
  test.each([
    [VERSIONS.debian, POSTGRES],
    ['PostgreSQL 18beta1 on aarch64-apple-darwin23.6.0, compiled by Apple clang version 16.0.0, 64-bit', POSTGRES],
    [VERSIONS.yugabyte, YUGABYTE],
    ['PostgreSQL 15.2-YB-2.25.1.0-b0 on x86_64-pc-linux-gnu', YUGABYTE],
  ])('is known by its version: %s', (version, dialect) => {
    expect(dialectOf(version)).toBe(dialect);
  });

  test.each([
    [
      'PostgreSQL 11.2-YB-2024.2.4.0-b0 on x86_64-pc-linux-gnu',
      "YugabyteDB can't hold a store: this is older than 2025.1",
    ],
    [VERSIONS.cockroach, /^CockroachDB can't hold a store: it has no session locks/],
    ['PostgreSQL 11.22 on x86_64-pc-linux-gnu', "PostgreSQL can't hold a store: this is older than version 12"],
    ['PostgreSQL 8.0.2 on i686-pc-linux-gnu, compiled by GCC gcc (GCC) 3.4.2, Redshift 1.0.12103', /^Amazon Redshift/],
    ['QuestDB 9', "QuestDB 9 can't hold a store: it is unknown"],
  ])('is refused where it lacks what a store needs: %s', (version, message) => {
    expect(() => dialectOf(version)).toThrow(message);
    expect(() => dialectOf(version)).toThrow(expect.objectContaining({ code: 'storage_unsupported' }));
  });

  test.each([
    ['CockroachDB', { 'SELECT version()': VERSIONS.cockroach }, /^CockroachDB can't hold a store/],
    [
      'YugabyteDB without READ COMMITTED',
      { 'SELECT version()': VERSIONS.yugabyte, [ISOLATION]: 'repeatable read' },
      "YugabyteDB can't hold a store: READ COMMITTED is off; set yb_enable_read_committed_isolation=true for its TServers",
    ],
  ])('is asked first, so that %s is refused and changes nothing', async (_, answers, message) => {
    const server = await startFakePostgres(answers);
    const opening = openPostgres(`postgres://app@127.0.0.1:${server.port}/shop`);
    await expect(opening).rejects.toMatchObject({
      code: 'storage_unsupported',
      message: expect.stringMatching(message),
    });
    expect(server.received.filter((statement) => !/^(SELECT|SET) /.test(statement))).toEqual([]);
    await server.close();
  });

  test('of YugabyteDB has keys in order, and none of what only PostgreSQL understands', () => {
    const statements = schemaStatements(YUGABYTE).join('\n');
    expect(statements).toContain('PRIMARY KEY (key ASC)');
    expect(statements).not.toMatch(/LOCK TABLE|SET STORAGE|fillfactor/);
    expect(schemaStatements(POSTGRES).join('\n')).toMatch(/PRIMARY KEY \(key\).*fillfactor.*SET STORAGE.*LOCK TABLE/s);
  });
});

describe.skipIf(postgresPrograms() === undefined)('The dialect of YugabyteDB, on PostgreSQL,', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server.remove());

  const open = (schema: string) => openPostgres(server.address(schema), { dialect: yugabyteOnPostgres });

  async function connect(schema: string): Promise<PostgresConnection> {
    const connection = await PostgresConnection.open(readPostgresAddress(server.address(schema)), {
      onLost: () => undefined,
    });
    await connection.run(`SET search_path TO ${schema}`);
    return connection;
  }

  async function codeOfWrite(engine: RemoteEngine): Promise<string> {
    const transaction = engine.begin({ writable: true });
    transaction.put('a', 1);
    const committing = (async () => transaction.commit())();
    return committing.then(
      () => 'committed',
      ({ code }) => code,
    );
  }

  test('has one who locks all databases wait for one who adds a database, and see it', async () => {
    await (await open('heads')).close();
    const [adding, locking, watching] = [await connect('heads'), await connect('heads'), await connect('heads')];
    await adding.run("BEGIN; SELECT take_stamps('{7}', '{}', false, 1)");
    const locked = locking.run("SELECT take_stamps('{8}', '{}', true, 1)");
    const waits = { name: 'waits', text: 'SELECT 1 FROM pg_locks WHERE NOT granted' };
    await expect.poll(async () => (await watching.query(waits)).length).toBe(1);
    await adding.run('COMMIT');
    await locked;
    const heads = {
      name: 'heads',
      text: 'SELECT id FROM head WHERE stamp = (SELECT max(stamp) FROM head) ORDER BY id',
    };
    expect((await watching.query(heads)).map(([id]) => id!.charCodeAt(7))).toEqual([0, 7, 8]);
    await Promise.all([adding, locking, watching].map((connection) => connection.close()));
  });

  test('completes a schema that was made in part', async () => {
    const admin = await connect('public');
    await admin.run('CREATE SCHEMA part; CREATE TABLE part.about (name text PRIMARY KEY, value text NOT NULL)');
    await expect(openPostgres(server.address('part'))).rejects.toMatchObject({ code: 'storage_format' });
    const engine = await open('part');
    expect(await codeOfWrite(engine)).toBe('committed');
    await engine.close();
    await admin.close();
  });

  test.each([
    ['40001', 'transaction_conflict'],
    ['XX000', 'storage_unavailable'],
  ])('asks what became of a commit that was answered by error %s', async (state, code) => {
    const engine = await open(`answered_${state.toLowerCase()}`);
    const admin = await connect(`answered_${state.toLowerCase()}`);
    await admin.run(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '${state}'; END $$;
      CREATE TRIGGER fails BEFORE INSERT ON log EXECUTE FUNCTION fail()`);
    expect(await codeOfWrite(engine)).toBe(code);
    // By the fence, what isn't applied by now never will be.
    const fence = { name: 'fence', text: 'SELECT 1 FROM fence' };
    expect(await admin.query(fence)).toHaveLength(1);
    await admin.run('DROP TRIGGER fails ON log');
    expect(await codeOfWrite(engine)).toBe('committed');
    await admin.close();
    await engine.close();
  });
});
