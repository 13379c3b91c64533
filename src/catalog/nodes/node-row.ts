/** The registry of nodes: a row for each, which it renews while it runs and removes when it is closed. */
import type { Stored } from '../../storage/contract.js';
import { type Datetime, objectFrom } from '../../value/value.js';
import { rowOf } from '../definitions/stored-definition.js';

export interface NodeRow {
  /** Counts renewals. */
  readonly beat: number;
  /** Of Tessera. */
  readonly version: string;
  /** The newest format of a store's keys and values that it reads and writes (`docs/reference/formats.md`). */
  readonly format: number;
  /** When it was opened, by its own clock. */
  readonly since: Datetime;
  /** By how many milliseconds its view of the commits was behind when it wrote this. */
  readonly staleness: number;
  /** Where it listens, for operators who look for its log. */
  readonly address: string | undefined;
}

/** The row of a node in the registry. */
export function storedNode({ address, ...row }: NodeRow): Stored {
  return objectFrom({ ...row, ...(address !== undefined && { address }) });
}

/** A row that a later release has written may have more members, none less. */
export function readNode(stored: Stored): NodeRow {
  const { beat, version, format, since, staleness, address } = rowOf(stored);
  return {
    beat: Number(beat),
    version: String(version),
    format: Number(format),
    since: since as Datetime,
    staleness: Number(staleness),
    address: typeof address === 'string' ? address : undefined,
  };
}
