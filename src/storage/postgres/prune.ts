/** Prunes the log and the fence, in steps that lock no head for longer than a commit does. */
import { int4, int4Of, int8, int8Of } from './binary.js';
import type { PostgresConnection, PreparedStatement } from './connection.js';

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
