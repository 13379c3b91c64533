/** The services of a database that a session needs. */
import type { AuditLog } from '../../audit/audit-log.js';
import type { Authenticator } from '../../auth/authenticator.js';
import type { Principal } from '../../catalog/principal.js';
import type { Environment } from '../../env/environment.js';
import type { TesseraError } from '../../errors/error.js';
import type { StepwiseParse } from '../../language/parse.js';
import type { ServerMetrics } from '../../metrics/server-metrics.js';
import type { Executor } from '../../statements/executor.js';
import type { Engine } from '../../storage/contract.js';
import type { RequestTrace } from '../../tracing/request-trace.js';
import type { Duration } from '../../value/value.js';
import type { StatementCache } from '../cache/statement-cache.js';
import type { HeldTransactions } from '../resources/held-transactions.js';
import type { InMemorySessionRegistry } from '../resources/session-registry.js';
import type { SlowLog } from '../slow-log.js';
import type { DatabaseSelector } from './database-selector.js';

export interface SessionServices {
  readonly engine: Engine;
  readonly environment: Environment;
  readonly executor: Executor;
  readonly selector: DatabaseSelector;
  readonly authenticator: Authenticator;
  readonly registry: InMemorySessionRegistry;
  readonly transactions: HeldTransactions;
  readonly options: SessionOptions;
  /** Absent if no audit log is kept. */
  readonly audit: AuditLog | undefined;
  /** Absent where nothing is counted. */
  readonly metrics: ServerMetrics | undefined;
  /** Absent where none is kept. */
  readonly slowLog: SlowLog | undefined;
  /** Whether a write denied by PERMISSIONS is an error, unless OPTION overrides it. */
  readonly strictPermissions: boolean;
  /**
   * Checks that the store can be read and, for signed-in users, that revocations of other nodes are known.
   * @throws TesseraError `storage_format`, `storage_unavailable`
   */
  assertStoreUsable(isSignedIn: boolean): void;
  /** Parses short texts. */
  readonly statements: StatementCache;
  /** Parses a long text in steps; not cached. */
  parseStepwise(text: string): StepwiseParse;
  /** Reports an internal error. */
  report(error: TesseraError, trace?: RequestTrace): void;
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
  /** Milliseconds for which a change may wait; the live queries of a session that is further behind end. */
  readonly liveMaxAge: number;
}
