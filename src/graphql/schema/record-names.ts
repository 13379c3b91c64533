/** Texts that name records to be written, where one record must be meant. */
import { failure } from '../../errors/error.js';
import { matches } from '../../value/coerce.js';
import type { RecordId } from '../../value/value.js';
import { namedInError } from '../base/errors.js';
import { candidateRecordIds, readRecordId } from '../execution/record-id.js';
import type { TableType } from './table-type.js';

/**
 * The record that a link leads to, by its full id, or by its key where only one table is admitted; any table is when
 * none is named.
 * @throws TesseraError `graphql_argument`
 */
export function readLink(types: ReadonlyMap<string, TableType>, tables: readonly string[], text: string): RecordId {
  const full = readRecordId(text);
  if (full !== undefined) {
    if (tables.length === 0 || tables.includes(full.table)) return full;
    throw misnamed(text);
  }
  const [table, ...others] = tables;
  if (table === undefined || others.length > 0) throw misnamed(text);
  return byKey(types.get(table), table, text);
}

/** A record of a table that is about to be written. @throws TesseraError `graphql_argument` */
export function readOwnId(type: TableType, text: string): RecordId {
  const full = readRecordId(text);
  if (full === undefined) return byKey(type, type.table, text);
  if (full.table === type.table) return full;
  throw misnamed(text);
}

/**
 * The records that may be meant; several where the key can be read as text and as something else.
 * @throws TesseraError `graphql_argument`
 */
export function ownIds(type: TableType, text: string): readonly RecordId[] {
  const full = readRecordId(text);
  if (full !== undefined) return [readOwnId(type, text)];
  return candidates(type, type.table, text);
}

/** The type of the table's ids decides the kind of a key; without one a key is read as in a query. */
function byKey(type: TableType | undefined, table: string, text: string): RecordId {
  const [id] = candidates(type, table, text);
  if (id === undefined) throw misnamed(text);
  return id;
}

function candidates(type: TableType | undefined, table: string, text: string): readonly RecordId[] {
  if (text === '') return [];
  const ids = candidateRecordIds(table, text);
  const of = type?.entry.fields.find(
    ({
      path: {
        parts: [first, ...others],
      },
    }) => {
      return others.length === 0 && first?.kind === 'field' && first.name === 'id';
    },
  )?.type;
  const fitting = of === undefined ? ids : ids.filter(({ key }) => matches(key as Parameters<typeof matches>[0], of));
  return fitting.length === 0 ? ids : fitting;
}

function misnamed(text: string) {
  return failure('graphql_argument', {
    reason: `"${namedInError(text)}" is not the id of a record that may stand here`,
  });
}
