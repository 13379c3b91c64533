/** What the servers of one store tell each other about failed sign-ins. */
import type { CounterKind } from './failed-attempts.js';

/** Failures of a counter. */
export interface Failures {
  readonly kind: CounterKind;
  /** A digest of the account and the address that it counts. */
  readonly key: string;
  /** 0: an attempt that the counter delayed begins, and others have to wait until it has ended. */
  readonly count: number;
  /** The server at which they failed; absent where it didn't say so. */
  readonly node?: string | undefined;
}

/** A counter for which a server takes the turn. */
export interface Turn {
  readonly kind: CounterKind;
  readonly key: string;
  /** Milliseconds for which the turn that another server has taken before is still valid. */
  readonly validFor: number;
}

/** Exchanges failures with the other servers of a store, so that all of them delay what fails at any. */
export interface FailureExchange {
  /** This server's id. */
  readonly node: string;
  /** An attempt has failed at this server. */
  failed(kind: CounterKind, key: string): void;
  /** Calls back with those of other servers. */
  onFailures(callback: (failures: Failures) => void): void;
  /**
   * Takes the turns of an attempt that its counters delayed: attempts that wait at several servers for the end of one
   * delay would begin together otherwise.
   * @returns those that other servers have taken before
   * @throws TesseraError of the store
   */
  takeTurns(turns: readonly Turn[]): Promise<readonly Turn[]>;
}
