/** The state of a running statement: services, request, transaction, identity and limits. Nothing is ambient. */
import type { PromiseOrValue } from '../base/promise-or-value.js';
import type { KeptToken } from '../catalog/credentials/revocation-list.js';
import type { DatabaseCatalog, TableEntry } from '../catalog/definitions/database-catalog.js';
import type { AnalyzerDefinition, SequenceDefinition } from '../catalog/definitions/definition.js';
import type { Id } from '../catalog/keys/key-bytes.js';
import type { RateLimits } from '../catalog/limits/rate-limits.js';
import type { RequestRates } from '../catalog/limits/request-rates.js';
import type { Outbox } from '../catalog/mail/outbox.js';
import type { DatabasePath, Identity } from '../catalog/principal.js';
import type { Environment } from '../env/environment.js';
import type { TesseraError } from '../errors/error.js';
import type { PasswordHasher, PasswordStrength } from '../functions/calls/contract.js';
import type { FunctionRules } from '../functions/calls/rules.js';
import type { Fetcher } from '../functions/network/fetcher.js';
import type { ResidentGraphs } from '../index/hnsw/resident-graphs.js';
import type { AccessWay, Live, Part, Permission, TableAction } from '../language/ast.js';
import type { ServerMetrics } from '../metrics/server-metrics.js';
import type { FieldsRead } from '../plan/fields-read.js';
import type { Analyzer } from '../search/text/analyzer.js';
import type { KeyRange, ReadParts, Transaction, Versionstamp } from '../storage/contract.js';
import type { FileReference, ObjectValue, RecordId, Uuid, Value } from '../value/value.js';
import type { PackedCache } from '../vectors/packed-cache.js';
import type { AuditRecorder } from './audit-recorder.js';
import type { TransferredFiles } from './file-access.js';
import type { Inspection } from './inspection.js';
import type { Interrupt } from './interrupt.js';
import type { EdgeStep, Hop, Referent, Referrer, ReferrerSubject } from './links.js';
import type { ChangeArrival, LastDefinitions, PresentedChange, WatchedValue } from './live-changes.js';
import type { NodeRegistry, QueuedEvents, SessionFacts, SessionsElsewhere } from './nodes.js';
import type { Notification } from './notification.js';
import type { QueryTimeout } from './query-timeout.js';
import type {
  BatchVisitor,
  Draft,
  FoundRecord,
  PermissionVerdict,
  ReadPurpose,
  RecordScan,
  WriteOptions,
  WrittenRecord,
} from './record-access.js';
import type { RequestMemory } from './request-memory.js';
import type { RevocationFlag } from './revocation-flag.js';
import type { ScriptRunner } from './script-runner.js';
import type { SentRequests } from './sent-requests.js';
import type { StoreHistory } from './store-history.js';
import type { TextAnalyzer } from './text-analyzer.js';
import type { TransactionContext } from './transaction-context.js';
import type { Variants } from './variants.js';

/** Whether PERMISSIONS apply: not where a role grants the action, nor inside permission clauses and events. */
export interface Checks {
  /** To reading records. */
  readonly view: boolean;
  /** To writing them. */
  readonly edit: boolean;
}

/** Parts of the server that all executions of a store share. */
export interface Services {
  readonly environment: Environment;
  readonly passwords: PasswordHasher;
  readonly passwordStrength: PasswordStrength;
  /** What limits calls of endpoints. */
  readonly limits: RateLimits;
  readonly rates: RequestRates;
  readonly network: Fetcher;
  /** Which functions may be called; all of them if absent. */
  readonly functions: FunctionRules | undefined;
  /** The runner of embedded JavaScript; absent if it isn't allowed. */
  readonly scripts: ScriptRunner | undefined;
  readonly sequences: SequenceNumbers;
  readonly sequenceRights: SequenceRights;
  readonly apis: ApiEndpoints;
  readonly files: FileAccess;
  readonly analyzers: AnalyzerRegistry;
  readonly reader: RecordReader;
  readonly writer: RecordWriter;
  readonly references: ReferenceClauses;
  readonly liveQueries: LiveRegistry;
  readonly liveResults: LiveResultRegistry;
  /** Packed vectors of what was searched before, and graphs of HNSW indexes, within the same memory. */
  readonly packedVectors: PackedCache;
  readonly graphs: ResidentGraphs;
  readonly past: StoreHistory;
  readonly sessions: SessionRegistry;
  readonly nodes: NodeRegistry;
  readonly inspection: Inspection;
  readonly queryTimeout: QueryTimeout;
  readonly revocationFlag: RevocationFlag;
  /** Keys of access methods are accepted without a check of their strength. */
  readonly weakKeys: boolean;
  /** Absent where nothing is counted. */
  readonly metrics: ServerMetrics | undefined;
  readonly queuedEvents: QueuedEvents;
  /** Where mails are queued. */
  readonly outbox: Outbox;
  readonly providers: ProviderStates;
  /** The addresses of this server (`--public-url`), in canonical form; the first is the default. */
  readonly publicUrls: readonly string[];
  /** Call once a transaction that queued work on indexes has committed: an earlier round wouldn't find it. */
  indexWorkQueued(): void;
}

/** Whether identity providers can be used (`auth/oidc/`). */
export interface ProviderStates {
  /** Why the provider of a way can't be asked at present; `undefined` if it can, or the way has none. */
  faultOf(way: AccessWay): Promise<string | undefined>;
}

/** The request that a statement belongs to. */
export interface RequestContext {
  /** The values of the slots of the statement that runs (`language/parameterize.ts`). */
  readonly literals: readonly Value[];
  /** The memory that the request holds. */
  readonly memory: RequestMemory;
  /** Receives the notifications of live queries; without one there can't be any. */
  readonly listener: LiveListener | undefined;
  /** Records definitions, grants and denied writes; absent where no audit log is kept. */
  readonly auditRecorder: AuditRecorder | undefined;
  /** What earlier attempts have sent; absent where there are none. */
  readonly sent: SentRequests | undefined;
  /** What a SIGNUP or SIGNIN clause opens; absent elsewhere. */
  readonly entrance: Entrance | undefined;
  /** How many asynchronous events led to this one. */
  readonly eventDepth: number;
  /** SLEEP asks for the right to edit the store. A client that has it may SLEEP in stored code as well. */
  readonly sleepNeedsRole: boolean;
  /** A write that PERMISSIONS deny is an error rather than skipped. */
  readonly strict: boolean;
  /** Of a LIVE QUERY: nothing may be asked for of which it isn't known when it changes. */
  readonly isKeptRight: boolean;
}

/** The session that a running SIGNUP or SIGNIN clause opens. */
export interface Entrance {
  /** Its token, which was drawn before. */
  readonly token: KeptToken;
  /** KILL OTHER SESSIONS has run: whose they are is known when the clause has returned the record. */
  endsOthers: boolean;
}

/** The state of a running statement: shared parts, and those in which the code that it calls may differ from it. */
export interface Execution {
  readonly services: Services;
  readonly request: RequestContext;
  readonly context: TransactionContext;
  readonly identity: Identity;
  readonly checks: Checks;
  readonly interrupt: Interrupt;
  /** How deep calls, subqueries, events and computed fields are nested; bounded. */
  readonly depth: number;
  /** OPTION IMPORT is on: no events, no field processing. */
  readonly importing: boolean;
  /**
   * Code of definitions runs: the body of a function or event, a clause of a field (`withDefinerRightsCap`), or one of
   * an access method.
   */
  readonly inStoredCode?: boolean;
  /** A PERMISSIONS clause is evaluated. */
  readonly judging: boolean;
  /** False in read-only transactions, closures and permission clauses: what they write fails with `read_only`. */
  readonly writable: boolean;
  readonly variants: Variants<Execution>;
}

/** The files of buckets. All that reads and writes them passes through here, PERMISSIONS included. */
export interface FileAccess {
  of(execution: Execution): TransferredFiles;
  /** Whether this server may use a backend. @throws TesseraError `bucket_backend`, `bucket_denied` */
  assertUsable(backend: string | undefined): Promise<void>;
}

/** The analyzers of the selected database. */
export interface AnalyzerRegistry {
  /** @throws TesseraError `analyzer_missing`, and as `prepare` */
  named(execution: Execution, name: string): PromiseOrValue<TextAnalyzer>;
  /** Reads the files that it names. @throws TesseraError `analyzer_file_denied`, `analyzer_file`, `analyzer_lemma` */
  prepare(execution: Execution, definition: AnalyzerDefinition): PromiseOrValue<Analyzer>;
  /** Scores are made of whole indexes for all users. */
  readonly sharesStatistics: boolean;
}

/**
 * All reads of records pass through this interface; hidden records and fields never leave it. `fields`: the fields to
 * read of them, or all.
 */
export interface RecordReader {
  /** The record as the principal may see it, with computed fields; NONE when it doesn't exist or is hidden. */
  read(
    execution: Execution,
    id: RecordId,
    purpose?: ReadPurpose,
    fields?: FieldsRead,
  ): PromiseOrValue<ObjectValue | undefined>;
  /** What `read` returns for each of the ids, in their order; the storage is asked for many at once. */
  readMany(
    execution: Execution,
    ids: readonly RecordId[],
    purpose?: ReadPurpose,
    fields?: FieldsRead,
  ): PromiseOrValue<(ObjectValue | undefined)[]>;
  /** The records of a range of keys, or of a whole table, batch by batch; `true` from `visit` ends the scan. */
  scan(execution: Execution, scan: RecordScan, visit: BatchVisitor): PromiseOrValue<void>;
  /**
   * The visible form of a stored record: `undefined`, or the record with its computed fields and without
   * hidden fields.
   */
  present(
    execution: Execution,
    table: TableEntry,
    raw: ObjectValue,
    purpose?: ReadPurpose,
    fields?: FieldsRead,
  ): PromiseOrValue<ObjectValue | undefined>;
  /**
   * Whether rules show the same of each record of a table to all who are checked as this execution is, and at any time:
   * they are about the record alone, and no field is computed.
   */
  presentsAlike(execution: Execution, table: TableEntry): boolean;
  /**
   * The keys under which the records of a table are stored just as this execution reads some fields of them;
   * `undefined` where rules apply or one of the fields is computed.
   */
  storedRange(
    execution: Execution,
    table: TableEntry,
    purpose: ReadPurpose,
    fields: FieldsRead,
  ): PromiseOrValue<KeyRange | undefined>;
  /** Whether there are readers from whom the fields' permissions hide something at, above or below a path. */
  mayHide(table: TableEntry, path: readonly Part[]): boolean;
  /**
   * The actions that a principal subject to PERMISSIONS may do with a record, and the fields that are hidden then; for
   * EXPLAIN PERMISSIONS.
   */
  judge(
    execution: Execution,
    table: TableEntry,
    raw: ObjectValue,
    action: TableAction,
  ): PromiseOrValue<PermissionVerdict>;
  /** Whether one clause, or a part of one, admits a record; `value` is that of the field which it guards. */
  holds(execution: Execution, of: TableEntry, raw: ObjectValue, by: Permission, value: Value): PromiseOrValue<boolean>;
  /** The edges at a record: ids of the edge records, in key order. */
  edges(execution: Execution, id: RecordId, step: EdgeStep): PromiseOrValue<RecordId[]>;
  /** The ends of the edges at a record, if known without reading these. */
  ends(execution: Execution, id: RecordId, hop: Hop): PromiseOrValue<RecordId[] | undefined>;
  /**
   * The records that refer to another or to a file, seen or not, once for each field; without subjects those of all
   * tables.
   */
  referrers(execution: Execution, of: Referent, subjects: readonly ReferrerSubject[]): PromiseOrValue<Referrer[]>;
}

/**
 * All changes of records pass through this interface. Each method returns `undefined` if nothing may or can be done.
 */
export interface RecordWriter {
  /** @throws TesseraError `record_exists` */
  create(
    execution: Execution,
    id: RecordId,
    draft: Draft,
    options?: WriteOptions,
  ): PromiseOrValue<WrittenRecord | undefined>;
  /** `seen`: what the reader gave of the record to be updated, so that it needn't be read again. */
  update(
    execution: Execution,
    id: RecordId,
    draft: Draft,
    options?: WriteOptions,
    seen?: ObjectValue,
  ): PromiseOrValue<WrittenRecord | undefined>;
  /** Deletes the edges at the record, too; if one of them must not be deleted, nothing is. */
  delete(execution: Execution, id: RecordId): PromiseOrValue<WrittenRecord | undefined>;
  /** The same for records that were read to be deleted, one after the other. */
  deleteMany(execution: Execution, found: readonly FoundRecord[]): PromiseOrValue<(WrittenRecord | undefined)[]>;
  /**
   * Stores a record as it is, or deletes it where there is none to store: for those that the server makes of others.
   * Neither rules nor fields of the table are asked; indexes, events and views follow.
   */
  put(execution: Execution, id: RecordId, record: ObjectValue | undefined): PromiseOrValue<void>;
  /**
   * Whether a record is there, seen or not. For the statements themselves; its answer must never reach the principal.
   */
  exists(execution: Execution, id: RecordId): PromiseOrValue<boolean>;
}

/** What REFERENCE fields demand when the record or file to which they refer is deleted, or the file is renamed. */
export interface ReferenceClauses {
  /** Before it is deleted. @throws TesseraError `record_referenced` when a field of another record rejects it */
  check(execution: Execution, deleted: Referent): PromiseOrValue<void>;
  /**
   * Applies ON DELETE, once it is deleted. It runs like events do, with permissions off, since the owner of the schema
   * defined it.
   * @throws TesseraError `references_failed`
   */
  settle(execution: Execution, deleted: Referent): PromiseOrValue<void>;
  /** Has the fields follow a file that was renamed, with permissions off. @throws TesseraError `references_failed` */
  follow(execution: Execution, renamed: FileReference, target: FileReference): PromiseOrValue<void>;
}

/** What a session gets notifications for. */
export type LiveStatement = LiveQuery | ResultSubscription;

export interface LiveQuery {
  readonly kind: 'changes';
  readonly id: Uuid;
  readonly statement: Live;
  /** Approximate bytes of the statement and its parameters. */
  readonly weight: number;
  readonly databasePath: DatabasePath;
  readonly table: TableEntry;
  readonly listener: LiveListener;
  /** The value that a field of the record must have for the query to show a change; absent if there is none. */
  readonly watched: WatchedValue | undefined;
  /** The record user who reads it, as a key; absent for others. Should another sign in, the query ends. */
  readonly reader: string | undefined;
  /** With SINCE: commits after `stamp` are sent first; none if it is missing. */
  readonly since?: { readonly stamp: Versionstamp | undefined } | undefined;
  /**
   * The notification of a change for the principal of the execution; `undefined` if it isn't visible. The table is as
   * it is by then. `versionstamp` is that of the notification.
   */
  present(
    execution: Execution,
    table: TableEntry,
    change: WrittenRecord,
    versionstamp: Versionstamp | undefined,
  ): PromiseOrValue<PresentedChange | undefined>;
}

/** A live query as INFO shows it. */
export type ListedLiveQuery = Pick<LiveQuery, 'id' | 'statement' | 'table'>;

/** The live queries of this process, and the rows of those of other nodes. */
export interface LiveRegistry {
  /** How many there are here. */
  readonly size: number;
  /** The live queries of a table on all nodes, in the order of their ids. */
  of(context: TransactionContext, table: TableEntry): PromiseOrValue<readonly ListedLiveQuery[]>;
  /** One of this process. */
  get(id: string): LiveQuery | undefined;
  /**
   * Has a query begin when the transaction commits.
   * @throws TesseraError `too_many_live_queries`, `live_queries_too_large`
   */
  begin(context: TransactionContext, catalog: DatabaseCatalog, query: LiveQuery): PromiseOrValue<void>;
  /** Whether a table's changes are to be noted. */
  isWatched(table: TableEntry): boolean;
  /** Notes a change of a watched table: its queries receive it when the transaction has committed. */
  note(transaction: Transaction, change: WrittenRecord): void;
  /** Ends a query of this process at once, with a reason. */
  end(query: LiveQuery, reason?: TesseraError): void;
  /**
   * Ends a query that another node has in the selected database, once the transaction has committed. Returns whether
   * there is one.
   */
  endElsewhere(context: TransactionContext, id: string): PromiseOrValue<boolean>;
  /**
   * Ends the queries of tables that a transaction removes, when it commits. Call it before the removal: what was
   * changed before is still delivered, by the definitions as they are then.
   */
  endRemoved(context: TransactionContext, isRemoved: (query: LiveQuery) => boolean): PromiseOrValue<void>;
  /** The last definitions that are known here, for a query whose table is gone and whose end is still to come. */
  lastDefinitions(query: LiveQuery): LastDefinitions | undefined;
}

/** Of a LIVE QUERY. */
export interface LiveResultRequest {
  /** Evaluates the expression with the parameters that it names, as they are now. */
  evaluate(execution: Execution): PromiseOrValue<Value>;
  /** Equal for requests that show the same to readers between whom rules make no difference. */
  readonly text: string;
  /** Differences have positions. */
  readonly isOrdered: boolean;
  /** Differences are JSON Patches. */
  readonly isPatched: boolean;
  /** Milliseconds after which it is evaluated, whatever has changed. */
  readonly period: number | undefined;
  /** Differences say from which versionstamp to resume; with a stamp, from there. */
  readonly since: { readonly stamp: bigint | undefined } | undefined;
  /** Approximate bytes of the expression and its parameters. */
  readonly weight: number;
}

/** The result of a LIVE QUERY that a session follows. */
export interface ResultSubscription {
  readonly kind: 'result';
  readonly id: Uuid;
  readonly databasePath: DatabasePath;
  readonly listener: LiveListener;
  /** Approximate bytes of the request and the result, as they are accounted for, and by now. */
  weight: number;
  readonly weightNow: number;
  /** When this process learned of what it shows now, on the monotonic clock. */
  readonly since: number;
  /** Whether its listener knows of a later result that it hasn't delivered. */
  isAnnounced: boolean;
  /** Sends the differences between what the client has got and the latest result. */
  deliver(interrupt: Interrupt, send: (notification: Notification) => PromiseOrValue<boolean>): Promise<void>;
}

export interface LiveResultRegistry {
  readonly size: number;
  get(id: string): ResultSubscription | undefined;
  /**
   * Evaluates a request, and has the result followed when the transaction commits. Answers `{ id, result, … }`.
   * @throws TesseraError `live_result_of_time`, `live_result_too_large`, …, and what the evaluation throws
   */
  begin(execution: Execution, request: LiveResultRequest): PromiseOrValue<Value>;
  /**
   * Has a result followed of which the first version is sent like the later ones. Returns its id.
   * @throws TesseraError `realtime_unavailable`, `too_many_live_queries`, …
   */
  start(listener: LiveListener, databasePath: DatabasePath, request: LiveResultRequest): Promise<Uuid>;
  /** What an evaluation reads as of now, for EXPLAIN. */
  dependenciesOf(execution: Execution, evaluate: LiveResultRequest['evaluate']): Promise<ReadParts>;
  /** Ends one at once, with a reason. */
  end(result: ResultSubscription, reason?: TesseraError): void;
  /** Ends one of another node as soon as that reads it, if it is in this database; false if no node has such an id. */
  endElsewhere(context: TransactionContext, databasePath: DatabasePath, id: string): PromiseOrValue<boolean>;
}

/** A session that outlasts a request, with a signed-in user. */
export interface LastingSession {
  /** A UUID. */
  readonly key: string;
  /** The user who has signed in to it, even while a view shows another. */
  readonly holder: Identity;
  /** Receives the notifications of its live queries. */
  readonly listener: LiveListener | undefined;
  /** Its columns of INFO FOR SESSIONS besides the user. */
  readonly facts: SessionFacts;
  /** Ends it at once, with its requests, transactions and live queries. It is expired then. */
  end(): void;
}

/** The sessions that outlast a request. */
export interface SessionRegistry {
  /** Absent where no other node uses the store. */
  readonly elsewhere?: SessionsElsewhere | undefined;
  /** Those with a signed-in user, the oldest first. */
  signedIn(): Iterable<LastingSession>;
  /** Re-validates the sessions of users at a path or below it when a transaction commits that changes their rights. */
  scheduleRevalidation(transaction: Transaction, databasePath: DatabasePath): void;
  /** The same for the users of a record. */
  scheduleRecordRevalidation(transaction: Transaction, databasePath: DatabasePath, id: RecordId): void;
}

/** The owner of live queries: a session that receives notifications. */
export interface LiveListener {
  /** Whether changes wait for this process, rather than for the client, for longer than anyone should notice. */
  readonly isLate: boolean;
  /** @throws TesseraError `too_many_live_queries`, `live_queries_too_large`, `connection_memory_exceeded`, … */
  admit(query: LiveStatement): void;
  /** A query begins, behind the commits up to a versionstamp; returns false when it is no longer wanted. */
  begun(query: LiveStatement, stamp: Versionstamp): boolean;
  /** A watched record was changed. Called in the order of commits. */
  changed(query: LiveQuery, change: WrittenRecord, arrival: ChangeArrival): void;
  /**
   * A query has ended; a KILL has no reason. Where its table was removed, the changes that wait are evaluated by the
   * last definitions.
   */
  ended(query: LiveStatement, reason?: TesseraError, last?: LastDefinitions): void;
  /** There is a later result: `ResultSubscription.deliver` sends it. */
  resultChanged(result: ResultSubscription): void;
  /** Whose rights results in a database are made with; `undefined` if the session has expired. */
  identityAt(databasePath: DatabasePath): PromiseOrValue<Identity | undefined>;
}

/**
 * Allocates the numbers of sequences outside of every transaction, so that requests don't wait for each other and no
 * number is allocated twice.
 */
export interface SequenceNumbers {
  /**
   * The interrupt is asked meanwhile, within the sequence's TIMEOUT.
   * @throws TesseraError `sequence_exhausted`, `timed_out`, `cancelled`
   */
  next(database: Id, sequence: SequenceDefinition, interrupt: Interrupt): PromiseOrValue<bigint>;
}

/** The PERMISSIONS of sequences. */
export interface SequenceRights {
  /** @throws TesseraError `sequence_forbidden` */
  assertMayDraw(execution: Execution, sequence: SequenceDefinition): PromiseOrValue<void>;
}

/** Answers requests to the endpoints of DEFINE API. */
export interface ApiEndpoints {
  /**
   * `{body, headers, request_id, status}`. What an endpoint can't do is an answer, too.
   * @throws TesseraError `api_path`, `api_request`
   */
  invoke(execution: Execution, path: string, request: Value): PromiseOrValue<Value>;
}
