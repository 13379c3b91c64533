/** The interface by which INFO reads nodes, sessions and queues, which other parts of the server keep. */
import type { PromiseOrValue } from '../base/promise-or-value.js';
import type { Id } from '../catalog/keys/key-bytes.js';
import type { PresentSession } from '../catalog/nodes/presence.js';
import type { Transaction } from '../storage/contract.js';
import type { Datetime } from '../value/value.js';

/** The nodes that use the store. */
export interface NodeRegistry {
  list(transaction: Transaction): PromiseOrValue<readonly NodeFacts[]>;
}

/** A row of INFO FOR NODES. */
export interface NodeFacts {
  /** 16 hexadecimal digits. */
  readonly id: string;
  readonly isCurrent: boolean;
  /** Of Tessera. */
  readonly version: string;
  /** The newest store format that it reads and writes. */
  readonly format: number;
  /** The one that it writes, as all nodes of the store do. */
  readonly writes: number;
  readonly since: Datetime;
  readonly address: string | undefined;
  /** By how many milliseconds its view of the commits of all nodes is behind. */
  readonly staleness: number;
  /** Its background work. */
  readonly work: readonly string[];
}

/** The sessions of other nodes that use the store. */
export interface SessionsElsewhere {
  /** This node (`SharedStore.node`). */
  readonly node: string;
  /** The sessions of a user (`userKey`), or of all users. */
  all(transaction: Transaction, user?: string): PromiseOrValue<readonly PresentSession[]>;
  /** Signals its node to end a session when the transaction has committed. */
  end(transaction: Transaction, session: PresentSession): void;
}

export interface SessionFacts {
  /** When the user signed in, in nanoseconds since 1970. */
  readonly since: bigint;
  /** When it was last used. */
  readonly active: bigint;
  readonly expires: bigint | undefined;
  readonly liveQueries: number;
  /** Milliseconds for which the oldest change has waited for the client; 0 without any. */
  readonly behind: number;
}

/** The runner of asynchronous events. */
export interface QueuedEvents {
  /** Whether the store is known to list a database among those in which events were queued. */
  isListed(database: Id): boolean;
  /** A transaction has committed that queued an event. */
  committed(database: Id): void;
}
