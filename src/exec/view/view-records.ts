/** What a change of a source makes of the records of a view. */
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import type { TableEntry } from '../../catalog/definitions/database-catalog.js';
import type { ObjectValue, RecordId } from '../../value/value.js';
import type { Frame } from '../runtime/frame.js';

/** A record of a table that a view reads, as it was before a change. */
export interface SourceRecord {
  readonly source: TableEntry;
  readonly id: RecordId;
  /** Missing, too, where the source keeps no records (DROP). */
  readonly before: ObjectValue | undefined;
}

export interface ViewRecords {
  /**
   * Replaces what a record gave before it was changed. `frame` has it as its document if it belongs to the view now.
   */
  replace(record: SourceRecord, frame: Frame | undefined): PromiseOrValue<void>;
  /** Writes what the changes add up to. */
  finish(): PromiseOrValue<void>;
}
