/** The contract between an index and the writers of records: its entries, and their maintenance. */
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import type { IndexDefinition } from '../../catalog/definitions/definition.js';
import type { IndexIds } from '../../catalog/indexes/work.js';
import type { IndexEntry } from '../../index/entries.js';
import type { Execution } from '../../runtime/execution.js';
import type { Key, KeyRange } from '../../storage/contract.js';
import type { ObjectValue, RecordKey } from '../../value/value.js';

/** A record before and after a change; one of them is missing if it is created or deleted. */
export interface IndexedChange {
  readonly key: RecordKey;
  readonly before: ObjectValue | undefined;
  readonly after: ObjectValue | undefined;
}

/** An index with entries, and data derived from its definition. */
export interface KeptIndex {
  readonly definition: IndexDefinition;
  readonly keeping: IndexKeeping;
  readonly ids: IndexIds;
  readonly table: string;
  /** The prefix of its entries' keys. */
  readonly prefix: string;
  /** The names of the fields on which its entries depend; `undefined` where it may be any. */
  readonly fields: readonly string[] | undefined;
  /**
   * It is under construction: entries of records that weren't changed since its definition may be missing, and
   * writes aren't refused because of it. Obstacles to its completion are noted (`noteFlaw`).
   */
  readonly isBuilding: boolean;
}

/** The maintenance of an index by writers and by the builder. */
export interface IndexKeeping {
  /**
   * Replaces the entries of the old states of records by those of the new states. A build passes records without
   * an old state. Two transactions that change different records conflict only if both claim the same value
   * (`claims`).
   * @throws TesseraError `index_violation`, which tells the record that stands in the way if `tellsHolder`;
   * `value_too_large`; `key_too_long`; `vector_dimension`, `vector_value`, `vector_component`; what an analyzer throws
   */
  maintain(
    index: KeptIndex,
    execution: Execution,
    changes: readonly IndexedChange[],
    tellsHolder: boolean,
  ): PromiseOrValue<void>;
  /** Number of new records that are indexed together; if absent, `maintain` indexes them one by one. */
  readonly build?: (index: KeptIndex, execution: Execution) => BulkBuild;
  /**
   * Folds some notes of writers into the index, in a maintenance transaction; absent if writers note
   * nothing. Returns whether there may be more.
   */
  fold?(index: KeptIndex, execution: Execution): PromiseOrValue<boolean>;
  /**
   * Folds some of it when all records are listed that there were, before the index is used. Returns whether there may
   * be more to be done by then.
   */
  readonly prepare?: (index: KeptIndex, execution: Execution) => PromiseOrValue<boolean>;
  /**
   * All entries of a record, for checks and repairs; absent if records have no entries of their own.
   * @throws TesseraError `value_too_large`
   */
  entries?(index: KeptIndex, record: ObjectValue, key: RecordKey): readonly IndexEntry[];
  /**
   * The keys that a record claims for itself alone, under each of which its own key is found. `maintain` reads them.
   */
  readonly claims?: (index: KeptIndex, record: ObjectValue) => readonly Key[];
}

/** Records that are being listed together, in the order of their keys. */
export interface BulkBuild {
  /** @throws TesseraError as `IndexKeeping.maintain` does */
  add(changes: readonly IndexedChange[]): PromiseOrValue<void>;
  /**
   * Lists what was added. All records were whose encoded keys lie in a range, so that what writers have noted of these
   * meanwhile is void; an empty end is that of the table. Without a range no one else has written.
   */
  finish(keys?: KeyRange): PromiseOrValue<void>;
}
