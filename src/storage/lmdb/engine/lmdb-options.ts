/** The options of a store on disk. */
import type { Clock, Timers } from '../../../env/environment.js';
import type { TesseraError } from '../../../errors/error.js';
import type { Key } from '../../contract.js';

export interface LmdbOptions {
  /**
   * `every` (the default): a commit is on disk before it is answered. `never`: the operating system writes at
   * its own time; a crash of the machine, not of the process, may lose the store.
   */
  readonly sync?: 'every' | 'never';
  /**
   * Estimated size of the caches of decoded data: half for records read by their keys, half for ranges. Default: 128
   * MiB.
   */
  readonly cacheBytes?: number;
  /** Maximum number of states of the store that are read at once, the present one included. Default: 4,096. */
  readonly maxViews?: number;
  /** A data file up to this size in bytes is read completely when it is opened, and verified. Default: 64 MiB. */
  readonly verifyUpTo?: number;
  /** Describes the data under a key for error texts: its kind and location, without its content. */
  readonly describeKey?: (key: Key) => string;
  /** Called for damage found when the store is opened that doesn't prevent its use, and for a disk that is full. */
  readonly report?: (error: TesseraError) => void;
  /**
   * Called for a write that failed after it had begun. The process shouldn't go on: LMDB's library may have damaged its
   * memory.
   */
  readonly fatal?: (error: TesseraError) => void;
  /** Nothing is written, nor converted: every commit that changes something fails with `read_only`. */
  readonly readOnly?: boolean;
  /** Damaged values read as NULL instead of failing. */
  readonly damagedAsNull?: boolean;
  readonly timers?: Timers;
  /** The clock of versionstamps. */
  readonly clock?: Clock;
}

/** The default of `describeKey`. */
export function anyEntry(): string {
  return 'an entry';
}
