/** Applies a change of a source to the records of a view. */
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import type { TableEntry } from '../../catalog/definitions/database-catalog.js';
import type { Frame } from '../../runtime/frame.js';
import type { ObjectValue, RecordId } from '../../value/value.js';

/** A record of a table that a view reads, as it was before a change. */
export interface SourceRecord {
  readonly source: TableEntry;
  readonly id: RecordId;
  /** Missing, too, where the source keeps no records (DROP). */
  readonly before: ObjectValue | undefined;
}

export interface ViewRecords {
  /**
   * Replaces the contribution of the record's old state. `frame` has the record as its document if it belongs to the
   * view now.
   */
  replace(record: SourceRecord, frame: Frame | undefined): PromiseOrValue<void>;
  /** Writes the accumulated changes. */
  finish(): PromiseOrValue<void>;
}
