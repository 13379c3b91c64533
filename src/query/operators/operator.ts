/** The compiled form of plan nodes. */
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import type { TableEntry } from '../../catalog/definitions/database-catalog.js';
import type { FieldsRead } from '../../plan/fields-read.js';
import type { Access, Direction, RowNode, StreamNode } from '../../plan/nodes.js';
import type { Execution } from '../../runtime/execution.js';
import type { Compiler, Frame } from '../../runtime/frame.js';
import type { ReadPurpose } from '../../runtime/record-access.js';
import type { Value } from '../../value/value.js';
import type { Target } from '../expression/targets.js';

/** Passes rows on, batch by batch, to a visitor that may stop. */
export type Stream = (frame: Frame, demand: Demand, visit: Visit) => PromiseOrValue<unknown>;

/** Returns all rows as a list. */
export type List = (frame: Frame, demand: Demand) => PromiseOrValue<readonly Value[]>;

/**
 * `direction` is set if rows come in the requested order, or in the opposite one. Returns `true` when no more
 * are needed.
 */
export type Visit = (batch: readonly Value[], direction?: Direction) => PromiseOrValue<boolean | undefined>;

/** The number of rows that will be taken, if known. */
export interface Demand {
  /** Any rows, as they come. */
  readonly rows?: number | undefined;
  /** Rows in the requested order. */
  readonly inOrder?: number | undefined;
  /** Number of rows to skip before these, by their keys. */
  readonly skip?: number | undefined;
  /** The targets of the statement, if it has evaluated them itself. */
  readonly targets?: readonly Target[] | undefined;
}

/** All rows of the statement's targets. */
export const ALL_ROWS: Demand = {};

/** The context in which the operators of one statement are compiled. */
export interface OperatorContext {
  readonly compiler: Compiler;
  readonly reading: RecordReading;
  stream(node: StreamNode): Stream;
  /** The rows of any node as a list. */
  list(node: RowNode): List;
}

/** The way a statement reads records. */
export interface RecordReading {
  readonly purpose: ReadPurpose;
  /** The fields that are read of the rows. */
  readonly fields: FieldsRead;
  /** Whether the effects of one row may change the next. */
  readonly writes: boolean;
  /** Whether the ids of found records suffice, with the notes of the index. */
  idsSuffice?(access: Access): boolean;
  /** The access to a table that is known only at run time. */
  access(execution: Execution, entry: TableEntry): Access;
}
