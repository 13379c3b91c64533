import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readPostgresAddress } from '../../src/storage/postgres/address.js';
import { PostgresConnection } from '../../src/storage/postgres/connection.js';
import { openPostgres } from '../../src/storage/postgres/open.js';
import { PostgresServer, postgresPrograms } from '../support/postgres-server.js';

describe.skipIf(postgresPrograms() === undefined)('A store in PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server.remove());

  async function run(script: string, user = 'postgres'): Promise<void> {
    const settings = { ...readPostgresAddress(server.address('public')), user };
    const connection = await PostgresConnection.open(settings, { onLost: () => undefined });
    await connection.run(script);
    await connection.close();
  }

  test('is for several servers, or for one process alone', async () => {
    const address = server.address('lock');
    const inUse = { code: 'storage_in_use', message: 'The store in the schema lock is in use by another process' };
    const servers = [await openPostgres(address), await openPostgres(address)];
    await expect(openPostgres(address, { exclusive: true })).rejects.toMatchObject(inUse);
    // Another schema of the same database is another store.
    await (await openPostgres(server.address('other'), { exclusive: true })).close();
    for (const each of servers) await each.close();
    const copy = await openPostgres(address, { exclusive: true });
    await expect(openPostgres(address)).rejects.toMatchObject(inUse);
    await copy.close();
    await (await openPostgres(address)).close();
  });

  test('does not commit while another process has it alone, once its lock was lost', async () => {
    const address = server.address('lost');
    const engine = await openPostgres(address);
    await run("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND pid <> pg_backend_pid()");
    const other = await openPostgres(address, { exclusive: true });
    const transaction = engine.begin({ writable: true });
    transaction.put('a', 1);
    await expect((async () => transaction.commit())()).rejects.toMatchObject({ code: 'storage_in_use' });
    await other.close();
    const again = engine.begin({ writable: true });
    again.put('a', 2);
    await again.commit();
    const reader = engine.begin({ writable: false });
    expect(await reader.get('a')).toBe(2);
    reader.cancel();
    await engine.close();
  });

  test('of another format is refused as it is', async () => {
    const address = server.address('newer');
    await (await openPostgres(address)).close();
    await run("UPDATE newer.about SET value = '99' WHERE name = 'format'");
    await expect(openPostgres(address)).rejects.toMatchObject({ code: 'storage_format' });
    await run("UPDATE newer.about SET value = '3' WHERE name = 'format'");
    await (await openPostgres(address)).close();
  });

  test('of the release before gets the functions that it lacks', async () => {
    const address = server.address('before');
    await (await openPostgres(address)).close();
    await run(`UPDATE before.about SET value = '2' WHERE name = 'format';
      DROP FUNCTION before.commit_group_v2; DROP FUNCTION before.commit_staged_v2; DROP FUNCTION before.take_free_heads_v1`);
    const engines = await Promise.all([openPostgres(address), openPostgres(address)]);
    for (const [n, engine] of engines.entries()) {
      const transaction = engine.begin({ writable: true });
      transaction.put(`a${n}`, 1);
      await transaction.commit();
      await engine.close();
    }
    await run('CREATE ROLE user_of_before LOGIN; GRANT USAGE ON SCHEMA before TO user_of_before');
    await run('GRANT SELECT ON ALL TABLES IN SCHEMA before TO user_of_before; DROP FUNCTION before.commit_group_v2');
    await expect(openPostgres(address.replace('postgres@', 'user_of_before@'))).rejects.toMatchObject({
      code: 'storage_denied',
      message: expect.stringContaining('permission denied'),
    });
    // Servers of that release go on using it.
    await run("DO $$ BEGIN ASSERT (SELECT value FROM before.about WHERE name = 'format') = '2'; END $$");
  });

  test('may be made by another role than the one that uses it', async () => {
    const address = server.address('ready');
    await (await openPostgres(address)).close();
    await run(`CREATE ROLE app LOGIN; GRANT USAGE ON SCHEMA ready TO app;
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ready TO app`);
    const engine = await openPostgres(address.replace('postgres@', 'app@'));
    const transaction = engine.begin({ writable: true });
    transaction.put('a', 1);
    await transaction.commit();
    await engine.close();
  });
});
