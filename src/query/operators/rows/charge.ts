/** The memory of a request for rows that are kept. */
import type { RowNode } from '../../../plan/nodes.js';
import type { Frame } from '../../../runtime/frame.js';
import type { ChargeRows } from '../../../runtime/request-memory.js';

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
