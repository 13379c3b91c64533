import { failure } from '../../../errors/error.js';
import type { Connection, Statement } from './connection.js';
import { identifier, literal } from './identifiers.js';
import { FORMAT, SCHEMA } from './schema.js';

const HAS_SCHEMA: Statement = { name: 'has_schema', text: "SELECT to_regclass('about') IS NOT NULL" };
const FORMAT_OF: Statement = { name: 'format', text: "SELECT value FROM about WHERE name = 'format'" };
const TRUE = '\x01';

/**
 * Makes the schema of a store with its tables and functions, unless they are there.
 * @param connection whose search path is the schema
 * @throws TesseraError `storage_format` for those of another version, `storage_unavailable` where they `mustExist` and
 * don't; Error what the server or the network says
 */
export async function prepareSchema(connection: Connection, schema: string, mustExist = false): Promise<void> {
  const [row] = await connection.query(HAS_SCHEMA);
  if (row?.[0] !== TRUE) {
    if (mustExist) throw failure('storage_unavailable', { reason: `there is no store in the schema ${schema}` });
    await createSchema(connection, schema);
  }
  const [about] = await connection.query(FORMAT_OF);
  const format = about?.[0] ?? 'unknown';
  if (format !== `${FORMAT}`)
    throw failure('storage_format', { folder: `the schema ${schema}`, format, known: FORMAT });
}

/** Several servers may do so at once. */
function createSchema(connection: Connection, schema: string): Promise<void> {
  return connection.run(
    `BEGIN; SELECT pg_advisory_xact_lock(hashtext('tessera schema'), hashtext(${literal(schema)}));
     CREATE SCHEMA IF NOT EXISTS ${identifier(schema)};
     ${SCHEMA}
     INSERT INTO about VALUES ('format', '${FORMAT}') ON CONFLICT DO NOTHING;
     COMMIT`,
  );
}
