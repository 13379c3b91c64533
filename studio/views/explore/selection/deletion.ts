/** Deleting the selected rows, and putting them back as they were. */
import { loadTableParts } from '../../../connection/definitions.js';
import { tablesWithin } from '../../../connection/kinds.js';
import type { StatementSource } from '../../../connection/statement-source.js';
import { identifier } from '../../../connection/surrealql.js';
import type { FieldParts } from '../../../connection/table-parts.js';
import { runTransaction, STRICT } from '../../../connection/transaction.js';
import { countSelected, findSelected, type Place, type SelectedRows } from './selected-rows.js';

/** Rows of a deletion that the page keeps, so that it can be undone. */
const MOST_KEPT = 1000;

/** A record as code. */
interface Kept {
  readonly table: string;
  /** Whether it has what an edge has. */
  readonly hasEnds: boolean;
  readonly code: string;
}

/** NORMAL, RELATION or ANY, by the name of a table. */
type Kinds = ReadonlyMap<string, string>;

interface Deleted {
  readonly count: number;
  readonly rows: readonly Kept[];
}

export interface Deletion {
  readonly count: number;
  /** Puts the rows back, and the edges that went with them. Absent where that can't be done. @throws Error if they wouldn't be as they were */
  undo?(): Promise<void>;
}

/**
 * Deletes them in one transaction.
 * @param matching how many rows there were when the user was asked
 * @throws Error with what the server refuses; if all were selected that match, and by now there are others
 */
export async function deleteRows(
  source: StatementSource,
  place: Place,
  selected: SelectedRows,
  matching: number,
): Promise<Deletion> {
  const find = findSelected(place, selected, matching);
  const remove = 'DELETE $ids RETURN NONE';
  const kinds = countSelected(selected, matching) <= MOST_KEPT ? await kindsOf(source, place.table) : undefined;
  if (kinds !== undefined) {
    try {
      const statements = [...find, ...KEEP, remove, `RETURN { count: count($ids), rows: ${KEPT} }`];
      const { count, rows } = (await runTransaction(source, statements, STRICT)) as Deleted;
      // In a table of any kind, nothing says whether it was an edge.
      const isUnclear = rows.some(({ table, hasEnds }) => hasEnds && kinds.get(table) === 'ANY');
      return { count, ...(!isUnclear && { undo: () => putBack(source, rows, kinds) }) };
    } catch (error) {
      if (!isTooLarge(error)) throw error;
    }
  }
  const count = await runTransaction(source, [...find, remove, 'RETURN count($ids)'], STRICT);
  return { count: Number(count) };
}

/** A value with more in it than the server writes as code. */
function isTooLarge(error: unknown): boolean {
  return error instanceof Error && /larger than the limit/.test(error.message);
}

/** Edges go with the records that they connect, and so do edges of edges. */
const KEEP = [
  'LET $near = array::distinct($ids<->?)',
  'LET $edges = $near.filter(|$id| has_ends($id))',
  'LET $all = array::distinct(array::concat($ids, $near, $edges<->?))',
  `LET $records = $all.map(|$id| {
    id: $id, table: record::tb($id), hasEnds: has_ends($id), code: value::quote((SELECT * FROM ONLY $id))
  })`,
].map((statement) =>
  statement.replaceAll(/has_ends\((.*?)\)/g, '(type::is_record($1.in) AND type::is_record($1.out))'),
);
/** Those that the deletion has taken with it: of what was near, most is still there. */
const KEPT = '$records.filter(|$one| !record::exists($one.id)).map(|$one| $one.{ table, hasEnds, code })';

/** What the tables hold; absent where deleting a row changes others or calls for something, since such a change can't be taken back. */
async function kindsOf(source: StatementSource, table: string): Promise<Kinds | undefined> {
  const tables = await loadTableParts(source).catch(() => []);
  const own = tables.find(({ name }) => name === table);
  const isFollowed = tables.some(({ fields }) => fields.some((field) => isFollowing(field, table)));
  const isComputed = own?.fields.some(({ computed }) => computed !== undefined);
  if (own === undefined || own.events.length > 0 || isFollowed || isComputed) return undefined;
  return new Map(tables.map(({ name, kind }) => [name, kind.kind]));
}

/** Whether the field changes when what it refers to is deleted. */
function isFollowing({ kind = 'any', reference }: FieldParts, table: string): boolean {
  if (reference === undefined || reference.on_delete === 'IGNORE') return false;
  const referred = tablesWithin(kind);
  return referred.length === 0 || referred.includes(table);
}

/** All of them just as they were, or none. */
async function putBack(source: StatementSource, rows: readonly Kept[], kinds: Kinds): Promise<void> {
  const tables = [...new Set(rows.map(({ table }) => table))];
  // Edges ask for the records that they connect.
  const ordered = tables.toSorted((a, b) => Number(isRelation(kinds, a)) - Number(isRelation(kinds, b)));
  const inserts = ordered.map((table) => {
    const codes = rows.filter((row) => row.table === table).map(({ code }) => code);
    const insert = isRelation(kinds, table) ? 'INSERT RELATION INTO' : 'INSERT INTO';
    return `FOR $row IN [${codes.join(', ')}] {
      ${insert} ${identifier(table)} $row RETURN NONE;
      IF value::quote((SELECT * FROM ONLY $row.id)) != value::quote($row) {
        THROW value::quote($row.id) + " would not be as it was, since its table changes what is written."
      }
    }`;
  });
  await runTransaction(source, inserts, STRICT);
}

function isRelation(kinds: Kinds, table: string): boolean {
  return kinds.get(table) === 'RELATION';
}
