/** The RPC state of one client: its own session, attached sessions, and the processing of its requests. */
import { andThen, otherwise, type PromiseOrValue } from '../base/promise-or-value.js';
import { asTesseraError, failure, type TesseraError } from '../errors/error.js';
import type { Database, Origin, Session, StatementExecutor } from '../session/contract.js';
import { LiveQuota } from '../session/resources/live-quota.js';
import type { MeteredRequest, RequestMeter } from '../tracing/request-meter.js';
import type { RequestTrace } from '../tracing/request-trace.js';
import type { BodyFormat } from '../value/codecs/formats.js';
import { isObject, type ObjectValue, type Value } from '../value/value.js';
import { type Capabilities, checkMethod, checkQuerying } from './capabilities.js';
import { type ConnectionServices, checkCount, type GraphqlMethod, isQuerying, type Method } from './method.js';
import { METHODS, rpcMethod } from './methods/table.js';
import { type Deliver, Pipeline } from './pipeline.js';
import { isNothing, isOfFirstGeneration, type RpcRequest, readRpcRequest, repeatedOf, uuidText } from './request.js';
import { errorMessage, notificationMessage, resultMessage } from './response.js';
import type { CredentialSessions } from './stored-sessions.js';

/** The name under which requests with an unknown method are counted. */
const UNKNOWN_METHOD = 'unknown';

/** Takes messages that don't answer a request; the next is sent when the promise resolves. */
export type MessageSink = (message: ObjectValue) => PromiseOrValue<void>;

/** Where a connection opens its sessions. */
export type SessionOpener = Pick<Database, 'session' | 'check'>;

/** What happens to a stored session when its client signs in or out within it, by the credential of the request. */
export interface SessionChange {
  /** It got an access token. */
  signedIn(id: string, token: string): void;
  signedOut(id: string): void;
}

/** Closes a connection whose client has fallen behind. */
export type CloseConnection = (reason: TesseraError) => void;

export interface RpcOptions {
  readonly defaults?: { readonly namespace: string; readonly database: string } | undefined;
  readonly graphql?: GraphqlMethod | undefined;
  /** Maximum number of attached sessions. Default 64. */
  readonly attachedSessions?: number;
  /** Maximum number of live queries of all its sessions. Default 1,000. */
  readonly liveQueries?: number;
  /** Default: everything is allowed. */
  readonly capabilities?: Capabilities;
  /** Counts the requests of a connection. */
  readonly meter?: RequestMeter;
  /** Called with internal errors, for the log. */
  readonly onInternalError?: ((error: TesseraError, trace?: RequestTrace) => void) | undefined;
}

/**
 * The requests of one WebSocket, or the single request of `POST /rpc`. Attached sessions belong to their connection: no
 * other one can name, list or use them. Within a session, each request sees the effects of earlier ones; sessions are
 * independent of each other.
 */
export class RpcConnection implements ConnectionServices {
  readonly defaults: RpcOptions['defaults'];
  readonly graphql: GraphqlMethod | undefined;
  readonly #database: SessionOpener;
  readonly #origin: Origin;
  readonly #options: RpcOptions;
  readonly #own: Pipeline;
  readonly #attached = new Map<string, Pipeline>();
  readonly #allowance: LiveQuota;
  /** Stores attached sessions beyond the connection, which ends with its request. */
  #stored: CredentialSessions | undefined;
  #change: SessionChange | undefined;
  #subscriber: { readonly send: MessageSink; readonly cut: CloseConnection | undefined } | undefined;
  #ending = false;
  #isOfFirstGeneration = false;

  /** `session`: the connection's own session, if it is open already. */
  constructor(
    database: SessionOpener,
    origin: Origin,
    options: RpcOptions = {},
    session: Session = database.session(origin),
  ) {
    session.memory.holdResults();
    this.#own = new Pipeline(session);
    this.defaults = options.defaults;
    this.graphql = options.graphql;
    this.#database = database;
    this.#origin = origin;
    this.#options = options;
    this.#allowance = new LiveQuota(options.liveQueries === undefined ? {} : { queries: options.liveQueries });
  }

  /** From now on, attached sessions are stored settings, which the connection adopts for a request. */
  keepSessionsIn(stored: CredentialSessions, change: SessionChange): void {
    this.#stored = stored;
    this.#change = change;
  }

  get session(): Session {
    return this.#own.session;
  }

  /**
   * Enables live queries, on connections that can push messages: `send` takes them one at a time. A client that falls
   * behind too far is disconnected if possible: most clients ignore KILLED, but none can miss a disconnect.
   */
  notify(send: MessageSink, cut?: CloseConnection): void {
    this.#subscriber = { send, cut };
    this.#listen(this.#own, undefined);
  }

  get notifies(): boolean {
    return this.#subscriber !== undefined;
  }

  #listen(pipeline: Pipeline, id: string | undefined): void {
    if (this.#subscriber === undefined) return;
    const { send, cut } = this.#subscriber;
    pipeline.session.listen((notification) => {
      if (cut !== undefined && notification.reason?.code === 'live_queries_behind') return cut(notification.reason);
      // The response to the request that began the live query goes first.
      return andThen(pipeline.answered, () => send(notificationMessage(notification, id, this.#isOfFirstGeneration)));
    }, this.#allowance);
  }

  /**
   * Processes a request after the earlier ones of its session (`Pipeline`). When the connection ends, queued requests
   * aren't begun. Never fails unless `deliver` does.
   */
  take(message: Value, format: BodyFormat, deliver: Deliver): PromiseOrValue<void> {
    let metered: MeteredRequest | undefined;
    let failed: TesseraError | undefined;
    const refuse = (thrown: unknown) => {
      failed = this.report(thrown, metered?.trace);
      return errorMessage(repeatedOf(message), failed);
    };
    const request = () => {
      if (this.#ending) return undefined;
      metered = this.#options.meter?.begin(rpcMethod(message)?.name ?? UNKNOWN_METHOD);
      return this.#answer(message, format, metered?.trace, refuse);
    };
    const ended = () => metered?.end(failed);
    const pipeline = this.#pipelineOf(message);
    if (pipeline !== undefined) return pipeline.take(request, deliver, refuse, ended);
    return andThen(request(), (answer) => {
      ended();
      return answer && deliver(answer);
    });
  }

  /** The pipeline of the request's session; `undefined` if it can be answered at once. */
  #pipelineOf(message: Value): Pipeline | undefined {
    if (!isObject(message) || rpcMethod(message)?.outOfTurn) return undefined;
    if (isNothing(message.session) || this.#stored !== undefined) return this.#own;
    const id = uuidText(message.session);
    return id === undefined ? undefined : this.#attached.get(id);
  }

  /** Waits for the requests in progress; begins no other. */
  async settle(): Promise<void> {
    this.#ending = true;
    await this.#own.settled();
    for (const attached of this.#attached.values()) await attached.settled();
  }

  /** Processes a request and answers once its effects are durable. Never fails: errors are answers, too. */
  async handle(message: Value, format: BodyFormat): Promise<ObjectValue> {
    let given: ObjectValue | undefined;
    await this.take(message, format, (answer) => {
      given = answer;
    });
    return given ?? errorMessage(repeatedOf(message), failure('cancelled'));
  }

  #answer(
    message: Value,
    format: BodyFormat,
    trace: RequestTrace | undefined,
    refuse: (thrown: unknown) => ObjectValue,
  ): PromiseOrValue<ObjectValue> {
    return otherwise(
      () => andThen(this.#call(message, format, trace), (result) => resultMessage(repeatedOf(message), result)),
      refuse,
    );
  }

  #call(message: Value, format: BodyFormat, trace: RequestTrace | undefined): PromiseOrValue<Value> {
    const request = readRpcRequest(message);
    const method = METHODS.get(request.method);
    if (method === undefined) throw failure('method_not_found', { name: request.method.slice(0, 64) });
    if (!method.sessionless) this.#isOfFirstGeneration = format.hasRecordIds && isOfFirstGeneration(message);
    const { session: id } = request;
    if (this.#stored === undefined || id === undefined) {
      const { session } = method.sessionless ? this.#own : this.#named(id);
      if (trace !== undefined) session.trace = trace;
      return this.#run(method, request, session, format);
    }
    const run = () => this.#run(method, request, this.session, format);
    if (method.sessionless) return run();
    if (!method.signsIn) return this.#stored.find(id).within(this.session, run);
    // A sign-in replaces the principal that owns the stored session.
    return andThen(run(), (result) => {
      const token = isObject(result) ? result['access'] : result;
      if (typeof token === 'string') this.#change?.signedIn(id, token);
      if (method.signsOut) this.#change?.signedOut(id);
      return result;
    });
  }

  #run(method: Method, request: RpcRequest, session: Session, format: BodyFormat): PromiseOrValue<Value> {
    const { capabilities } = this.#options;
    if (capabilities !== undefined) {
      checkMethod(capabilities, method.name);
      if (isQuerying(method, request.params)) checkQuerying(capabilities, session.identity.principal);
    }
    checkCount(method, request.params);
    const run = (executor: StatementExecutor) =>
      method.run({ session, executor, sessionId: request.session, format, connection: this }, request.params);
    if (request.transaction !== undefined) return run(session.transaction(request.transaction));
    if (method.pipelined) return run(session.pipelined);
    return method.sessionless ? run(session) : andThen(session.durable, () => run(session));
  }

  /** Converts any thrown value; internal errors are reported to the log. */
  report(thrown: unknown, trace?: RequestTrace): TesseraError {
    const error = asTesseraError(thrown);
    if (error.code === 'internal') this.#options.onInternalError?.(error, trace);
    return error;
  }

  /** Whether any of its sessions is signed in. */
  isSignedIn(): boolean {
    if (this.session.identity.principal.kind !== 'guest') return true;
    for (const { session } of this.#attached.values()) if (session.identity.principal.kind !== 'guest') return true;
    return false;
  }

  check(): Promise<void> {
    return this.#database.check();
  }

  endLive(id: string, besides: Session): boolean {
    const pipelines = [this.#own, ...this.#attached.values()];
    return pipelines.some(({ session }) => session !== besides && session.endLive(id));
  }

  attach(id: string): void {
    if (this.#stored === undefined) this.#attach(id);
    else this.#stored.attach(id);
  }

  #attach(id: string): void {
    if (this.#attached.has(id)) throw failure('session_exists', { id });
    const limit = this.#options.attachedSessions ?? 64;
    if (this.#attached.size >= limit) throw failure('too_many_sessions', { limit });
    const session = this.#database.session(this.#origin, this.session.connection);
    session.memory.holdResults();
    const pipeline = new Pipeline(session);
    this.#listen(pipeline, id);
    this.#attached.set(id, pipeline);
  }

  detach(id: string): void {
    this.#stored?.detach(id);
    this.#attached.get(id)?.session.close();
    this.#attached.delete(id);
  }

  attached(): string[] {
    return this.#stored?.ids() ?? [...this.#attached.keys()];
  }

  close(): void {
    this.#ending = true;
    this.session.close();
    for (const { session } of this.#attached.values()) session.close();
    this.#attached.clear();
  }

  #named(id: string | undefined): Pipeline {
    if (id === undefined) return this.#own;
    const attached = this.#attached.get(id);
    if (attached === undefined) throw failure('session_missing', { id });
    return attached;
  }
}
