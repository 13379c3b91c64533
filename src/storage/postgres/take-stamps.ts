/** The function that locks the heads of a group of commits and gives its versionstamps. */
import type { SqlDialect } from './dialect.js';

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
export function takeStamps({ hasTableLocks }: SqlDialect): string {
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
