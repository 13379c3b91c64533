/**
 * Invariants of a record: its id, the ends of an edge, the kind of its table, and the order of its
 * fields.
 */
import { failure } from '../errors/error.js';
import type { TableKind } from '../language/ast.js';
import { equals } from '../value/order.js';
import { withField } from '../value/paths.js';
import { toText } from '../value/text/text.js';
import { newObject, type ObjectValue, RecordId, type RecordKey } from '../value/value.js';
import type { PreparedTable } from './table.js';

/**
 * The draft with its id, and with the ends of an edge, none of which a statement can change.
 * @throws TesseraError `id_mismatch`
 */
export function withIdentity(draft: ObjectValue, id: RecordId, before: ObjectValue | undefined): ObjectValue {
  const given = draft['id'];
  if (given !== undefined && !equals(given, id) && !equals(given, id.key as RecordKey)) {
    throw failure('id_mismatch', { id: toText(given) });
  }
  return withEnds(withField(draft, 'id', id) as ObjectValue, before);
}

/** The ends of an edge stay, whatever a statement or the clauses of its fields assign. */
export function withEnds(record: ObjectValue, before: ObjectValue | undefined): ObjectValue {
  if (!(before?.['in'] instanceof RecordId && before['out'] instanceof RecordId)) return record;
  return withField(withField(record, 'in', before['in']), 'out', before['out']) as ObjectValue;
}

/**
 * The record with its fields in the order of their names and without NONE, so that equal shapes share one hidden class.
 */
export function inOrder(record: ObjectValue): ObjectValue {
  const names = Object.keys(record);
  let ordered = true;
  for (let at = 0; at < names.length && ordered; at++) {
    ordered =
      record[names[at] as string] !== undefined && (at === 0 || (names[at - 1] as string) < (names[at] as string));
  }
  if (ordered) return record;
  const copy = newObject();
  for (const name of sorted(names)) if (record[name] !== undefined) copy[name] = record[name];
  return copy;
}

/** The list sorted last, as it came and in order: records that are loaded have the same fields, one after the other. */
let [lastNames, lastSorted]: [readonly string[], readonly string[]] = [[], []];

function sorted(names: readonly string[]): readonly string[] {
  if (names.length !== lastNames.length || names.some((name, at) => name !== lastNames[at])) {
    [lastNames, lastSorted] = [names, names.toSorted()];
  }
  return lastSorted;
}

/**
 * A RELATION table holds edges only, a NORMAL one none. What may stand at the ends of an edge is said by the types of
 * `in` and `out`.
 * @throws TesseraError `record_kind`
 */
export function checkKind(
  { entry }: PreparedTable,
  id: RecordId,
  before: ObjectValue | undefined,
  edge: boolean,
): void {
  const { tableKind } = entry.definition;
  if (before !== undefined || tableKind.kind === 'any' || (tableKind.kind === 'relation') === edge) return;
  throw failure('record_kind', { id: toText(id), isEdge: edge, expected: printTableKind(tableKind) });
}

function printTableKind(kind: TableKind): string {
  if (kind.kind !== 'relation') return kind.kind.toUpperCase();
  const from = kind.from === undefined ? '' : ` IN ${kind.from.join(' | ')}`;
  const to = kind.to === undefined ? '' : ` OUT ${kind.to.join(' | ')}`;
  return `RELATION${from}${to}${kind.enforced ? ' ENFORCED' : ''}`;
}
