/**
 * The door through which every request enters: HTTP, RPC, GraphQL and embedded calls all meet here, and everything below is reached
 * through a session.
 */
import type { IssuedTokens } from '../auth/context.js';
import type { PublicJwk } from '../auth/signing-keys.js';
import type { PromiseOrValue } from '../base/promise-or-value.js';
import type { DatabaseCatalog } from '../catalog/definitions/database-catalog.js';
import type { DatabasePath, Principal } from '../catalog/principal.js';
import type { Identity, Notification } from '../exec/execution.js';
import type { ExportSelection } from '../exec/export/selection.js';
import type { Deadline } from '../exec/interrupt.js';
import type { Duration, ObjectValue, Value } from '../value/value.js';
import type { ServerMemory } from './database/server-memory.js';
import type { LiveQuota } from './live/live-quota.js';
import type { Connection } from './session/connection.js';
import type { SessionMemory } from './session/memory.js';
import type { Variable } from './session/variables.js';
import type { HeldTransaction, StatementExecutor, StatementResult } from './statement-executor.js';

export type {
  Deadline,
  ExportSelection,
  HeldTransaction,
  IssuedTokens,
  Notification,
  StatementExecutor,
  StatementResult,
};

/** Where a request comes from. */
export interface Origin {
  /** The peer's address; NONE in process. */
  readonly ip?: string;
  /** The `Origin` header. */
  readonly origin?: string;
  /** The `svc-id` header. */
  readonly id?: string;
}

/** Who opens a session, and on which connection. */
export interface SessionOpening {
  readonly origin: Origin;
  readonly principal: Principal;
  readonly connection: Connection;
}

/** Takes notifications one by one; the next one waits until it is done with the last. It must not fail as long as anybody is there. */
export type NotificationSink = (notification: Notification) => PromiseOrValue<void>;

export interface RequestActivity {
  /** Nobody has asked for it just now, so that it keeps no session from being idle: what is read for a subscription, say. */
  readonly background?: boolean;
}

export interface BeginOptions extends RequestActivity {
  readonly writable?: boolean;
}

/**
 * One connection's (WebSocket, embedded) or one request's (HTTP) state: who is signed in, what is selected, which variables are set.
 * Its methods throw TesseraError. After the session's lifetime everything fails with `session_expired` but `signIn`, `signUp`,
 * `authenticate`, `invalidate`, `reset` and `use`; the first three make it fresh.
 */
export interface Session extends StatementExecutor {
  /**
   * The same door, which answers as soon as what was done is seen by what the session does next. A power failure may still take it away:
   * whoever takes an answer waits for `durable`, as it is then, before telling anybody.
   */
  readonly pipelined: StatementExecutor;
  /** Waits until all that the session has done and seen so far is durable. Fails with `storage_unavailable` if it never will be. */
  readonly durable: PromiseOrValue<void>;
  /** Ours, for the registry; not the client's `svc-id`. */
  readonly key: string;
  readonly identity: Identity;
  /**
   * Names who is signed in, as an opaque text; another one for whoever is defined or made anew under the same name. `undefined` for guests, and
   * for the process itself.
   */
  readonly account: string | undefined;
  /** What it shares with the other sessions of its connection. */
  readonly connection: Connection;
  /** What it holds. */
  readonly memory: SessionMemory;
  /**
   * Begins a transaction, one that may write unless told otherwise. It is cancelled when the session ends or somebody else signs in.
   * It counts for whoever is signed in here, whichever sessions of the connection use it.
   *
   *     const snapshot = await session.begin({ writable: false });
   *     const people = await snapshot.query('SELECT * FROM person');
   *     const pets = await snapshot.query('SELECT * FROM pet'); // as they were then
   *     snapshot.cancel();
   *
   * A read-only one never conflicts, and isn't among those that `transaction` finds: whoever begins it for a request ends it with the request.
   * How many there may be, how long they may last and what they may write is bounded (`TransactionBounds`): one that nobody uses, or that is
   * too old, is cancelled, and says so with `transaction_idle` or `transaction_expired`.
   * @throws TesseraError `too_many_transactions`
   */
  begin(options?: BeginOptions): PromiseOrValue<HeldTransaction>;
  /**
   * When a request that begins now must have ended: after `timeout`, or sooner where the server's settings say so. For requests that take
   * several calls of `execute`.
   */
  deadline(timeout?: Duration): Deadline | undefined;
  /**
   * A transaction that is still under way and was begun in any session of the connection; what is done in it is done with the rights of this
   * session. It is cancelled when the rights of any session end that has taken part in it.
   * @throws TesseraError `transaction_missing`, `transaction_idle`, `transaction_expired`
   */
  transaction(id: string): HeldTransaction;
  /** A text selects, `null` unsets, `undefined` keeps. Gives what is selected afterwards. */
  use(namespace: string | null | undefined, database: string | null | undefined): PromiseOrValue<DatabaseSelection>;
  /** The body as it came: credentials and variables at the top level (`spec/DECISIONS.md`). */
  signIn(body: ObjectValue): Promise<IssuedTokens>;
  signUp(body: ObjectValue): Promise<IssuedTokens>;
  /** Signs in with an access token. */
  authenticate(token: string): PromiseOrValue<void>;
  /** Signs in with a refresh token, which is used up, and the access token (expired or not) that came with it. */
  refresh(pair: Required<IssuedTokens>): Promise<IssuedTokens>;
  /** Makes a refresh token worthless; the access token that came with it says whose it is. */
  revoke(pair: Required<IssuedTokens>): Promise<void>;
  /** Signs in with user name and password at the level that `level` names, without issuing a token (HTTP Basic). */
  authenticateBasic(user: string, password: string, level: { namespace?: string; database?: string }): Promise<void>;
  /** Makes the access token worthless with which somebody has signed in, wherever else it is used, and forgets who that was. */
  signOut(): Promise<void>;
  /** Forgets who is signed in; the selection and the variables stay. */
  invalidate(): void;
  /** Forgets everything: it is as it was when it was opened. */
  reset(): void;
  /**
   * Makes live queries possible, which fail without: `sink` takes what they see. A notification comes after the answer to the request that
   * began its live query, in the order of commits, and each shows what whoever is signed in by then may see. Live queries end, with a
   * notification KILLED for each, when somebody else or nobody is signed in, when the session expires, when their table is removed, and
   * when the sink falls behind by too much. Sessions may share an quota. Called once.
   */
  listen(sink: NotificationSink, quota?: LiveQuota): void;
  /** Those that are set, without the `$`. */
  readonly variables: ReadonlyMap<string, Variable>;
  /** `weight` is that of the name and the value (`weightOf`), where the caller knows it; else what is large is weighed in steps. */
  setVariable(name: string, value: Value, weight?: number): PromiseOrValue<void>;
  unsetVariable(name: string): void;
  /** Whether it may run statements at all, and know definitions: guests mostly may not, though they may sign in. */
  readonly isAdmitted: boolean;
  /**
   * The selected database as text, piece by piece: definitions, then records, as they were when it began. It ends with an error when the
   * session ends. `import` reads it; who may see everything may export.
   *
   *     for await (const piece of session.export({ tables: ['person'] })) file.write(piece);
   *
   * @throws TesseraError `transfer_timed_out`, `not_allowed`
   */
  export(selection?: ExportSelection, timeout?: TransferTimeout): AsyncGenerator<string>;
  /**
   * Runs a text that may come in pieces, each statement as soon as it is complete. The first that fails ends it: those before it stay.
   * @throws TesseraError `import_failed`, `transfer_timed_out`, `parse_error`, `not_allowed`
   */
  import(pieces: AsyncIterable<string>, timeout?: TransferTimeout): Promise<void>;
  /** The definitions of the selected database, as this session may use them to build a schema; `undefined` if there is none. */
  catalog(options?: RequestActivity): Promise<DatabaseCatalog | undefined>;
  /**
   * Waits until it is sure that what the session rests on still stands: for whoever opened it some time ago, and isn't told of changes.
   * @throws TesseraError `session_expired`
   */
  revalidate(): Promise<void>;
  /** Ends the session: what it holds open is cancelled. */
  close(): void;
}

/** How long an import or export may take in all, whoever it waits for, and which setting says so. */
export interface TransferTimeout {
  readonly duration: Duration;
  readonly setting: string;
}

export interface DatabaseSelection {
  readonly namespace: string | undefined;
  readonly database: string | undefined;
}

/** A running database: an engine with everything around it. */
export interface Database {
  /** What everybody holds. */
  readonly memory: ServerMemory;
  /** Opens a session that nobody has signed in to, on a connection of its own unless told otherwise. */
  session(origin: Origin, connection?: Connection): Session;
  /** Opens a session of the process itself, which owns everything: for embedding programs, and for setting a server up. */
  ownerSession(connection?: Connection): Session;
  /** The public keys that verify the tokens of an access method, for whoever asks; none if there is nothing to tell. */
  publishedKeys(place: DatabasePath, access: string): PromiseOrValue<readonly PublicJwk[]>;
  /** Fails when the storage can't be read. */
  check(): Promise<void>;
  close(): Promise<void>;
}
