/** What the nodes of a plan are compiled to. */
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import type { TableEntry } from '../../catalog/definitions/database-catalog.js';
import type { FieldsRead } from '../../plan/fields-read.js';
import type { Access, Direction, RowNode, StreamNode } from '../../plan/nodes.js';
import type { Value } from '../../value/value.js';
import type { Target } from '../expression/targets.js';
import type { Execution } from '../runtime/execution.js';
import type { Compiler, Frame } from '../runtime/frame.js';
import type { ReadPurpose } from '../runtime/record-access.js';

/** Hands rows on, batch by batch, to a visitor who may have enough of them. */
export type Stream = (frame: Frame, demand: Demand, visit: Visit) => PromiseOrValue<unknown>;

/** Gives all rows together. */
export type List = (frame: Frame, demand: Demand) => PromiseOrValue<readonly Value[]>;

/**
 * `direction` is there when rows come in the order that is wanted, or in the opposite one. Answers `true` when no more
 * are needed.
 */
export type Visit = (batch: readonly Value[], direction?: Direction) => PromiseOrValue<boolean | undefined>;

/** How many rows will be taken, if that is known, and of what. */
export interface Demand {
  /** Of any rows, as they come. */
  readonly rows?: number | undefined;
  /** Of those that come in the order that is wanted. */
  readonly inOrder?: number | undefined;
  /** How many rows before those are passed over, by their keys. */
  readonly skip?: number | undefined;
  /** What the targets of the statement are, where it has found that out itself. */
  readonly targets?: readonly Target[] | undefined;
}

/** As many rows as there are, of what the statement names. */
export const ALL_ROWS: Demand = {};

/** What the operators of one statement are made with. */
export interface OperatorContext {
  readonly compiler: Compiler;
  readonly reading: RecordReading;
  stream(node: StreamNode): Stream;
  /** The rows of a node together, whatever it is. */
  list(node: RowNode): List;
}

/** How a statement reads records. */
export interface RecordReading {
  readonly purpose: ReadPurpose;
  /** What is read of the rows. */
  readonly fields: FieldsRead;
  /** Whether what is done with one row may change the next. */
  readonly writes: boolean;
  /** Whether ids of what an access finds suffice, with what its index says of them. */
  idsSuffice?(access: Access): boolean;
  /** How a table is read that turns up only while the statement runs. */
  access(execution: Execution, entry: TableEntry): Access;
}
