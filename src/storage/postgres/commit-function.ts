/**
 * The functions that validate and apply a group of commits: one for writes that are sent along, one for staged ones.
 */

/** The source of the commits' writes for a function. Columns that end in `_c`, or are named `c`, number the commits. */
interface Writes {
  /** Parameters of the function. */
  readonly parameters: string;
  /** Of (c, key). */
  readonly keys: string;
  /** Of (c, key, value); without a value, deletions. */
  readonly changes: string;
  /** Of (c, prefix, at, value). */
  readonly entries: string;
}

export const SENT_WRITES: Writes = {
  parameters: `write_c integer[], write_key bytea[], write_value bytea[],
  append_c integer[], append_prefix bytea[], append_at integer[], append_value bytea[]`,
  keys: 'unnest(write_c, write_key)',
  changes: 'unnest(write_c, write_key, write_value)',
  entries: 'unnest(append_c, append_prefix, append_at, append_value)',
};

/** A table of the connection, which fills it before it locks any head. */
export const STAGED_WRITES: Writes = {
  parameters: '',
  keys: '(SELECT c, key FROM staged WHERE at IS NULL)',
  changes: '(SELECT c, key, value FROM staged WHERE at IS NULL)',
  entries: '(SELECT c, key, at, value FROM staged WHERE at IS NOT NULL)',
};

/**
 * Arrays that belong together have the same length. `home` has the head under which each commit writes, for a group
 * that doesn't wait for locked ones, and is empty for one that waits. The function returns the first versionstamp, the
 * numbers of the commits that conflict, and of those whose heads are locked; it fails where the group was settled as
 * not applied, or may have been.
 */
export function commitFunction(name: string, { parameters, keys, changes, entries }: Writes): string {
  return `
CREATE OR REPLACE FUNCTION ${name}(
  me bigint, this_part bigint, known bigint, written bigint[], shared bigint[], everything boolean, home bigint[], size integer,
  since_c integer[], since_head bigint[], since_stamp bigint[],
  key_c integer[], key_read bytea[],
  range_c integer[], range_from bytea[], range_to bytea[],
  logged_c integer[], logged_from bytea[], logged_to bytea[],
  maintenance integer[]${parameters === '' ? '' : `,\n  ${parameters}`}
) RETURNS TABLE (first bigint, conflicting integer[], locked integer[]) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  s bigint;
  bad integer[] := '{}';
  kept_out integer[] := '{}';
BEGIN
  IF cardinality(home) = 0 THEN
    s := take_stamps(written, shared, everything, size);
  ELSE
    SELECT t.first, t.taken INTO s, written FROM take_free_heads_v1(written, shared, size) AS t;
    kept_out := ARRAY(SELECT c::integer - 1 FROM unnest(home) WITH ORDINALITY AS h(head, c) WHERE head <> ALL(written));
    IF cardinality(written) = 0 THEN
      RETURN QUERY SELECT s, bad, kept_out;
      RETURN;
    END IF;
  END IF;
  IF EXISTS (SELECT 1 FROM fence AS f WHERE f.node = me AND f.part >= this_part AND f.head = ANY(written)) THEN
    RAISE EXCEPTION 'settled as not applied' USING ERRCODE = 'TS001';
  END IF;
  -- Read behind the fence, so that what is removed meanwhile shows.
  IF known < forgotten() THEN
    RAISE EXCEPTION 'it may have been settled' USING ERRCODE = 'TS003';
  END IF;
  IF everything THEN
    -- What wasn't there when they read.
    SELECT since_c || array_agg(c), since_head || array_agg(id), since_stamp || array_agg(0::bigint)
      INTO since_c, since_head, since_stamp
      FROM generate_series(0, size - 1) AS each(c) CROSS JOIN head
      WHERE NOT EXISTS (SELECT 1 FROM unnest(since_c, since_head) AS t(c, head) WHERE t.c = each.c AND t.head = id);
  END IF;
  IF cardinality(since_c) > 0 THEN
    WITH since AS MATERIALIZED (SELECT * FROM unnest(since_c, since_head, since_stamp) AS t(c, head, stamp)),
    oldest AS (SELECT head, min(stamp) AS stamp FROM since GROUP BY head),
    later AS MATERIALIZED (
      SELECT l.* FROM oldest CROSS JOIN LATERAL (
        SELECT * FROM log WHERE log.head = oldest.head AND log.stamp > oldest.stamp OFFSET 0
      ) AS l
    ),
    recent AS MATERIALIZED (SELECT head, stamp, is_maintenance, key FROM later CROSS JOIN LATERAL unnest(keys) AS k(key)),
    large AS MATERIALIZED (
      SELECT head, stamp, is_maintenance, low, high FROM later CROSS JOIN LATERAL unnest(range_from, range_to) AS k(low, high)
    )
    SELECT coalesce(array_agg(DISTINCT c), '{}') INTO bad FROM (
      SELECT c FROM (
        SELECT r.c, recent.head, recent.stamp, recent.is_maintenance AS ignored FROM unnest(key_c, key_read) AS r(c, key)
          JOIN recent ON recent.key = r.key
        UNION ALL
        SELECT r.c, recent.head, recent.stamp, recent.is_maintenance FROM unnest(range_c, range_from, range_to) AS r(c, low, high)
          JOIN recent ON recent.key >= r.low AND recent.key < r.high
        UNION ALL
        SELECT w.c, recent.head, recent.stamp, NOT recent.is_maintenance FROM ${keys} AS w(c, key)
          JOIN recent ON recent.key = w.key
        UNION ALL
        SELECT r.c, large.head, large.stamp, large.is_maintenance FROM unnest(key_c, key_read) AS r(c, key)
          JOIN large ON r.key >= large.low AND r.key < large.high
        UNION ALL
        SELECT r.c, large.head, large.stamp, large.is_maintenance FROM unnest(range_c, range_from, range_to) AS r(c, low, high)
          JOIN large ON r.low < large.high AND large.low < r.high
        UNION ALL
        SELECT w.c, large.head, large.stamp, NOT large.is_maintenance FROM ${keys} AS w(c, key)
          JOIN large ON w.key >= large.low AND w.key < large.high
      ) AS met
      JOIN since USING (c, head) WHERE met.stamp > since.stamp AND (NOT ignored OR c = ANY(maintenance))
      UNION ALL
      -- What is gone from the log can't be judged any more.
      SELECT since.c FROM since WHERE since.stamp < (SELECT head.pruned FROM head WHERE head.id = since.head)
    ) AS conflicts;
    bad := ARRAY(SELECT c FROM unnest(bad) AS c WHERE c <> ALL(kept_out));
  END IF;
  kept_out := kept_out || bad;
  INSERT INTO entry AS e
    SELECT key, value FROM ${changes} AS w(c, key, value) WHERE value IS NOT NULL AND c <> ALL(kept_out)
    UNION ALL
    SELECT prefix || int8send(s + c) || int4send(at), value FROM ${entries} AS a(c, prefix, at, value) WHERE c <> ALL(kept_out)
    ON CONFLICT (key) DO UPDATE SET value = excluded.value;
  DELETE FROM entry WHERE key = ANY(ARRAY(SELECT w.key FROM ${changes} AS w(c, key, value) WHERE w.value IS NULL AND w.c <> ALL(kept_out)));
  INSERT INTO log (head, stamp, node, part, place, keys, is_maintenance)
    SELECT head_of(key), s + c, me, this_part, c, array_agg(key), c = ANY(maintenance) FROM (
      SELECT c, key FROM ${keys} AS w(c, key)
      UNION ALL
      SELECT c, prefix || int8send(s + c) || int4send(at) FROM ${entries} AS a(c, prefix, at, value)
    ) AS written WHERE c <> ALL(kept_out) AND c <> ALL(logged_c) GROUP BY c, head_of(key);
  IF cardinality(logged_c) > 0 THEN
    INSERT INTO log (head, stamp, node, part, place, keys, range_from, range_to, is_maintenance)
      SELECT head_of(low), s + c, me, this_part, c, '{}', array_agg(low), array_agg(high), c = ANY(maintenance)
      FROM unnest(logged_c, logged_from, logged_to) AS l(c, low, high) WHERE c <> ALL(kept_out) GROUP BY c, head_of(low);
  END IF;
  RETURN QUERY SELECT s, bad, ARRAY(SELECT c FROM unnest(kept_out) AS c WHERE c <> ALL(bad));
END $$`;
}
