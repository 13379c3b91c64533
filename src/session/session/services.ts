import type { AuditLog } from '../../audit/audit-log.js';
import type { Authenticator } from '../../auth/authenticator.js';
import type { Principal } from '../../catalog/principal.js';
import type { StepwiseParse } from '../../language/parse.js';
import type { Duration, ObjectValue } from '../../value/value.js';
import type { ParsedRequest } from '../plans/plan-cache.js';
import type { HeldTransactions } from '../resources/held-transactions.js';
import type { InMemorySessionRegistry } from '../resources/session-registry.js';
import type { RunnerServices } from './runner-contract.js';

/** The services of a database that a session needs. */
export interface SessionServices extends RunnerServices {
  readonly authenticator: Authenticator;
  readonly registry: InMemorySessionRegistry;
  readonly transactions: HeldTransactions;
  readonly options: SessionOptions;
  /** Absent if no audit log is kept. */
  readonly audit: AuditLog | undefined;
  /**
   * Checks that the store can be read and, for signed-in users, that revocations of other nodes are known.
   * @throws TesseraError `storage_format`, `storage_unavailable`
   */
  assertStoreUsable(isSignedIn: boolean): void;
  /** Parses a text with its variables; cached. */
  parse(text: string, variables: ObjectValue | undefined): ParsedRequest;
  /** Parses a long text in steps; not cached. */
  parseStepwise(text: string): StepwiseParse;
}

export interface SessionOptions {
  /** Whether guests may run statements, as far as PERMISSIONS allow. */
  readonly guests: boolean;
  /** The principal of a session without sign-in. */
  readonly anonymous: Principal;
  /** The time limit of one request; `undefined`: none. */
  readonly requestTimeout: Duration | undefined;
  /** Idle timeout of a signed-in session in milliseconds; `undefined`: none. */
  readonly idle: number | undefined;
}
