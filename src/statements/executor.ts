/** Assembles the executor and creates the executions in which statements run. */
import { andThen, otherwise, type PromiseOrValue } from '../base/promise-or-value.js';
import type { DatabaseCatalog } from '../catalog/definitions/database-catalog.js';
import type { SequenceDefinition } from '../catalog/definitions/definition.js';
import { CatalogCache } from '../catalog/definitions/load.js';
import type { QueuedEvent } from '../catalog/events/event-queue.js';
import type { RateLimits } from '../catalog/limits/rate-limits.js';
import type { RequestRates } from '../catalog/limits/request-rates.js';
import type { Outbox } from '../catalog/mail/outbox.js';
import { covers, type Identity, mayAct } from '../catalog/principal.js';
import type { Environment } from '../env/environment.js';
import { failure, type TesseraError } from '../errors/error.js';
import { Files } from '../files/access.js';
import type { ContentStores } from '../files/contents/content-stores.js';
import type { PasswordHasher, PasswordStrength } from '../functions/calls/contract.js';
import type { FunctionRules } from '../functions/calls/rules.js';
import type { Fetcher } from '../functions/network/fetcher.js';
import { ResidentGraphs } from '../index/hnsw/resident-graphs.js';
import type { Statement } from '../language/ast.js';
import type { ServerMetrics } from '../metrics/server-metrics.js';
import { Endpoints } from '../query/api/endpoints.js';
import { Analyzers, type SearchOptions } from '../query/expression/analyzers.js';
import { ReturnSignal } from '../query/expression/signal.js';
import { beginPrefetch } from '../query/prefetch/first-reads.js';
import { prepareViews } from '../query/view/maintain.js';
import { runQueuedEvent } from '../records/events.js';
import { OnDelete } from '../records/on-delete.js';
import { StoredRecordReader } from '../records/reader.js';
import { type FieldPermissionDefault, TablePreparer } from '../records/table.js';
import { keysOfUser } from '../records/users.js';
import { StoredRecordWriter } from '../records/writer.js';
import type { AuditRecorder } from '../runtime/audit-recorder.js';
import { admits, CompiledRules, UNCHECKED } from '../runtime/authorization/permission.js';
import type {
  Checks,
  Entrance,
  Execution,
  LiveListener,
  LiveRegistry,
  LiveResultRegistry,
  ProviderStates,
  SequenceNumbers,
  SequenceRights,
  Services,
  SessionRegistry,
} from '../runtime/execution.js';
import { type Compiler, Frame } from '../runtime/frame.js';
import type { Inspection } from '../runtime/inspection.js';
import type { Interrupt } from '../runtime/interrupt.js';
import { interruptible } from '../runtime/interruptible.js';
import type { NodeRegistry, QueuedEvents } from '../runtime/nodes.js';
import { QueryTimeout } from '../runtime/query-timeout.js';
import type { RequestMemory } from '../runtime/request-memory.js';
import { RevocationFlag } from '../runtime/revocation-flag.js';
import type { Scope } from '../runtime/scope.js';
import { ScriptPool } from '../runtime/script/pool.js';
import type { ScriptLimits } from '../runtime/script-runner.js';
import type { SentRequests } from '../runtime/sent-requests.js';
import type { StoreHistory } from '../runtime/store-history.js';
import { DatabaseTransactionContext } from '../runtime/transaction-context.js';
import { DEFAULT_TUNING, type Tuning } from '../runtime/tuning.js';
import { Variants } from '../runtime/variants.js';
import type { Transaction } from '../storage/contract.js';
import type { Value } from '../value/value.js';
import { PackedCache } from '../vectors/packed-cache.js';
import { createCompiler, type StatementCompiler } from './compiler.js';
import { firstReadsOf } from './explain/explain.js';
import { LiveQueries } from './live/live-queries.js';

export interface ExecutorOptions {
  readonly environment: Environment;
  readonly passwords: PasswordHasher;
  readonly passwordStrength: PasswordStrength;
  readonly limits: RateLimits;
  readonly rates: RequestRates;
  readonly sequences: SequenceNumbers;
  readonly contents: ContentStores;
  readonly fieldPermissions: FieldPermissionDefault;
  readonly weakKeys: boolean;
  readonly tuning?: Partial<Tuning>;
  readonly past: StoreHistory;
  readonly network: Fetcher;
  readonly functions: FunctionRules | undefined;
  readonly sessions: SessionRegistry;
  /** Default: those of this process alone. */
  readonly liveQueries?: LiveRegistry | undefined;
  readonly liveResults: LiveResultRegistry;
  readonly catalogs?: CatalogCache | undefined;
  readonly metrics?: ServerMetrics | undefined;
  readonly queuedEvents: QueuedEvents;
  readonly outbox: Outbox;
  readonly providers: ProviderStates;
  /** Default: none. */
  readonly publicUrls?: readonly string[] | undefined;
  readonly nodes: NodeRegistry;
  readonly inspection: Inspection;
  /** Called when work on indexes was queued. */
  indexWorkQueued(): void;
  /** Memory for executions without a request. */
  backgroundMemory(): RequestMemory;
  /** Embedded JavaScript is allowed, within these bounds. */
  readonly scripting?: ScriptLimits | undefined;
  readonly search?: Partial<SearchOptions> | undefined;
  /** Maximum bytes of packed vectors. */
  readonly vectorMemory: number;
}

export interface RunOptions {
  readonly transaction: Transaction;
  /** The values of the statement's slots. */
  readonly literals?: readonly Value[] | undefined;
  readonly identity: Identity;
  readonly interrupt: Interrupt;
  /** The budget of the request; background work has one for each execution. */
  readonly memory?: RequestMemory;
  /** Permissions are switched off: for access queries. */
  readonly privileged?: boolean;
  /** A clause of an access method runs. */
  readonly inStoredCode?: boolean;
  /** Of a SIGNUP or SIGNIN clause. */
  readonly entrance?: Entrance | undefined;
  readonly importing?: boolean;
  /** Receives the notifications of live queries. */
  readonly listener?: LiveListener | undefined;
  readonly auditRecorder?: AuditRecorder | undefined;
  /** Of a statement that may be repeated. */
  readonly sent?: SentRequests | undefined;
  readonly eventDepth?: number;
  /** A write that PERMISSIONS refuse is an error. */
  readonly strict?: boolean;
  /** Definitions to use instead of the stored ones. */
  readonly catalog?: DatabaseCatalog | undefined;
}

export interface TransactionStep {
  readonly value: Value;
  readonly isLast: boolean;
}

/** One for each open store. */
export class Executor {
  readonly compiler: StatementCompiler;
  readonly catalogs: CatalogCache;
  readonly liveQueries: LiveRegistry;
  readonly liveResults: LiveResultRegistry;
  readonly queryTimeout = new QueryTimeout();
  readonly revocationFlag = new RevocationFlag();
  readonly #services: Services;
  readonly #tables: TablePreparer;
  readonly #scripts: ScriptPool | undefined;
  readonly #backgroundMemory: () => RequestMemory;
  /** The context of the last identity: mostly the next statement has the same one. */
  #rights: Rights | undefined;

  constructor(options: ExecutorOptions) {
    const { environment, scripting, backgroundMemory } = options;
    this.catalogs = options.catalogs ?? new CatalogCache();
    this.liveQueries = options.liveQueries ?? new LiveQueries(environment.timers);
    this.liveResults = options.liveResults;
    const tuning = { ...DEFAULT_TUNING, ...options.tuning };
    this.compiler = createCompiler(tuning);
    this.#tables = new TablePreparer(this.compiler, options.fieldPermissions, prepareViews);
    this.#scripts = scripting && new ScriptPool(scripting, environment.timers);
    this.#backgroundMemory = backgroundMemory;
    const packedVectors = new PackedCache(options.vectorMemory);
    this.#services = {
      environment,
      passwords: options.passwords,
      passwordStrength: options.passwordStrength,
      limits: options.limits,
      rates: options.rates,
      network: options.network,
      functions: options.functions,
      scripts: this.#scripts,
      sequences: options.sequences,
      sequenceRights: new DefinedSequenceRights(this.compiler),
      apis: new Endpoints(this.compiler),
      files: new Files(this.compiler, options.contents),
      analyzers: new Analyzers(this.compiler, options.search),
      reader: new StoredRecordReader(this.#tables, tuning),
      writer: new StoredRecordWriter(this.#tables, this.liveQueries),
      references: new OnDelete(this.#tables),
      liveQueries: this.liveQueries,
      liveResults: this.liveResults,
      packedVectors,
      graphs: new ResidentGraphs(packedVectors),
      past: options.past,
      sessions: options.sessions,
      queryTimeout: this.queryTimeout,
      revocationFlag: this.revocationFlag,
      weakKeys: options.weakKeys,
      metrics: options.metrics,
      queuedEvents: options.queuedEvents,
      outbox: options.outbox,
      providers: options.providers,
      publicUrls: options.publicUrls ?? [],
      nodes: options.nodes,
      inspection: options.inspection,
      indexWorkQueued: options.indexWorkQueued,
    };
  }

  /** The execution in which the statements of one transaction run. */
  execution({
    transaction,
    literals = NO_LITERALS,
    identity,
    interrupt,
    memory,
    privileged,
    inStoredCode,
    entrance,
    importing,
    listener,
    auditRecorder,
    sent,
    eventDepth = 0,
    strict,
    catalog,
  }: RunOptions): Execution {
    const { refusal, checks, sleepNeedsRole } = privileged ? privilegedRights(identity) : this.#rightsOf(identity);
    return {
      services: this.#services,
      request: {
        literals,
        memory: memory ?? this.#backgroundMemory(),
        listener,
        auditRecorder,
        sent,
        entrance,
        eventDepth,
        // In the background others would wait.
        sleepNeedsRole: memory === undefined || sleepNeedsRole,
        strict: strict === true,
        isKeptRight: false,
      },
      context: new DatabaseTransactionContext(transaction, this.catalogs, identity.databasePath, refusal, catalog),
      identity,
      checks,
      interrupt,
      depth: 0,
      importing: importing === true,
      ...(inStoredCode === true && { inStoredCode }),
      judging: false,
      writable: transaction.writable,
      variants: new Variants(),
    };
  }

  /** Runs an asynchronous event, with permissions off as all events. */
  runQueued(event: QueuedEvent, options: RunOptions): PromiseOrValue<void> {
    const execution = this.execution({ ...options, privileged: true, eventDepth: event.depth + 1 });
    return runQueuedEvent(execution, this.#tables, event);
  }

  /** Ends waits for scripts. */
  close(): void {
    this.#scripts?.close();
  }

  #rightsOf(identity: Identity): Rights {
    if (this.#rights?.identity !== identity) this.#rights = rightsOf(identity);
    return this.#rights;
  }

  run(statement: Statement, execution: Execution, scope: Scope): PromiseOrValue<Value> {
    const evaluate = this.compiler.statement(statement);
    const frame = new Frame(execution, scope);
    return execution.context.answersLater ? interruptible(execution, () => evaluate(frame)) : evaluate(frame);
  }

  /**
   * Begins to prefetch the rows that show whether the user still exists, and the first reads of the statement: for an
   * asynchronous store (`TransactionContext.answersLater`).
   */
  prefetch(statement: Statement, execution: Execution, scope: Scope): void {
    beginPrefetch(firstReadsOf(statement, this.compiler), new Frame(execution, scope), (likely) =>
      keysOfUser(execution, likely),
    );
  }

  /**
   * Runs a statement of a transaction; a RETURN in it, however deep in blocks and loops, ends the
   * transaction.
   */
  runInTransaction(statement: Statement, execution: Execution, scope: Scope): PromiseOrValue<TransactionStep> {
    const evaluate = this.compiler.statementOfTransaction(statement);
    return otherwise<TransactionStep>(
      () =>
        andThen(
          interruptible(execution, () => evaluate(new Frame(execution, scope))),
          (value) => ({ value, isLast: false }),
        ),
      (thrown) => {
        if (thrown instanceof ReturnSignal) return { value: thrown.value, isLast: true };
        throw thrown;
      },
    );
  }
}

/** The rights of an identity. */
interface Rights {
  readonly identity: Identity;
  /** Why it has no access at the selected path. */
  readonly refusal: TesseraError | undefined;
  readonly checks: Checks;
  /** As `RequestContext.sleepNeedsRole`. */
  readonly sleepNeedsRole: boolean;
}

const NO_LITERALS: readonly Value[] = [];

function privilegedRights(identity: Identity): Rights {
  return { identity, refusal: undefined, checks: UNCHECKED, sleepNeedsRole: !mayAct(identity.principal, 'edit', {}) };
}

function rightsOf(identity: Identity): Rights {
  const { principal, databasePath } = identity;
  return {
    identity,
    refusal: refusalOf(identity),
    checks: { view: !mayAct(principal, 'view', databasePath), edit: !mayAct(principal, 'edit', databasePath) },
    sleepNeedsRole: !mayAct(principal, 'edit', {}),
  };
}

/**
 * Why the principal has no access at the selected path; a signed-in principal may act only at its own level and below.
 */
function refusalOf({ principal, databasePath }: Identity): TesseraError | undefined {
  switch (principal.kind) {
    case 'guest':
      return undefined;
    case 'system':
      return covers(principal, databasePath) || databasePath.database === undefined
        ? undefined
        : failure('not_allowed', { actor: principal.name, action: 'View', resource: 'Database' });
    case 'record':
      if (databasePath.namespace !== principal.namespace) {
        return failure('place_forbidden', { level: 'namespace', name: databasePath.namespace ?? 'NONE' });
      }
      return databasePath.database === principal.database
        ? undefined
        : failure('place_forbidden', { level: 'database', name: databasePath.database ?? 'NONE' });
  }
}

// Who may draw numbers from a sequence.

/**
 * PERMISSIONS of sequences apply to record users and guests, as those of params. A sequence without a clause gives them
 * numbers in stored code alone, such as a function or the DEFAULT of a field: its author has chosen when one is drawn.
 */
class DefinedSequenceRights implements SequenceRights {
  readonly #rules: CompiledRules;

  constructor(compiler: Compiler) {
    this.#rules = new CompiledRules(compiler);
  }

  assertMayDraw(execution: Execution, { name, permissions }: SequenceDefinition): PromiseOrValue<void> {
    if (!execution.checks.view) return undefined;
    const allowed =
      permissions === undefined
        ? execution.inStoredCode === true
        : admits(this.#rules.of(permissions), execution, undefined);
    return andThen(allowed, (may) => {
      if (!may) throw failure('sequence_forbidden', { name });
    });
  }
}
