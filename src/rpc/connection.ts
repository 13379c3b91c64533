/** One client's conversation: its own session, the sessions it attached, and the answering of its requests. */
import { andThen, otherwise, type PromiseOrValue } from '../base/promise-or-value.js';
import { Turns } from '../base/turns.js';
import { asTesseraError, failure, type TesseraError } from '../errors/error.js';
import type { Database, Origin, Session } from '../session/contract.js';
import { LiveAllowance } from '../session/live-allowance.js';
import { isObject, type ObjectValue, type Value } from '../value/value.js';
import { type Capabilities, checkMethod, checkQuerying } from './capabilities.js';
import { type ConnectionServices, checkCount, type GraphqlMethod } from './method.js';
import { METHODS, rpcMethod } from './methods/table.js';
import { isNothing, isOfFirstGeneration, readRequest, requestId, uuidText } from './request.js';
import { answer, errorAnswer, notificationMessage } from './response.js';

/** Takes messages that answer no request; the next one waits until it is done with the last. */
export type MessageSink = (message: ObjectValue) => PromiseOrValue<void>;

/** Where a connection gets its sessions. */
export type SessionOpener = Pick<Database, 'session' | 'check'>;

/** Ends a connection whose client has fallen behind. */
export type Cut = (reason: TesseraError) => void;

export interface RpcOptions {
  readonly defaults?: { readonly namespace: string; readonly database: string } | undefined;
  readonly graphql?: GraphqlMethod | undefined;
  /** How many sessions a connection may attach; 64 unless told. */
  readonly attachedSessions?: number;
  /** How many live queries its sessions may have together; 1,000 unless told. */
  readonly liveQueries?: number;
  /** Everything is allowed unless told. */
  readonly capabilities?: Capabilities;
  /** Told of failures that are our own fault, for the log. */
  readonly onInternalError?: ((error: TesseraError) => void) | undefined;
}

interface AttachedSession {
  readonly session: Session;
  readonly turns: Turns;
}

/**
 * The requests of one WebSocket, or the one request of a `POST /rpc`. Attached sessions belong to the connection that attached them:
 * no other one can name, list or reach them. Clients rely on the requests of a session being run in the order in which they were sent;
 * sessions don't wait for each other.
 */
export class RpcConnection implements ConnectionServices {
  readonly session: Session;
  readonly defaults: RpcOptions['defaults'];
  readonly graphql: GraphqlMethod | undefined;
  readonly #database: SessionOpener;
  readonly #origin: Origin;
  readonly #options: RpcOptions;
  readonly #turns = new Turns();
  readonly #attached = new Map<string, AttachedSession>();
  readonly #allowance: LiveAllowance;
  #told: { readonly send: MessageSink; readonly cut: Cut | undefined } | undefined;
  #ending = false;
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

  /**
   * Makes live queries possible, for connections on which messages can go to the client unasked: `send` takes them one by one. A client
   * that falls behind by so much that it would miss some is cut off, where that is possible: most pass over KILLED, and none could miss that.
   */
  notify(send: MessageSink, cut?: Cut): void {
    this.#told = { send, cut };
    this.#listen(this.session, undefined);
  }

  get notifies(): boolean {
    return this.#told !== undefined;
  }

  #listen(session: Session, id: string | undefined): void {
    if (this.#told === undefined) return;
    const { send, cut } = this.#told;
    session.listen((notification) => {
      if (cut !== undefined && notification.reason?.code === 'live_queries_behind') return cut(notification.reason);
      return send(notificationMessage(notification, id, this.#isOfFirstGeneration));
    }, this.#allowance);
  }

  /**
   * Answers a request when those of its session that came before are done with, and `deliver` is part of being done. Once the connection
   * ends, what waits for its turn isn't begun. Never fails unless `deliver` does.
   */
  take(message: Value, json: boolean, deliver: (answer: ObjectValue) => PromiseOrValue<void>): PromiseOrValue<void> {
    const work = () => (this.#ending ? undefined : andThen(this.handle(message, json), deliver));
    const turns = this.#turnsOf(message);
    return turns === undefined ? work() : turns.take(work);
  }

  /** Whose turn it has to be for a request; nobody's if it can be answered at once. */
  #turnsOf(message: Value): Turns | undefined {
    if (!isObject(message) || rpcMethod(message)?.outOfTurn) return undefined;
    if (isNothing(message.session)) return this.#turns;
    const id = uuidText(message.session);
    return id === undefined ? undefined : this.#attached.get(id)?.turns;
  }

  /** Waits for the requests under way; no other is begun. */
  async settle(): Promise<void> {
    this.#ending = true;
    await this.#turns.done;
    for (const { turns } of this.#attached.values()) await turns.done;
  }

  /** Answers a request at once. Never fails: errors are answers too. `json` tells that it came as JSON. */
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
    const { capabilities } = this.#options;
    if (capabilities !== undefined) {
      checkMethod(capabilities, method.name);
      checkQuerying(capabilities, method.name, session.identity.principal);
    }
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
    for (const { session } of this.#attached.values()) if (session.identity.principal.kind !== 'guest') return true;
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
    this.#attached.set(id, { session, turns: new Turns() });
  }

  detach(id: string): void {
    this.#attached.get(id)?.session.close();
    this.#attached.delete(id);
  }

  attached(): string[] {
    return [...this.#attached.keys()];
  }

  close(): void {
    this.#ending = true;
    this.session.close();
    for (const { session } of this.#attached.values()) session.close();
    this.#attached.clear();
  }

  #named(id: string | undefined): Session {
    if (id === undefined) return this.session;
    const attached = this.#attached.get(id);
    if (attached === undefined) throw failure('session_missing', { id });
    return attached.session;
  }
}
