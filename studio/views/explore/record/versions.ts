/** Versions of a record, as the changefeed of its table has them. */
import type { StatementSource } from '../../../connection/statement-source.js';
import { identifier, textLiteral } from '../../../connection/surrealql.js';
import type { Change, RecordName } from '../changes.js';
import { type Content, contentOf, type LoadedContent } from '../typed-values.js';

/** Where a version is in the feed. */
export interface FoundVersion {
  readonly stamp: bigint;
  readonly isDeletion: boolean;
}

export interface Version extends FoundVersion {
  /** Empty for a deletion. */
  readonly content: Content;
  /** Fields whose values are too large to be written as code. */
  readonly tooLarge: readonly string[];
}

interface Options {
  /** Called with how many transactions were looked at so far. */
  progress(count: number): void;
  readonly signal: AbortSignal;
}

/** Transactions that are looked at in one request. */
const BATCH = 1000;

interface Batch {
  readonly count: number;
  /** The last versionstamp as text, which a page would round. */
  readonly last: string;
  readonly found: readonly (readonly [stamp: string, isDeletion: boolean])[];
}

/** From the first on: a feed can be read from its beginning alone. @throws Error for users who may not see it */
export async function findVersions(
  source: Pick<StatementSource, 'query'>,
  { table, code }: RecordName,
  { progress, signal }: Options,
): Promise<readonly FoundVersion[]> {
  const versions: FoundVersion[] = [];
  let since = 0n;
  for (let seen = 0; !signal.aborted; ) {
    const [, { count, last, found }] = await source.query<[null, Batch]>(
      `LET $sets = (SHOW CHANGES FOR TABLE ${identifier(table)} SINCE ${since} LIMIT ${BATCH}); RETURN {
        count: count($sets),
        last: <string> array::last($sets).versionstamp,
        found: array::flatten($sets.map(|$set| $set.changes
          .filter(|$change| ${isOf('$change', code)})
          .map(|$change| [<string> $set.versionstamp, $change.delete != NONE])))
      }`,
    );
    for (const [stamp, isDeletion] of found) versions.push({ stamp: BigInt(stamp), isDeletion });
    seen += count;
    progress(seen);
    if (count < BATCH) break;
    since = BigInt(last) + 1n;
  }
  return versions;
}

/** Whether a change is one of this record. Equal keys may be of several kinds: `1` and `1f`. */
function isOf(change: string, code: string): string {
  const ids = `[${change}.current.id, ${change}.update.id, ${change}.delete.id]`;
  return `${ids}.any(|$id| type::is_record($id) AND value::quote($id) = ${textLiteral(code)})`;
}

export async function loadVersion(
  source: StatementSource,
  { table, code }: RecordName,
  version: FoundVersion,
): Promise<Version> {
  if (version.isDeletion) return { ...version, content: {}, tooLarge: [] };
  const sets = `(SHOW CHANGES FOR TABLE ${identifier(table)} SINCE ${version.stamp} LIMIT 1)`;
  const change = `${sets}[0].changes.filter(|$change| ${isOf('$change', code)})[0]`;
  return { ...version, ...(await contentOf(source, `${change}.current ?? ${change}.update`)) };
}

/** Milliseconds since 1970, of which a versionstamp consists but for its last 16 bits. */
export function timeOf({ stamp }: FoundVersion): Date {
  return new Date(Number(stamp >> 16n));
}

/** A field that one version has otherwise than the one before; codes, absent where there is no value. */
export interface Difference {
  readonly name: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

export function differencesOf(before: Content, after: Content): readonly Difference[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted();
  return names.flatMap((name) => {
    if (name === 'id') return [];
    const difference = { name, before: codeOf(before, name), after: codeOf(after, name) };
    return difference.before === difference.after ? [] : [difference];
  });
}

function codeOf(content: Content, name: string): string | undefined {
  return Object.hasOwn(content, name) ? content[name]?.code : undefined;
}

export interface PutBackOptions {
  readonly isRelation: boolean;
  /** Fields that are computed, and so never stored. */
  readonly computed: readonly string[];
}

/** The change that makes a record what it was; `undefined` where nothing differs. @param current empty if there is none any more */
export function puttingBack(
  record: RecordName,
  version: Version,
  current: LoadedContent,
  { isRelation, computed }: PutBackOptions,
): Change | undefined {
  const { table } = record;
  if (Object.keys(current.content).length === 0 && current.tooLarge.length === 0) {
    return { kind: 'create', table, isRelation, content: version.content };
  }
  const untouched = new Set(['id', ...computed, ...version.tooLarge]);
  const differing = differencesOf(current.content, version.content).filter(({ name }) => !untouched.has(name));
  // Too large to be compared: it was there, and wasn't then.
  const grown = current.tooLarge.filter((name) => !untouched.has(name));
  const names = [...differing.map(({ name }) => name), ...grown];
  if (names.length === 0) return undefined;
  const entries = names.flatMap((name) => {
    const value = Object.hasOwn(version.content, name) ? version.content[name] : undefined;
    return value === undefined ? [] : [[name, value] as const];
  });
  const set = Object.fromEntries(entries);
  return { kind: 'update', record, set, unset: names.filter((name) => !Object.hasOwn(set, name)) };
}
