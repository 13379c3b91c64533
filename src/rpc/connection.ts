/** One client's conversation: its own session, the sessions it attached, and the answering of its requests. */
import { andThen, otherwise, type PromiseOrValue } from '../base/promise-or-value.js';
import { asTesseraError, failure, type TesseraError } from '../errors/error.js';
import type { Database, Origin, Session } from '../session/contract.js';
import { LiveAllowance } from '../session/live-allowance.js';
import type { ObjectValue, Value } from '../value/value.js';
import { type ConnectionServices, checkCount, type GraphqlMethod } from './method.js';
import { METHODS } from './methods/table.js';
import { isOfFirstGeneration, readRequest, requestId } from './request.js';
import { answer, errorAnswer, notificationMessage } from './response.js';

/** Takes messages that answer no request; the next one waits until it is done with the last. */
export type MessageSink = (message: ObjectValue) => PromiseOrValue<void>;

/** Where a connection gets its sessions. */
export type SessionOpener = Pick<Database, 'session' | 'check'>;

export interface RpcOptions {
  readonly defaults?: { readonly namespace: string; readonly database: string } | undefined;
  readonly graphql?: GraphqlMethod | undefined;
  /** How many sessions a connection may attach; 64 unless told. */
  readonly attachedSessions?: number;
  /** How many live queries its sessions may have together; 1,000 unless told. */
  readonly liveQueries?: number;
  /** Told of failures that are our own fault, for the log. */
  readonly onInternalError?: ((error: TesseraError) => void) | undefined;
}

/**
 * The requests of one WebSocket, or the one request of a `POST /rpc`. Attached sessions belong to the connection that attached them:
 * no other one can name, list or reach them.
 */
export class RpcConnection implements ConnectionServices {
  readonly session: Session;
  readonly defaults: RpcOptions['defaults'];
  readonly graphql: GraphqlMethod | undefined;
  readonly #database: SessionOpener;
  readonly #origin: Origin;
  readonly #options: RpcOptions;
  readonly #attached = new Map<string, Session>();
  readonly #allowance: LiveAllowance;
  #send: MessageSink | undefined;
  #isOfFirstGeneration = false;

  constructor(database: SessionOpener, origin: Origin, options: RpcOptions = {}) {
    this.session = database.session(origin);
    this.defaults = options.defaults;
    this.graphql = options.graphql;
    this.#database = database;
    this.#origin = origin;
    this.#options = options;
    this.#allowance = new LiveAllowance(options.liveQueries === undefined ? {} : { queries: options.liveQueries });
  }

  /** Makes live queries possible, for connections on which messages can go to the client unasked: `send` takes them one by one. */
  notify(send: MessageSink): void {
    this.#send = send;
    this.#listen(this.session, undefined);
  }

  get notifies(): boolean {
    return this.#send !== undefined;
  }

  #listen(session: Session, id: string | undefined): void {
    const send = this.#send;
    if (send === undefined) return;
    session.listen(
      (notification) => send(notificationMessage(notification, id, this.#isOfFirstGeneration)),
      this.#allowance,
    );
  }

  /** Answers a request. Never fails: errors are answers too. `json` tells that it came as JSON. */
  handle(message: Value, json: boolean): PromiseOrValue<ObjectValue> {
    const id = requestId(message);
    return otherwise(
      () => andThen(this.#call(message, json), (result) => answer(id, result)),
      (thrown) => errorAnswer(id, this.report(thrown)),
    );
  }

  #call(message: Value, json: boolean): PromiseOrValue<Value> {
    const request = readRequest(message);
    const method = METHODS.get(request.method);
    if (method === undefined) throw failure('method_not_found', { name: request.method.slice(0, 64) });
    if (!method.sessionless) this.#isOfFirstGeneration = !json && isOfFirstGeneration(message);
    const session = method.sessionless ? this.session : this.#named(request.session);
    checkCount(method, request.params);
    const door = request.transaction === undefined ? session : session.transaction(request.transaction);
    const call = { session, door, sessionId: request.session, json, connection: this };
    return method.run(call, request.params);
  }

  /** Any thrown thing as an error of ours; those that are our fault are told to the log. */
  report(thrown: unknown): TesseraError {
    const error = asTesseraError(thrown);
    if (error.code === 'internal') this.#options.onInternalError?.(error);
    return error;
  }

  /** Whether any of its sessions has somebody signed in. */
  isSignedIn(): boolean {
    if (this.session.identity.principal.kind !== 'guest') return true;
    for (const { identity } of this.#attached.values()) if (identity.principal.kind !== 'guest') return true;
    return false;
  }

  check(): Promise<void> {
    return this.#database.check();
  }

  attach(id: string): void {
    if (this.#attached.has(id)) throw failure('session_exists', { id });
    const limit = this.#options.attachedSessions ?? 64;
    if (this.#attached.size >= limit) throw failure('too_many_sessions', { limit });
    const session = this.#database.session(this.#origin);
    this.#listen(session, id);
    this.#attached.set(id, session);
  }

  detach(id: string): void {
    this.#attached.get(id)?.close();
    this.#attached.delete(id);
  }

  attached(): string[] {
    return [...this.#attached.keys()];
  }

  close(): void {
    this.session.close();
    for (const session of this.#attached.values()) session.close();
    this.#attached.clear();
  }

  #named(id: string | undefined): Session {
    if (id === undefined) return this.session;
    const session = this.#attached.get(id);
    if (session === undefined) throw failure('session_missing', { id });
    return session;
  }
}
