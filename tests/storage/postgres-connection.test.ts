import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readPostgresAddress } from '../../src/storage/postgres/address.js';
import { byteaArray, bytes } from '../../src/storage/postgres/binary.js';
import { PostgresConnection } from '../../src/storage/postgres/connection.js';
import { PostgresServer, postgresPrograms } from '../support/postgres-server.js';

const EVERY_BYTE = String.fromCharCode(...Array.from({ length: 256 }, (_, byte) => byte));

// Where PostgreSQL isn't installed these are left out; `.ci/run` installs it.
describe.skipIf(postgresPrograms() === undefined)('A connection to PostgreSQL', () => {
  let server: PostgresServer;
  let connection: PostgresConnection;
  beforeAll(async () => {
    server = await PostgresServer.start();
    connection = await PostgresConnection.open(readPostgresAddress(server.address('public')), {
      onLost: () => undefined,
    });
  });
  afterAll(async () => {
    await connection.close();
    await server.remove();
  });

  test('carries every byte to and fro, and NULL', async () => {
    const statement = { name: 'echo', text: 'SELECT $1::bytea, $2::bytea' };
    expect(await connection.query(statement, [bytes(EVERY_BYTE), null])).toEqual([[EVERY_BYTE, null]]);
  });

  test('carries every byte in items of an array', async () => {
    const statement = {
      name: 'items',
      text: 'SELECT item FROM unnest($1::bytea[]) WITH ORDINALITY AS items(item, at) ORDER BY at',
    };
    const items = [EVERY_BYTE, undefined, '', ...EVERY_BYTE];
    expect(await connection.query(statement, [byteaArray(items)])).toEqual(items.map((item) => [item ?? null]));
  });

  test('reads the texts of errors as UTF-8', async () => {
    const failing = connection.query({ name: 'unknown', text: 'SELECT "ä€"' });
    await expect(failing).rejects.toThrow('column "ä€" does not exist');
  });

  test('goes on after an error', async () => {
    await expect(connection.query({ name: 'division', text: 'SELECT 1/0' })).rejects.toThrow('division by zero');
    expect(await connection.query({ name: 'text', text: "SELECT 'a'::bytea" })).toEqual([['a']]);
  });
});
