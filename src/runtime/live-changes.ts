/** What live queries know of a change, and of the definitions that it was made by. */
import type { DatabaseCatalog } from '../catalog/definitions/database-catalog.js';
import type { Versionstamp } from '../storage/contract.js';
import type { Value } from '../value/value.js';

/** What a live query shows of a change. */
export type PresentedChange = { readonly result: Value };

/** A value that a field at the top of a record has, as the key that equal values share (`encodeOrder`). */
export interface WatchedValue {
  readonly field: string;
  readonly key: string;
}

/** The memory of a change, which all share that it waits for. */
export interface ChangeMemory {
  /** Roughly what it takes to keep it. */
  readonly bytes: number;
  /** For how many it waits. */
  holders: number;
}

/** How a process learns of a change. */
export interface ChangeArrival {
  /** Of its commit. */
  readonly stamp: Versionstamp;
  readonly memory: ChangeMemory;
  /** When the process learned of the commit, on the monotonic clock; now if it is left out. */
  readonly since?: number;
  /** Whether the commit has no further change for the query, but for those that arrive in the same turn. */
  readonly isLast: boolean;
}

/** The definitions of a database before one of its tables was removed. */
export interface LastDefinitions {
  readonly catalog: DatabaseCatalog;
  /** Whether nothing was defined between them and the removal. PERMISSIONS can be judged by such alone. */
  readonly areCurrent: boolean;
}
