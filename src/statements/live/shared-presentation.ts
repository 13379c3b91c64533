/**
 * A change is presented once for all live queries that show the same of it: those of one text, between whose readers
 * the rules make no difference.
 */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { TableEntry } from '../../catalog/definitions/database-catalog.js';
import type { Live } from '../../language/ast.js';
import { printStatement } from '../../language/print.js';
import { isOfRecordAlone } from '../../plan/dependencies.js';
import type { Execution } from '../../runtime/execution.js';
import type { PresentedChange } from '../../runtime/live-changes.js';
import type { WrittenRecord } from '../../runtime/record-access.js';

/** What was presented of one change, by the texts of queries. */
interface Presented {
  /** As it was defined then: after another definition rules may differ. */
  readonly table: TableEntry;
  /** To those to whom PERMISSIONS apply, and to those who see everything. */
  readonly checked: Map<string, PresentedChange | undefined>;
  readonly unchecked: Map<string, PresentedChange | undefined>;
}

/** Texts that share what is presented of a change, which is kept as long as the change waits for a client. */
const MOST_TEXTS = 16;
const PRESENTED = new WeakMap<WrittenRecord, Presented>();

/**
 * The text by which a query shares what is presented; `undefined` if it may show something else to another reader, or
 * by another transaction.
 */
export function sharedText(statement: Live): string | undefined {
  const { projections, where, fetch, since } = statement;
  if (fetch !== undefined || since !== undefined || (where !== undefined && !isOfRecordAlone(where))) return undefined;
  const shown =
    projections.kind === 'diff'
      ? []
      : projections.kind === 'value'
        ? [projections.expression]
        : projections.items.flatMap((item) => (item.kind === 'all' ? [] : [item.expression]));
  return shown.every(isOfRecordAlone) ? printStatement(statement) : undefined;
}

/** What `present` gives, or gave for another query with the same text. */
export function presentOnce(
  text: string,
  execution: Execution,
  table: TableEntry,
  change: WrittenRecord,
  present: () => PromiseOrValue<PresentedChange | undefined>,
): PromiseOrValue<PresentedChange | undefined> {
  if (!execution.services.reader.presentsAlike(execution, table)) return present();
  let presented = PRESENTED.get(change);
  if (presented?.table !== table) {
    presented = { table, checked: new Map(), unchecked: new Map() };
    PRESENTED.set(change, presented);
  }
  const shared = execution.checks.view ? presented.checked : presented.unchecked;
  if (shared.has(text)) return shared.get(text);
  return andThen(present(), (seen) => {
    if (shared.size < MOST_TEXTS) shared.set(text, seen);
    return seen;
  });
}
