/** What a store on disk may be opened with. */
import type { Clock, Timers } from '../../../env/environment.js';
import type { TesseraError } from '../../../errors/error.js';
import type { Key } from '../../contract.js';

export interface LmdbOptions {
  /**
   * `every` (the default): a commit is on disk before it is answered. `never`: the operating system writes when it
   * likes; a crash of the machine, not of the process, may lose the store.
   */
  readonly sync?: 'every' | 'never';
  /**
   * Room for what is kept decoded, estimated: half for records read by their keys, half for ranges. Default: 128 MiB.
   */
  readonly cacheBytes?: number;
  /** How many states of the store may be read at once, the present one among them. Default: 4,096. */
  readonly maxViews?: number;
  /** A data file of so many bytes or fewer is read wholly when it is opened, and verified. Default: 64 MiB. */
  readonly verifyUpTo?: number;
  /** Names what is stored under a key, for the texts of errors: its kind and place, nothing of what it holds. */
  readonly describeKey?: (key: Key) => string;
  /** Called for damage that is found when the store is opened and doesn't prevent its use. */
  readonly report?: (error: TesseraError) => void;
  /**
   * Called for a write that failed after it had begun. The process shouldn't go on: LMDB's library may have damaged its
   * memory.
   */
  readonly fatal?: (error: TesseraError) => void;
  /** Nothing is written, nor converted: every commit that changes something fails with `read_only`. */
  readonly readOnly?: boolean;
  /** Has values that are damaged read as NULL rather than fail. */
  readonly damagedAsNull?: boolean;
  readonly timers?: Timers;
  /** From which versionstamps take the time. */
  readonly clock?: Clock;
}

/** The default of `describeKey`. */
export function anyEntry(): string {
  return 'an entry';
}
