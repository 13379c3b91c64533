/**
 * The tables and functions of a store in PostgreSQL, in a schema of their own.
 *
 * `entry` holds the keys and values. `head` has a row for each head (`remote/heads.ts`), which a commit locks, with the
 * versionstamp of the last commit under it. `log` has the keys that each commit has written, in the order of
 * versionstamps without gaps, as far back as snapshots and those who follow it may need. `fence` makes sure that a
 * group of commits whose outcome was settled as "not applied" is never applied later, and that none is settled so whose
 * rows were removed from the log.
 *
 * Rows of the fence aren't kept for ever. Each has a versionstamp, greater than any that the store had given before it
 * was written, and a group comes with one that it had given before the group was sent (`known`). So a row about a group
 * has the greater one of them, however long the node stood still and whatever clocks say; and a group whose `known` is
 * below that of a row which is gone (`forgotten`) is neither applied nor settled.
 */
import { failure } from '../../errors/error.js';
import { commitFunction, SENT_WRITES, STAGED_WRITES } from './commit-function.js';
import type { PostgresConnection, PreparedStatement } from './connection.js';
import type { SqlDialect } from './dialect.js';
import { identifier, literal } from './identifiers.js';

/** Of tables and functions, written to `about`. */
export const SCHEMA_FORMAT = 3;
/** A store of the format before has other functions, which servers of that release still use beside these. */
const UPGRADED_FORMAT = 2;

/** The statements that make them, each of which changes nothing of what is there already. */
export function schemaStatements(dialect: SqlDialect): readonly string[] {
  const { keyOrder, hasStorageSettings } = dialect;
  // Records are packed already: compressing them costs time and saves nothing.
  const storage = ['entry ALTER COLUMN value', 'log ALTER COLUMN keys'].map(
    (column) => `ALTER TABLE ${column} SET STORAGE EXTERNAL`,
  );
  // Room in each page, so that an update of a head stays in its page and writes no index.
  const room = hasStorageSettings ? 'WITH (fillfactor = 10)' : '';
  return [
    'CREATE TABLE IF NOT EXISTS about (name text PRIMARY KEY, value text NOT NULL)',
    `CREATE TABLE IF NOT EXISTS entry (key bytea, value bytea NOT NULL, PRIMARY KEY (key${keyOrder}))`,
    // Up to the versionstamp `pruned`, included, its log may have been removed.
    `CREATE TABLE IF NOT EXISTS head (id bigint PRIMARY KEY, stamp bigint NOT NULL, pruned bigint NOT NULL DEFAULT 0) ${room}`,
    'INSERT INTO head VALUES (0, 0) ON CONFLICT DO NOTHING',
    LOG,
    ...(hasStorageSettings ? storage : []),
    // Finds large commits among those that are judged by, as a rule none.
    'CREATE INDEX IF NOT EXISTS log_ranges ON log (head, stamp) WHERE cardinality(range_from) > 0',
    FENCE,
    // The greatest versionstamp of the rows of the fence that were removed.
    "INSERT INTO about VALUES ('forgotten', '0') ON CONFLICT DO NOTHING",
    FORGOTTEN,
    ...functionStatements(dialect),
    `INSERT INTO about VALUES ('format', '${SCHEMA_FORMAT}') ON CONFLICT DO NOTHING`,
  ];
}

/** Those that make the functions, or replace them by the same ones. */
function functionStatements(dialect: SqlDialect): readonly string[] {
  return [
    HEAD_OF,
    takeStamps(dialect),
    TAKE_FREE_HEADS,
    commitFunction('commit_staged_v2', STAGED_WRITES),
    SETTLE_GROUP,
    PRUNE_HEAD,
    PRUNE_FENCE,
    // The last one: with it all are there.
    commitFunction('commit_group_v2', SENT_WRITES),
  ];
}

const LOG = `
CREATE TABLE IF NOT EXISTS log (
  head bigint NOT NULL,
  stamp bigint NOT NULL,
  node bigint NOT NULL,
  -- Numbers the groups of commits of a node.
  part bigint NOT NULL,
  -- The place of the commit in its group.
  place integer NOT NULL,
  keys bytea[] NOT NULL,
  -- Of a large commit instead of its keys: where they lie.
  range_from bytea[] NOT NULL DEFAULT '{}',
  range_to bytea[] NOT NULL DEFAULT '{}',
  -- Readers of the keys don't conflict with it, only those who write them.
  is_maintenance boolean NOT NULL,
  PRIMARY KEY (head, stamp)
)`;

const FENCE = `
CREATE TABLE IF NOT EXISTS fence (
  node bigint NOT NULL,
  head bigint NOT NULL,
  -- Groups up to this number are kept out.
  part bigint NOT NULL DEFAULT -1,
  -- Up to this number, groups may be gone from the log.
  pruned bigint NOT NULL DEFAULT -1,
  -- A versionstamp behind all that were given when the row was written.
  changed bigint NOT NULL,
  PRIMARY KEY (node, head)
)`;

const FORGOTTEN = `
CREATE OR REPLACE FUNCTION forgotten() RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT value::bigint FROM about WHERE name = 'forgotten'
$$`;

const HEAD_OF = `
-- The head of a key: the id of its database, or 0.
CREATE OR REPLACE FUNCTION head_of(key bytea) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN length(key) < 5 OR get_byte(key, 0) <> 68 THEN 0 ELSE
    (get_byte(key, 1)::bigint << 24) | (get_byte(key, 2) << 16) | (get_byte(key, 3) << 8) | get_byte(key, 4) END
$$`;

const SETTLE_GROUP = `
-- What became of a group whose answer was lost; what wasn't applied by now never will be.
CREATE OR REPLACE FUNCTION settle_group_v1(me bigint, this_part bigint, known bigint, written bigint[])
RETURNS TABLE (place integer, stamp bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  -- Waits for the group, should it be under way still, and keeps it out, should it come later. The head changes, so
  -- that those who wait for it see that.
  PERFORM take_stamps(written, '{}', false, 1);
  INSERT INTO fence AS f (node, head, part, changed)
    SELECT me, id, this_part, (SELECT max(stamp) + 1 FROM head) FROM unnest(written) AS id
    ON CONFLICT (node, head) DO UPDATE SET part = greatest(f.part, excluded.part), changed = excluded.changed;
  RETURN QUERY SELECT DISTINCT l.place, l.stamp FROM log AS l
    WHERE l.node = me AND l.part = this_part AND l.head = ANY(written);
  -- Read behind the log, so that what is removed meanwhile shows.
  IF EXISTS (SELECT 1 FROM fence AS f WHERE f.node = me AND f.head = ANY(written) AND f.pruned >= this_part) OR known < forgotten() THEN
    RAISE EXCEPTION 'the log no longer says what became of it' USING ERRCODE = 'TS002';
  END IF;
END $$`;

const PRUNE_HEAD = `
-- Removes the oldest rows of one head's log, \`most\` of them at most and only those before a versionstamp. Those who judge or read by the log learn of it by the head.
CREATE OR REPLACE FUNCTION prune_head_v1(this bigint, before bigint, most integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  reached bigint;
  up_to bigint;
  removed integer;
BEGIN
  -- What is lost of it with the server is done again.
  PERFORM set_config('synchronous_commit', 'off', true);
  SELECT pruned INTO reached FROM head WHERE id = this FOR UPDATE;
  SELECT max(stamp) INTO up_to FROM (
    SELECT stamp FROM log WHERE head = this AND stamp > reached AND stamp < before ORDER BY stamp LIMIT most
  ) AS oldest;
  IF up_to IS NULL THEN
    RETURN 0;
  END IF;
  UPDATE head SET pruned = up_to WHERE id = this;
  WITH gone AS (DELETE FROM log WHERE head = this AND stamp > reached AND stamp <= up_to RETURNING node, part),
  noted AS (
    INSERT INTO fence AS f (node, head, pruned, changed)
      SELECT node, this, max(part), (SELECT max(stamp) + 1 FROM head) FROM gone GROUP BY node
      ON CONFLICT (node, head) DO UPDATE SET pruned = greatest(f.pruned, excluded.pruned), changed = excluded.changed
  )
  SELECT count(*) INTO removed FROM gone;
  RETURN removed;
END $$`;

const PRUNE_FENCE = `
-- Removes the rows of the fence from before a versionstamp.
CREATE OR REPLACE FUNCTION prune_fence_v1(before bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  greatest_gone bigint;
BEGIN
  -- As settling does, first the head and then the fence.
  PERFORM 1 FROM head WHERE id = 0 FOR UPDATE;
  WITH gone AS (DELETE FROM fence WHERE changed < before RETURNING changed) SELECT max(changed) INTO greatest_gone FROM gone;
  IF greatest_gone IS NULL THEN
    RETURN;
  END IF;
  UPDATE about SET value = greatest(value::bigint, greatest_gone)::text WHERE name = 'forgotten';
  -- So that all who ask where the heads stand are known to have been here since.
  UPDATE head SET stamp = greatest(stamp, greatest_gone) WHERE id = 0;
END $$`;

// The function that locks the heads of a group of commits and gives its versionstamps.

/** Where a table can be locked: against all that lock or add a head. */
const LOCK_TABLE = 'LOCK TABLE head IN EXCLUSIVE MODE;';

/**
 * Elsewhere: the root's row first, which all change who add a head, and then all that there are. The second statement
 * sees those that were added before the first had its lock.
 */
const LOCK_ROWS = `PERFORM 1 FROM head WHERE id = 0 FOR UPDATE;
    PERFORM 1 FROM head ORDER BY id FOR UPDATE;`;

const ADDS_HEADS = `EXISTS (
    SELECT 1 FROM unnest(written || shared) AS wanted(id) WHERE NOT EXISTS (SELECT 1 FROM head WHERE head.id = wanted.id)
  )`;

/** Before any other head is locked, since locks are taken in ascending order. */
const ANNOUNCE_NEW = `IF ${ADDS_HEADS} THEN
    UPDATE head SET stamp = stamp + 1 WHERE id = 0;
  END IF;`;

/**
 * Locks heads in ascending order, makes those that aren't there, and gives the first versionstamp of a group of `size`
 * commits, one or more.
 */
function takeStamps({ hasTableLocks }: SqlDialect): string {
  return `
CREATE OR REPLACE FUNCTION take_stamps(written bigint[], shared bigint[], everything boolean, size integer) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  first bigint;
  floor bigint := (extract(epoch FROM clock_timestamp()) * 1000)::bigint << 16;
  each bigint;
BEGIN
  IF everything THEN
    ${hasTableLocks ? LOCK_TABLE : LOCK_ROWS}
    INSERT INTO head SELECT id, 0 FROM unnest(written) AS id ON CONFLICT (id) DO NOTHING;
    SELECT greatest(max(stamp) + 1, floor) INTO first FROM head;
    UPDATE head SET stamp = first + size - 1;
    RETURN first;
  END IF;
  ${hasTableLocks ? '' : ANNOUNCE_NEW}
  IF cardinality(written) = 1 AND shared <@ ARRAY[0::bigint] THEN
    -- The head of the root is always there.
    PERFORM 1 FROM head WHERE id = ANY(shared) FOR SHARE;
    INSERT INTO head AS h VALUES (written[1], floor + size - 1)
      ON CONFLICT (id) DO UPDATE SET stamp = greatest(h.stamp + 1, floor) + size - 1
      RETURNING stamp - size + 1 INTO first;
    RETURN first;
  END IF;
  FOR each IN SELECT id FROM unnest(written || shared) AS id ORDER BY id LOOP
    -- Here rather than all of them before: a new row is locked, too, and locks are taken in ascending order.
    INSERT INTO head VALUES (each, 0) ON CONFLICT (id) DO NOTHING;
    IF each = ANY(written) THEN
      PERFORM 1 FROM head WHERE id = each FOR UPDATE;
    ELSE
      PERFORM 1 FROM head WHERE id = each FOR SHARE;
    END IF;
  END LOOP;
  SELECT greatest(max(stamp) + 1, floor) INTO first FROM head WHERE id = ANY(written);
  UPDATE head SET stamp = first + size - 1 WHERE id = ANY(written);
  RETURN first;
END $$`;
}

/**
 * Takes those of some heads that no other has locked, without waiting, and gives the first versionstamp of a group of
 * \`size\` commits. Who waits for a lock holds none but that of the root's head, which comes first everywhere.
 */
const TAKE_FREE_HEADS = `
CREATE OR REPLACE FUNCTION take_free_heads_v1(wanted bigint[], shared bigint[], size integer, OUT first bigint, OUT taken bigint[]) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM head WHERE id = ANY(shared) FOR SHARE;
  taken := ARRAY(SELECT id FROM head WHERE id = ANY(wanted) FOR UPDATE SKIP LOCKED);
  SELECT greatest(max(stamp) + 1, (extract(epoch FROM clock_timestamp()) * 1000)::bigint << 16) INTO first FROM head WHERE id = ANY(taken);
  UPDATE head SET stamp = first + size - 1 WHERE id = ANY(taken);
END $$`;

const HAS_FUNCTIONS: PreparedStatement = {
  name: 'has_functions',
  text: "SELECT to_regproc('commit_group_v2') IS NOT NULL",
};
const HAS_SCHEMA: PreparedStatement = { name: 'has_schema', text: "SELECT to_regclass('about') IS NOT NULL" };
const FORMAT_OF: PreparedStatement = { name: 'format', text: "SELECT value FROM about WHERE name = 'format'" };
const TRUE = '\x01';

/** The schema of a store, and the dialect of the database in which it is. */
interface SchemaTarget {
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
  if (format === `${UPGRADED_FORMAT}`) {
    const [has] = await connection.query(HAS_FUNCTIONS);
    if (has?.[0] !== TRUE) await addFunctions(connection, place);
  } else if (format !== `${SCHEMA_FORMAT}`) {
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

/** To a store of the format before. Several servers may do so at once. */
async function addFunctions(connection: PostgresConnection, { schema, dialect }: SchemaTarget): Promise<void> {
  await connection.run(`SELECT pg_advisory_lock(${lockOf(schema)})`);
  for (const statement of functionStatements(dialect)) await connection.run(statement);
  await connection.run(`SELECT pg_advisory_unlock(${lockOf(schema)})`);
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
