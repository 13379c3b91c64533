/** Rows that an operator keeps from batch to batch, for which its request is charged. */
import type { RowNode } from '../../../plan/nodes.js';
import type { Frame } from '../../../runtime/frame.js';
import type { ChargeRows } from '../../../runtime/request-memory.js';
import type { Value } from '../../../value/value.js';

type RowCharger = (frame: Frame) => ChargeRows;

/** Rows as they were read. */
export const readCharger: RowCharger =
  ({
    execution: {
      request: { memory },
    },
  }) =>
  (rows) =>
    memory.chargeRows(rows);

/** Rows that were made of others. */
export const copyCharger: RowCharger =
  ({
    execution: {
      request: { memory },
    },
  }) =>
  (rows) =>
    memory.chargeCopies(rows);

/** The charge for the rows of a node: those of SPLIT are copies. */
export function compileCharge(node: RowNode): RowCharger {
  for (let below = node; ; below = below.input) {
    if (below.kind === 'split') return copyCharger;
    if (!('input' in below)) return readCharger;
  }
}

/** Collects rows. Whatever keeps more than a batch of them does so here, or charges for them itself. */
export class CollectedRows {
  readonly rows: Value[] = [];
  readonly #charge: ChargeRows;
  readonly #uncharged: number;

  /** The first `uncharged` rows are kept without a charge. */
  constructor(charge: ChargeRows, uncharged = 0) {
    this.#charge = charge;
    this.#uncharged = uncharged;
  }

  add(batch: readonly Value[]): void {
    for (const row of batch) this.rows.push(row);
    if (this.rows.length > this.#uncharged) this.#charge(batch);
  }
}
