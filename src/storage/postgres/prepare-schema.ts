import { failure } from '../../errors/error.js';
import type { PostgresConnection, PreparedStatement } from './connection.js';
import type { SqlDialect } from './dialect.js';
import { identifier, literal } from './identifiers.js';
import { SCHEMA_FORMAT, schemaStatements } from './schema.js';

const HAS_SCHEMA: PreparedStatement = { name: 'has_schema', text: "SELECT to_regclass('about') IS NOT NULL" };
const FORMAT_OF: PreparedStatement = { name: 'format', text: "SELECT value FROM about WHERE name = 'format'" };
const TRUE = '\x01';

/** The schema of a store, and the dialect of the database in which it is. */
export interface SchemaTarget {
  readonly schema: string;
  readonly dialect: SqlDialect;
}

/**
 * Makes the schema of a store with its tables and functions, unless they are there.
 * @param connection whose search path is the schema
 * @throws TesseraError `storage_format` for those of another version, `storage_unavailable` where they `mustExist` and
 * don't; Error what the server or the network says
 */
export async function prepareSchema(
  connection: PostgresConnection,
  place: SchemaTarget,
  mustExist = false,
): Promise<void> {
  const { schema, dialect } = place;
  let format = await formatOf(connection);
  // Where statements are made one by one, the format comes last: without it not all of them were.
  if (format === undefined || (format === 'unknown' && !dialect.hasTransactionalDefinitions)) {
    if (mustExist) throw failure('storage_unavailable', { reason: `there is no store in the schema ${schema}` });
    await (dialect.hasTransactionalDefinitions ? createAtOnce : createInSteps)(connection, place);
    format = await formatOf(connection);
  }
  if (format !== `${SCHEMA_FORMAT}`) {
    const known = SCHEMA_FORMAT;
    throw failure('storage_format', { folder: `the schema ${schema}`, format: format ?? 'unknown', known });
  }
}

/** `undefined` where there is no store. */
async function formatOf(connection: PostgresConnection): Promise<string | undefined> {
  const [row] = await connection.query(HAS_SCHEMA);
  if (row?.[0] !== TRUE) return undefined;
  const [about] = await connection.query(FORMAT_OF);
  return about?.[0] ?? 'unknown';
}

/** Several servers may do so at once, here and in `createInSteps`. */
function createAtOnce(connection: PostgresConnection, { schema, dialect }: SchemaTarget): Promise<void> {
  return connection.run(
    `BEGIN; SELECT pg_advisory_xact_lock(${lockOf(schema)});
     CREATE SCHEMA IF NOT EXISTS ${identifier(schema)};
     ${schemaStatements(dialect).join(';\n')};
     COMMIT`,
  );
}

/** Each statement by itself; one that was cut off is done again by the next server that starts. */
async function createInSteps(connection: PostgresConnection, { schema, dialect }: SchemaTarget): Promise<void> {
  await connection.run(`SELECT pg_advisory_lock(${lockOf(schema)})`);
  await connection.run(`CREATE SCHEMA IF NOT EXISTS ${identifier(schema)}`);
  for (const statement of schemaStatements(dialect)) await connection.run(statement);
  await connection.run(`SELECT pg_advisory_unlock(${lockOf(schema)})`);
}

function lockOf(schema: string): string {
  return `hashtext('tessera schema'), hashtext(${literal(schema)})`;
}
