/** A group of commits on the wire: in one message, or staged before in pages where it is large. */
import { encodeRecord } from '../../value/codecs/record-encode.js';
import { sealRecord } from '../../value/codecs/sealed-record.js';
import type { Key, Stored } from '../contract.js';
import type { Head } from '../remote/heads.js';
import type { CommitGroup, CommitOutcome, CommitRequest } from '../remote/store.js';
import { byteaArray, int4, int4Array, int4ArrayOf, int4Of, int8, int8Array, int8Of } from './binary.js';
import type { BinaryParameter, PostgresConnection, PreparedStatement } from './connection.js';
import type { SqlDialect } from './dialect.js';

/** Groups of more bytes are staged. */
const MOST_SENT = 4 * 1024 * 1024;
/** Bytes encoded and sent at a time when staging; the event loop runs in between. */
const STAGED_AT_ONCE = 1024 * 1024;
/** A server applies so many bytes of a large group in a millisecond, at the least. */
const APPLIED_IN_A_MILLISECOND = 1_024;

/** Types of the parameters of both functions, and of those that only the first one has. */
const COMMON = `bigint bigint bigint bigint[] bigint[] boolean bigint[] int int[] bigint[] bigint[] int[] bytea[] int[] bytea[] bytea[]
  int[] bytea[] bytea[] int[]`;
const WRITES = 'int[] bytea[] bytea[] int[] bytea[] int[] bytea[]';
const COMMIT: PreparedStatement = {
  name: 'commit_group',
  text: `SELECT first, conflicting, locked FROM commit_group_v2(${placeholders(`${COMMON} ${WRITES}`)})`,
};
const COMMIT_STAGED: PreparedStatement = {
  name: 'commit_group_staged',
  text: `SELECT first, conflicting, locked FROM commit_staged_v2(${placeholders(COMMON)})`,
};
/** Made one by one, since not every dialect makes several at once. */
const STAGE_TABLE =
  'CREATE TEMPORARY TABLE IF NOT EXISTS staged (c integer NOT NULL, key bytea NOT NULL, at integer, value bytea)';
const STAGE_STORAGE = 'ALTER TABLE staged ALTER COLUMN value SET STORAGE EXTERNAL';
const STAGE: PreparedStatement = {
  name: 'stage',
  text: `INSERT INTO staged (c, key, value, at)
    SELECT c, key, value, NULL FROM unnest($1::int[], $2::bytea[], $3::bytea[]) AS w(c, key, value)
    UNION ALL
    SELECT c, prefix, value, at FROM unnest($4::int[], $5::bytea[], $6::int[], $7::bytea[]) AS a(c, prefix, at, value)`,
};
const SETTLE: PreparedStatement = {
  name: 'settle_group',
  text: 'SELECT place, stamp FROM settle_group_v1($1::bigint, $2::bigint, $3::bigint, $4::bigint[])',
};
const CLEAR: PreparedStatement = { name: 'clear_stage', text: 'TRUNCATE staged' };

/** The message that commits a group. */
export interface ReadyCommit {
  readonly statement: PreparedStatement;
  readonly parameters: readonly BinaryParameter[];
  /** Milliseconds that it may take longer than a small one. */
  readonly extraTime: number;
}

interface ReadyOptions {
  readonly dialect: SqlDialect;
  /** Milliseconds for each statement. */
  readonly timeout: number;
  /** So many bytes were staged. */
  staged(bytes: number): void;
}

/**
 * Prepares a group: a large one is staged on the connection, page by page, before any head is locked.
 * @throws Error of the server or the network; nothing was applied then
 */
export async function readyCommit(
  connection: PostgresConnection,
  node: bigint,
  group: CommitGroup,
  { dialect, timeout, staged }: ReadyOptions,
): Promise<ReadyCommit> {
  const size = group.commits.reduce((sum, commit) => sum + commit.size, 0);
  const common = commonParameters(node, group);
  if (size <= MOST_SENT) {
    const [page] = pagesOf(group.commits, Number.POSITIVE_INFINITY);
    return { statement: COMMIT, parameters: [...common, ...page!], extraTime: 0 };
  }
  await connection.run(STAGE_TABLE);
  if (dialect.hasStorageSettings) await connection.run(STAGE_STORAGE);
  await connection.query(CLEAR, [], timeout);
  for (const page of pagesOf(group.commits, STAGED_AT_ONCE)) await connection.query(STAGE, page, timeout);
  staged(size);
  return { statement: COMMIT_STAGED, parameters: common, extraTime: size / APPLIED_IN_A_MILLISECOND };
}

/** Frees the resources of a group on its connection. */
export function clearStage(connection: PostgresConnection, { statement }: ReadyCommit): void {
  if (statement === COMMIT_STAGED && connection.isUsable) connection.query(CLEAR).catch(() => connection.destroy());
}

/** @param row of the answer */
export function outcomesOf({ commits }: CommitGroup, row: readonly (string | null)[]): CommitOutcome[] {
  const [first, conflicting, locked] = row;
  const outcomes = commits.map((_, place): CommitOutcome => int8Of(first!) + BigInt(place));
  for (const place of int4ArrayOf(conflicting!)) outcomes[place] = 'conflict';
  for (const place of int4ArrayOf(locked!)) outcomes[place] = 'locked';
  return outcomes;
}

/** See `RemoteStore.settle`. @throws Error what the server or the network says */
export async function settleGroup(
  connection: PostgresConnection,
  node: bigint,
  { number, known, heads, commits }: CommitGroup,
  timeout: number,
): Promise<readonly CommitOutcome[] | 'not applied'> {
  const parameters = [int8(node), int8(number), int8(known), int8Array(heads.written.map(BigInt))];
  const rows = await connection.query(SETTLE, parameters, timeout);
  const stamps = new Map(rows.map(([place, stamp]) => [int4Of(place!), int8Of(stamp!)]));
  return stamps.size === 0 ? 'not applied' : commits.map((_, place) => stamps.get(place) ?? 'conflict');
}

function commonParameters(node: bigint, { number, known, heads, waits, commits }: CommitGroup): BinaryParameter[] {
  const since = new Columns<[number, Head, bigint]>();
  const keys = new Columns<[number, Key]>();
  const ranges = new Columns<[number, Key, Key]>();
  const logged = new Columns<[number, Key, Key]>();
  for (const [place, commit] of commits.entries()) {
    for (const [head, stamp] of commit.since) since.add([place, head, stamp]);
    for (const key of commit.keysRead) keys.add([place, key]);
    for (const { from, to } of commit.rangesRead) ranges.add([place, from, to]);
    for (const { from, to } of commit.loggedRanges) logged.add([place, from, to]);
  }
  return [
    int8(node),
    int8(number),
    int8(known),
    int8Array(heads.written.map(BigInt)),
    int8Array(heads.read === 'all' ? [] : heads.read.map(BigInt)),
    Buffer.from([heads.read === 'all' ? 1 : 0]),
    int8Array(waits ? [] : commits.map(({ heads: { written } }) => BigInt(written[0]!))),
    int4(commits.length),
    int4Array(since.column(0)),
    int8Array(since.column(1).map(BigInt)),
    int8Array(since.column(2)),
    int4Array(keys.column(0)),
    byteaArray(keys.column(1)),
    int4Array(ranges.column(0)),
    byteaArray(ranges.column(1)),
    byteaArray(ranges.column(2)),
    int4Array(logged.column(0)),
    byteaArray(logged.column(1)),
    byteaArray(logged.column(2)),
    int4Array(commits.flatMap(({ isMaintenance }, place) => (isMaintenance ? [place] : []))),
  ];
}

/** The writes of commits, in pages of so many encoded bytes; one empty page if they write nothing. */
function* pagesOf(commits: readonly CommitRequest[], bytes: number): Generator<BinaryParameter[]> {
  let page = new WritesPage();
  for (const [place, { changes, appended }] of commits.entries()) {
    for (const [key, value] of changes) {
      page.change(place, key, value);
      if (page.size < bytes) continue;
      yield page.parameters();
      page = new WritesPage();
    }
    for (const { prefix, at, value } of appended) {
      page.append(place, prefix, at, value);
      if (page.size < bytes) continue;
      yield page.parameters();
      page = new WritesPage();
    }
  }
  yield page.parameters();
}

class WritesPage {
  readonly #changes = new Columns<[number, Key, Buffer | undefined]>();
  readonly #entries = new Columns<[number, Key, number, Buffer]>();
  /** Bytes of keys and values. */
  size = 0;

  change(place: number, key: Key, value: Stored | undefined): void {
    const sealed = value === undefined ? undefined : buffer(sealRecord(key, value));
    this.#changes.add([place, key, sealed]);
    this.size += key.length + (sealed?.length ?? 0);
  }

  append(place: number, prefix: Key, at: number, value: Stored): void {
    // Their keys, over which a checksum would go, are known to the server alone.
    const encoded = buffer(encodeRecord(value));
    this.#entries.add([place, prefix, at, encoded]);
    this.size += prefix.length + encoded.length;
  }

  parameters(): BinaryParameter[] {
    return [
      int4Array(this.#changes.column(0)),
      byteaArray(this.#changes.column(1)),
      byteaArray(this.#changes.column(2)),
      int4Array(this.#entries.column(0)),
      byteaArray(this.#entries.column(1)),
      int4Array(this.#entries.column(2)),
      byteaArray(this.#entries.column(3)),
    ];
  }
}

function placeholders(types: string): string {
  return types
    .split(/\s+/)
    .map((type, at) => `$${at + 1}::${type}`)
    .join(', ');
}

/** Rows that are sent as one array a column. */
class Columns<Row extends readonly unknown[]> {
  readonly #rows: Row[] = [];

  add(row: Row): void {
    this.#rows.push(row);
  }

  column<Index extends keyof Row>(index: Index): Row[Index][] {
    return this.#rows.map((row) => row[index]);
  }
}

function buffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
