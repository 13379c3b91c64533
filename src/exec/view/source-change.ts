import type { TableEntry } from '../../catalog/definitions/database-catalog.js';
import type { ObjectValue, RecordId } from '../../value/value.js';

/** A record of a table that a view reads, before and after a change. */
export interface SourceChange {
  readonly source: TableEntry;
  readonly id: RecordId;
  /** Missing, too, where the source keeps no records (DROP). */
  readonly before: ObjectValue | undefined;
  readonly after: ObjectValue | undefined;
}
