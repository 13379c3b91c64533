/** The input of a request runner: the request, and the services of the database. */
import type { SessionIdentity } from '../../auth/identity.js';
import type { Environment } from '../../env/environment.js';
import type { TesseraError } from '../../errors/error.js';
import type { ServerMetrics } from '../../metrics/server-metrics.js';
import type { Interrupt, LiveListener } from '../../runtime/execution.js';
import type { RequestMemory } from '../../runtime/request-memory.js';
import type { Scope } from '../../runtime/scope.js';
import type { Executor } from '../../statements/executor.js';
import type { Engine } from '../../storage/contract.js';
import type { RequestTrace } from '../../tracing/request-trace.js';
import type { ObjectValue, Value } from '../../value/value.js';
import type { Auditor } from '../audit/auditor.js';
import type { HeldTransactions } from '../resources/held-transactions.js';
import type { SlowLog } from '../slow-log.js';
import type { DatabaseSelector } from './database-selector.js';
import type { DurabilityTracker } from './durability-tracker.js';
import type { HeldIdentities } from './held-identities.js';

/** The context of a request. */
export interface RunnerRequest {
  readonly identity: SessionIdentity;
  readonly interrupt: Interrupt;
  readonly memory: RequestMemory;
  readonly scope: Scope;
  readonly durability: DurabilityTracker;
  /** Receives the notifications of live queries. */
  readonly listener: LiveListener | undefined;
  /** Absent if no audit log is kept. */
  readonly auditor: Auditor | undefined;
  /** The parameters that came with the request, for the log of slow statements. */
  readonly variables: ObjectValue | undefined;
  /**
   * The identities that have run statements in the held transaction; absent if the transaction isn't held by a client.
   */
  readonly heldIdentities: HeldIdentities | undefined;
  readonly trace: RequestTrace | undefined;
}

export interface RunnerServices {
  readonly engine: Engine;
  readonly environment: Environment;
  readonly executor: Executor;
  readonly selector: DatabaseSelector;
  readonly transactions: Pick<HeldTransactions, 'budget'>;
  /** Absent where nothing is counted. */
  readonly metrics: ServerMetrics | undefined;
  /** Absent where none is kept. */
  readonly slowLog: SlowLog | undefined;
  /** Whether a write denied by PERMISSIONS is an error, unless OPTION overrides it. */
  readonly strictPermissions: boolean;
  /** Reports an internal error. */
  report(error: TesseraError, trace?: RequestTrace): void;
}

/** The slot values of each statement. */
export type Literals = readonly (readonly Value[])[] | undefined;
