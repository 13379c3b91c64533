/** The log of commits as a server follows it. */
import type { Versionstamp } from '../contract.js';
import type { HeadStamps, LogPage, LogRow, LogSlice } from '../remote/store.js';
import { byteaArrayOf, int4, int4Of, int8, int8Array, int8ArrayOf, int8Of } from './binary.js';
import type { BinaryRow, PostgresConnection, PreparedStatement } from './connection.js';
import { storageError } from './errors.js';
import type { ConnectionPool } from './pool.js';

/** A page has no more commits beyond so many rows, or bytes of keys. */
const PAGE_ROWS = 1_000;
const PAGE_BYTES = 1024 * 1024;
/**
 * Milliseconds after which a server that doesn't answer counts as not there, for a statement and for a new connection:
 * a node refuses work that soon (`--max-staleness`), so that it should try another connection by then.
 */
export const LOG_TIMEOUT = 2_000;
const TRUE = '\x01';

const HEADS_ABOVE: PreparedStatement = {
  name: 'heads_above',
  text: `SELECT coalesce(array_agg(id) FILTER (WHERE stamp > $1::bigint), '{}'), coalesce(array_agg(stamp) FILTER (WHERE stamp > $1::bigint), '{}'),
      coalesce(sum(stamp) FILTER (WHERE stamp <= $1::bigint), 0)::text
    FROM head`,
};
/** Frames of GROUPS hold whole commits, whatever number of heads they have. The last column: whether this is all. */
const LOG: PreparedStatement = {
  name: 'log_page',
  text: `SELECT head, stamp, node, part, place, keys, range_from, range_to, found < ${PAGE_ROWS} AND count(*) OVER () = found FROM (
      SELECT l.*, count(*) OVER () AS found, count(*) OVER before AS rows_before, sum(pg_column_size(keys) + pg_column_size(range_from) + pg_column_size(range_to)) OVER before AS bytes_before
      FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS slice(head, after, up_to)
      CROSS JOIN LATERAL (
        SELECT * FROM log WHERE log.head = slice.head AND log.stamp > slice.after AND log.stamp <= slice.up_to ORDER BY log.stamp LIMIT ${PAGE_ROWS}
      ) AS l
      WINDOW before AS (ORDER BY l.stamp, l.node, l.part, l.place GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
    ) AS numbered
    WHERE rows_before < ${PAGE_ROWS} AND (bytes_before IS NULL OR bytes_before < ${PAGE_BYTES})
    ORDER BY stamp, node, part, place`,
};
const IS_PRUNED: PreparedStatement = {
  name: 'is_pruned',
  text: `SELECT EXISTS (SELECT 1 FROM unnest($1::bigint[], $2::bigint[]) AS slice(head, after)
    JOIN head ON head.id = slice.head AND head.pruned > slice.after)`,
};

/** The log of commits, read through a connection of its own, so that it doesn't wait for commits or snapshots. */
export class PostgresLog {
  readonly #pool: ConnectionPool;

  constructor(pool: ConnectionPool) {
    this.#pool = pool;
  }

  /** @throws TesseraError `storage_unavailable` */
  async headsAbove(above: Versionstamp): Promise<HeadStamps> {
    const [row] = await this.#ask((connection) => connection.query(HEADS_ABOVE, [int8(above)], LOG_TIMEOUT));
    const [ids, stamps, sumOfOthers] = row!;
    const greater = int8ArrayOf(stamps!);
    return {
      stamps: new Map(int8ArrayOf(ids!).map((id, at) => [Number(id), greater[at]!])),
      sumOfOthers: BigInt(sumOfOthers!),
    };
  }

  /** @throws TesseraError `storage_unavailable` */
  async page(slices: readonly LogSlice[]): Promise<LogPage> {
    const heads = int8Array(slices.map(({ head }) => BigInt(head)));
    const after = int8Array(slices.map((slice) => slice.after));
    const upTo = int8Array(slices.map((slice) => slice.upTo));
    const [rows, [pruned]] = await this.#ask((connection) =>
      // In this order, since what is removed between the two shows in the second.
      Promise.all([
        connection.query(LOG, [heads, after, upTo], LOG_TIMEOUT),
        connection.query(IS_PRUNED, [heads, after], LOG_TIMEOUT),
      ]),
    );
    return { rows: rows.map(logRow), isLast: rows.every((row) => row.at(-1) === TRUE), isGap: pruned?.[0] === TRUE };
  }

  async #ask<T>(question: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    try {
      const connection = await this.#pool.take();
      try {
        return await question(connection);
      } finally {
        this.#pool.give(connection);
      }
    } catch (error) {
      throw storageError(error);
    }
  }
}

function logRow([head, stamp, node, part, place, keys, rangeFrom, rangeTo]: BinaryRow): LogRow {
  const ends = byteaArrayOf(rangeTo!);
  return {
    head: Number(int8Of(head!)),
    stamp: int8Of(stamp!),
    node: nodeName(int8Of(node!)),
    part: int8Of(part!),
    place: int4Of(place!),
    keys: byteaArrayOf(keys!),
    ranges: byteaArrayOf(rangeFrom!).map((from, at) => ({ from, to: ends[at]! })),
  };
}

/** The number of a node as `RemoteStore.node` has it. */
export function nodeName(node: bigint): string {
  return BigInt.asUintN(64, node).toString(16).padStart(16, '0');
}

// Prunes the log and the fence, in steps that lock no head for longer than a commit does.

/** At most so many rows of a head are removed together, and so many heads are looked after in a step. */
const ROWS = 500;
const HEADS = 100;
/** Milliseconds after which a statement without an answer counts as one whose connection was lost. */
const TIMEOUT = 30_000;

/** By the server's clock. If it jumps ahead, more is removed: snapshots then conflict, and followers have a gap. */
const BEFORE: PreparedStatement = {
  name: 'prune_before',
  text: 'SELECT ((extract(epoch FROM clock_timestamp()) * 1000)::bigint - $1::bigint) << 16',
};
/** LATERAL with a LIMIT, so that each head is looked up rather than the whole log read. */
const OLD_HEADS: PreparedStatement = {
  name: 'prune_heads',
  text: `SELECT id FROM head CROSS JOIN LATERAL (
      SELECT 1 FROM log WHERE log.head = head.id AND log.stamp > head.pruned AND log.stamp < $1::bigint ORDER BY log.stamp LIMIT 1
    ) AS old LIMIT ${HEADS}`,
};
const PRUNE_HEAD: PreparedStatement = {
  name: 'prune_head',
  text: 'SELECT prune_head_v1($1::bigint, $2::bigint, $3::integer)',
};
const PRUNE_FENCE: PreparedStatement = { name: 'prune_fence', text: 'SELECT prune_fence_v1($1::bigint)' };
/** Milliseconds: nodes that were suspended for longer can't learn the outcome of a commit. */
const FENCE_RETENTION = 7n * 86_400_000n;

/**
 * Does one step.
 * @param retention milliseconds for which the log is kept
 * @returns whether there is more to be removed
 * @throws Error what the server or the network says
 */
export async function pruneLog(connection: PostgresConnection, retention: number): Promise<boolean> {
  const stampBefore = async (milliseconds: bigint) => {
    const [row] = await connection.query(BEFORE, [int8(milliseconds)], TIMEOUT);
    return int8(int8Of(row![0]!));
  };
  const before = await stampBefore(BigInt(retention));
  const heads = await connection.query(OLD_HEADS, [before], TIMEOUT);
  let hasMore = heads.length === HEADS;
  for (const [head] of heads) {
    const [removed] = await connection.query(PRUNE_HEAD, [int8(int8Of(head!)), before, int4(ROWS)], TIMEOUT);
    if (int4Of(removed![0]!) === ROWS) hasMore = true;
  }
  await connection.query(PRUNE_FENCE, [await stampBefore(FENCE_RETENTION)], TIMEOUT);
  return hasMore;
}
