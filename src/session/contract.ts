/** The interface of the session room. Every request enters through a session: HTTP, RPC, GraphQL and embedded calls. */
import type { IssuedTokens } from '../auth/context.js';
import type { StartTarget } from '../auth/credentials.js';
import type { App } from '../auth/directory.js';
import type { PageEntry } from '../auth/kinds/access-signin.js';
import type { WayIn } from '../auth/page/ways-in.js';
import type { PublicJwk } from '../auth/tokens/signing-keys.js';
import type { NamedPlace, Onward } from '../auth/ways/addresses.js';
import type { StartedRequest } from '../auth/ways/way.js';
import type { PromiseOrValue } from '../base/promise-or-value.js';
import type { DatabaseCatalog } from '../catalog/definitions/database-catalog.js';
import type { DatabasePath, Identity, Principal } from '../catalog/principal.js';
import type { ExportSelection } from '../ddl/export/selection.js';
import type { PutBounds } from '../functions/calls/files.js';
import type { FileLink, FileUpload, OpenFile, ResumableUpload, UploadStart } from '../runtime/file-access.js';
import type { Deadline } from '../runtime/interrupt.js';
import type { Notification } from '../runtime/notification.js';
import type { RequestTrace } from '../tracing/request-trace.js';
import type { Duration, FileReference, ObjectValue, Uuid, Value } from '../value/value.js';
import type { ClientConnection } from './resources/client-connection.js';
import type { LiveQuota } from './resources/live-quota.js';
import type { ServerMemory } from './resources/server-memory.js';
import type { SessionMemory } from './resources/session-memory.js';
import type { Variable } from './resources/session-variables.js';
import type { HeldTransaction, StatementExecutor, StatementResult } from './statement-executor.js';

export type {
  App,
  Deadline,
  ExportSelection,
  FileLink,
  FileUpload,
  HeldTransaction,
  IssuedTokens,
  Notification,
  Onward,
  OpenFile,
  PageEntry,
  ResumableUpload,
  StartedRequest,
  StartTarget,
  StatementExecutor,
  StatementResult,
  UploadStart,
  WayIn,
};

/** The origin of a request. */
export interface Origin {
  /** The peer's address; NONE in process. */
  readonly ip?: string;
  /** The `Origin` header. */
  readonly origin?: string;
  /** The `svc-id` header. */
  readonly id?: string;
}

/** Principal, origin and connection of a session to open. */
export interface SessionOpening {
  readonly origin: Origin;
  readonly principal: Principal;
  readonly connection: ClientConnection;
}

/**
 * Takes notifications one at a time: the next is sent when the returned promise has settled. Must not fail while the
 * client is connected.
 */
export type NotificationSink = (notification: Notification) => PromiseOrValue<void>;

/** The definitions of a database, and the snapshot that they were read from. */
export interface CatalogSnapshot {
  /** `undefined` if the database doesn't exist. */
  readonly catalog: DatabaseCatalog | undefined;
  /** Runs statements that only read, in the snapshot and as `Session.execute` does. They don't outlive it. */
  readonly execute: StatementExecutor['execute'];
  /**
   * Keeps the snapshot for statements: from now on it counts like a snapshot of `begin`, and the request ends it.
   * @throws TesseraError `too_many_transactions`, `session_expired`
   */
  hold(): PromiseOrValue<HeldTransaction>;
  /** Releases the snapshot, unless it is held. Must be called. */
  release(): void;
}

/** The database in one evaluation of a result that is kept right. */
export type ResultSnapshot = Pick<CatalogSnapshot, 'catalog' | 'execute'>;

export interface FollowOptions {
  /** Milliseconds, at least 100, after which it is evaluated, whatever has changed. */
  readonly every?: number | undefined;
  /** Bytes that `evaluate` keeps. */
  readonly weight: number;
}

export interface RequestActivity {
  /** Background activity, such as reads for a subscription: it doesn't reset the session's idle timeout. */
  readonly background?: boolean;
}

export interface HeldTransactionOptions extends RequestActivity {
  readonly writable?: boolean;
}

/**
 * The state of one connection (WebSocket, embedded) or one request (HTTP): principal, selection and variables. Methods
 * throw TesseraError. Once the session has expired, every method fails with `session_expired` except `signIn`,
 * `signUp`, `authenticate`, `invalidate`, `reset` and `use`; the first three renew it.
 */
export interface Session extends StatementExecutor {
  /**
   * The same executor, answering before durability: results include accepted commits which a power failure could still
   * lose. Await `durable`, read after the last call, before replying to a client.
   */
  readonly pipelined: StatementExecutor;
  /**
   * Resolves when everything the session has written and read so far is durable.
   * @throws TesseraError `storage_unavailable` if it cannot become durable
   */
  readonly durable: PromiseOrValue<void>;
  /** Internal key for the registry; not the client's `svc-id`. */
  readonly key: string;
  /** In a view: the viewed principal. */
  readonly identity: Identity;
  /**
   * Identifies the signed-in account, as an opaque text; a user or record that is redefined under the same name gets
   * another one. `undefined` for guests and for the process itself.
   */
  readonly account: string | undefined;
  /** Shared with the other sessions of the connection. */
  readonly connection: ClientConnection;
  /**
   * The trace of the requests that begin from now on, for logs and spans. A session has one request at a time, except
   * for background work, which isn't traced.
   */
  trace?: RequestTrace | undefined;
  /** The session's memory budget. */
  readonly memory: SessionMemory;
  /**
   * Begins a transaction, by default a writable one. It is cancelled when the session ends or its principal changes. It
   * counts towards the limits of the principal who begins it, whichever sessions of the connection use it.
   *
   *     const snapshot = await session.begin({ writable: false });
   *     const people = await snapshot.query('SELECT * FROM person');
   *     const pets = await snapshot.query('SELECT * FROM pet'); // the same state
   *     snapshot.cancel();
   *
   * A read-only transaction never conflicts and cannot be found by `transaction`: the request that begins it ends it.
   * Number, lifetime and size are bounded (`TransactionBounds`): an idle or expired transaction is cancelled, and fails
   * with `transaction_idle` or `transaction_expired`.
   * @throws TesseraError `too_many_transactions`
   */
  begin(options?: HeldTransactionOptions): PromiseOrValue<HeldTransaction>;
  /**
   * The deadline of a request that begins now: after `timeout`, or earlier if the server's settings say so. For
   * requests that make several calls of `execute`.
   */
  deadline(timeout?: Duration): Deadline | undefined;
  /**
   * An open transaction that was begun in any session of the connection; statements in it have the rights of this
   * session. It is cancelled when a session that has taken part in it loses its rights.
   * @throws TesseraError `transaction_missing`, `transaction_idle`, `transaction_expired`
   */
  transaction(id: string): HeldTransaction;
  /** A string selects, `null` clears, `undefined` keeps the current value. Returns the resulting selection. */
  use(namespace: string | null | undefined, database: string | null | undefined): PromiseOrValue<DatabaseSelection>;
  /**
   * Signs in. The body is as the client sent it: credentials and variables at the top level.
   * With a deadline, what hasn't succeeded by then fails and has no effect on the session.
   * @throws TesseraError as `readSignIn` and `Authenticator.signIn`
   */
  signIn(body: ObjectValue, deadline?: Deadline): Promise<IssuedTokens>;
  signUp(body: ObjectValue, deadline?: Deadline): Promise<IssuedTokens>;
  /**
   * Begins a request to sign in at an access method with a way (WITH MAIL), or with `link` or `step` one of the record
   * that is signed in. `signIn` redeems it.
   * @throws TesseraError as `Authenticator.start`
   */
  startSignIn(target: StartTarget): Promise<StartedRequest>;
  /**
   * Signs in at the page of the server, for the app that leads there: answers its address with a code. The session
   * stays who it is.
   * @throws TesseraError as `Authenticator.signInAtPage`
   */
  signInAtPage(entry: PageEntry): Promise<string>;
  /** Signs in with an access token. */
  authenticate(token: string): PromiseOrValue<void>;
  /** Signs in with a refresh token, which is consumed, and the access token issued with it (expired or not). */
  refresh(pair: Required<IssuedTokens>, deadline?: Deadline): Promise<IssuedTokens>;
  /** Revokes a refresh token; the access token issued with it names its owner. */
  revoke(pair: Required<IssuedTokens>): Promise<void>;
  /** Signs in with user name and password at the level that `level` names, without issuing a token (HTTP Basic). */
  authenticateBasic(user: string, password: string, level: { namespace?: string; database?: string }): Promise<void>;
  /**
   * Shows what another user would see, until it is called without a target: a view, for owners of the target's level
   * (`readViewTarget`). It changes nothing, here or elsewhere, and gets no token. Transactions and live queries of the
   * session end when it begins and when it ends. It ends with the session, also by `invalidate` and `reset`, which sign
   * the owner out.
   * @throws TesseraError `not_allowed`, `view_target_missing`, `view_read_only` in a view, `invalid_params`
   */
  viewAs(target: ObjectValue | undefined): Promise<void>;
  /** Revokes the access token of the session everywhere, and signs out. */
  signOut(): Promise<void>;
  /** Signs out; selection and variables stay. */
  invalidate(): void;
  /** Restores the state in which the session was opened. */
  reset(): void;
  /**
   * Enables live queries, which fail otherwise: `sink` takes their notifications. A notification follows the answer to
   * the request that began its live query, in commit order, and shows what the current principal may see. Live queries
   * end, each with a KILLED notification, when the principal changes, the session expires, their table is removed, or
   * the sink falls too far behind. Sessions may share a quota. Call once.
   */
  listen(sink: NotificationSink, quota?: LiveQuota): void;
  /**
   * Keeps right what `evaluate` makes of the selected database, as LIVE QUERY does: the present result is sent as a
   * notification of the id, and each later one as soon as a commit has changed it. What `evaluate` throws ends it.
   * @throws TesseraError `realtime_unavailable`, `view_read_only`, `live_result_period`, `too_many_live_queries`, …
   */
  followResult(evaluate: (snapshot: ResultSnapshot) => Promise<Value>, options: FollowOptions): Promise<Uuid>;
  /** Ends one of its own live queries, as KILL does; whether it is one. */
  endLive(id: string): boolean;
  /** The session's variables, by name without the `$`. */
  readonly variables: ReadonlyMap<string, Variable>;
  /**
   * `weight` is the size of name and value in bytes (`weightOf`), if known; otherwise large values are weighed
   * cooperatively.
   * @throws TesseraError `protected_variable`, `too_many_variables`, `session_memory_exceeded`
   */
  setVariable(name: string, value: Value, weight?: number): PromiseOrValue<void>;
  unsetVariable(name: string): void;
  /** Whether the session may run statements and read definitions. Guests usually may not, though they may sign in. */
  readonly isAdmitted: boolean;
  /**
   * A file of the selected database, if the user may get it, or by a link (`file::url`); `undefined` if there is none.
   * @throws TesseraError `file_denied`, `bucket_missing`, `file_key`, `file_link`
   */
  openFile(file: FileReference, link?: FileLink): Promise<OpenFile | undefined>;
  /**
   * A file whose bytes come, if the user may put it: `store` takes them, and `file::put` what that returns.
   *
   *     const upload = await session.uploadFile(file, 'image/png');
   *     const name = await upload.store(request);
   *     await session.query('file::put($file, NONE, { upload: $name })', { file, name });
   *
   * @param bounds what a link allows, if it comes by one
   * @throws TesseraError as `openFile`; `bucket_read_only`, `file_type`
   */
  uploadFile(file: FileReference, type?: string, bounds?: PutBounds): Promise<FileUpload>;
  /**
   * Makes the session that of who has made a link to put a file (`file::url`), as if they had signed in. Call it again
   * when the bytes have come, since the link may be over by then.
   * @throws TesseraError `file_link`
   */
  enterByLink(file: FileReference, link: FileLink): Promise<void>;
  /**
   * A file whose bytes come in several requests, if the user may put it.
   * @throws TesseraError as `uploadFile`; `file_too_large`, `file_changed`
   */
  beginUpload(file: FileReference, given: UploadStart): Promise<ResumableUpload>;
  /** An upload that the same user has begun. @throws TesseraError `bucket_missing`, `file_upload_over` */
  resumeUpload(bucket: string, id: string): Promise<ResumableUpload>;
  /**
   * Exports the selected database as text, in chunks: definitions, then records, from one snapshot. Requires full read
   * access. Fails when the session ends. `import` reads the text.
   *
   *     for await (const chunk of session.export({ tables: ['person'] })) file.write(chunk);
   *
   * @throws TesseraError `transfer_timed_out`, `not_allowed`
   */
  export(selection?: ExportSelection, timeout?: TransferTimeout): AsyncGenerator<string>;
  /**
   * Runs a text that may arrive in chunks, each statement once it is complete. The first failure ends it; earlier
   * statements stay.
   * @throws TesseraError `import_failed`, `transfer_timed_out`, `parse_error`, `not_allowed`
   */
  import(pieces: AsyncIterable<string>, timeout?: TransferTimeout): Promise<void>;
  /**
   * Reads the definitions of the selected database, as this session may use them to build a schema, in a snapshot that
   * the statements of the request can also use.
   */
  catalogSnapshot(options?: RequestActivity): Promise<CatalogSnapshot>;
  /**
   * Checks that the session is still valid, for callers which opened it earlier and don't get notified of changes.
   * @throws TesseraError `session_expired`
   */
  revalidate(): Promise<void>;
  /** Ends the session and cancels its transactions, requests and live queries. */
  close(): void;
}

/** The time limit of a whole import or export, and the setting that it comes from. */
export interface TransferTimeout {
  readonly duration: Duration;
  readonly setting: string;
}

export interface DatabaseSelection {
  readonly namespace: string | undefined;
  readonly database: string | undefined;
}

/** A running database: a storage engine and its services. */
export interface Database {
  /** The memory budgets of all connections. */
  readonly memory: ServerMemory;
  /** Opens a guest session, by default on a connection of its own. */
  session(origin: Origin, connection?: ClientConnection): Session;
  /** Opens a session of the process itself with owner rights, for embedding programs and server setup. */
  ownerSession(connection?: ClientConnection): Session;
  /** What follows a mailed link. @throws TesseraError `invalid_auth` */
  confirmLink(databasePath: DatabasePath, access: string, link: string): Promise<Onward>;
  /**
   * What follows for people who come back from an identity provider.
   * @throws TesseraError `invalid_auth`
   */
  returnFromProvider(databasePath: DatabasePath, access: string, parameters: URLSearchParams): Promise<Onward>;
  /**
   * The access methods by which system users sign in at a provider: of the root, and of the namespace and the database
   * that the path names, whether or not these exist.
   */
  providerAccesses(databasePath: DatabasePath): Promise<readonly NamedPlace[]>;
  /** What pages say of the app of a database, whether or not that exists. */
  app(databasePath: DatabasePath): PromiseOrValue<App>;
  /** What the page to sign in shows, whether or not the database exists. */
  waysIn(databasePath: DatabasePath): Promise<readonly WayIn[]>;
  /** The public keys (JWKS) that verify the tokens of an access method; empty if it has none. */
  publishedKeys(databasePath: DatabasePath, access: string): PromiseOrValue<readonly PublicJwk[]>;
  /**
   * Checks that the storage can be read.
   * @throws TesseraError `storage_unavailable`
   */
  check(): Promise<void>;
  /**
   * Checks that requests are served: that the storage can be read and, if other nodes use it too, that this node
   * has followed their commits.
   * @throws TesseraError `storage_unavailable`; `shutting_down` while it is drained
   */
  checkReady(): Promise<void>;
  close(): Promise<void>;
}
