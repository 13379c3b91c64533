/** Parameters and results of the record reader and writer (`RecordReader` and `RecordWriter` in `execution.ts`). */
import type { PromiseOrValue } from '../base/promise-or-value.js';
import type { TableEntry } from '../catalog/definitions/database-catalog.js';
import type { Permission } from '../language/ast.js';
import type { FieldsRead } from '../plan/fields-read.js';
import type { Key, KeyRange } from '../storage/contract.js';
import type { ObjectValue, RecordId } from '../value/value.js';
import type { Candidates } from './candidates.js';

/** Takes the records of a scan; `true` ends it. */
export type BatchVisitor = (batch: readonly ObjectValue[]) => PromiseOrValue<boolean | undefined>;

/**
 * The purpose of a read. For a change, a record is returned if the clause of that action admits it, even if it can't
 * be seen: then with its id alone, so that no expression of the user learns more.
 */
export type ReadPurpose = 'select' | 'update' | 'delete';

/**
 * Which records: those of a whole table, of a range of it, those that an index lists in some of its parts, or its
 * candidates, in their order.
 */
export interface RecordScan {
  readonly table: string;
  /** A record id with a range as key. */
  readonly range?: RecordId;
  /** Of the table's own keys. */
  readonly keys?: KeyRange;
  /** By their keys. */
  readonly records?: readonly Key[];
  readonly index?: readonly KeyRange[];
  readonly candidates?: Candidates;
  /** Of candidates that are certain (`IndexNote.isUncertain`) ids suffice. */
  readonly idsOnly?: boolean;
  readonly reverse?: boolean;
  readonly purpose?: ReadPurpose;
  /** What will be read of the records; all if absent. */
  readonly fields?: FieldsRead;
  /** Hardly more than this many records will be taken; a hint for the size of the first batch. */
  readonly limit?: number;
  /** So many of the table's keys are passed over first, without judging or reading the records. */
  readonly skip?: number;
}

/** The verdict of PERMISSIONS on one record. */
export interface PermissionVerdict {
  readonly admitted: boolean;
  /** The fields' paths, each with the clause that hides something there. */
  readonly hidden: readonly { readonly field: string; readonly permission: Permission }[];
}

/** A record to be changed: its id, and its visible form for a writer. */
export interface FoundRecord {
  readonly id: RecordId;
  readonly seen: ObjectValue;
}

/**
 * The record as a statement would have it; `before` is the stored one, without elements that the principal may not see.
 * It evaluates the expressions of the statement once. Where these have changed the record themselves, it is applied
 * once more, to the record as it is then, which the principal sees as `seen`.
 */
export type Draft = (before: ObjectValue | undefined, seen?: ObjectValue) => PromiseOrValue<ObjectValue>;

export interface WriteOptions {
  /** The record becomes an edge between its `in` and `out`. */
  readonly edge?: boolean;
  /** A readonly field that the statement leaves out keeps its value (CONTENT) rather than counting as removed. */
  readonly keepsReadonly?: boolean;
  /** The statement gives no data that events could see as `$input`. */
  readonly inputless?: boolean;
}

/** A record before and after a change, as stored; one of them is missing when it was created or deleted. */
export interface WrittenRecord {
  readonly table: TableEntry;
  readonly id: RecordId;
  readonly before: ObjectValue | undefined;
  readonly after: ObjectValue | undefined;
}
