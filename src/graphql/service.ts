/** Answers GraphQL requests of sessions, whatever the transport. */
import { OperationTypeNode } from 'graphql';
import { invariant } from '../base/invariant.js';
import type { Work } from '../base/work/work.js';
import type { Environment, Random } from '../env/environment.js';
import { realEnvironment } from '../env/real.js';
import { TimeSlice } from '../env/time-slice.js';
import { failure, type TesseraError } from '../errors/error.js';
import type { CatalogSnapshot, RequestActivity, ResultSnapshot, Session } from '../session/contract.js';
import { DEFAULT_LIVE_LIMITS } from '../session/resources/live-quota.js';
import { Duration, type Value } from '../value/value.js';
import { weightOf } from '../value/weight.js';
import { type DatabaseApi, DatabaseApis } from './api.js';
import { type EffectiveLimits, EffectiveLimitsByRole, type RulesOfRoles } from './base/effective-limits.js';
import { fieldFailure, type GraphqlFailure, tesseraError } from './base/errors.js';
import { DEFAULT_GRAPHQL_LIMITS, type GraphqlLimits } from './base/limits.js';
import type { GraphqlRequest } from './base/request.js';
import type { PreparedOperation } from './document/prepare.js';
import { TrustedDocuments, type TrustedOptions } from './document/trusted.js';
import { coerceVariables } from './document/variables.js';
import { BudgetExceeded, Spending } from './execution/budget.js';
import { ExecutionContext } from './execution/execution-context.js';
import { InternedStatements } from './execution/interned-statements.js';
import { liveOf } from './execution/live-query.js';
import type { CompiledOperation, Operation } from './execution/operation.js';
import { type RootResult, runEvent, runInSnapshot, runMutation, runQuery } from './execution/run.js';
import { isTransaction, runTransaction } from './execution/transaction.js';
import { ResponseStream } from './live/response-stream.js';
import { SourceStreams } from './live/source-streams.js';

export interface GraphqlOptions {
  readonly limits?: Partial<GraphqlLimits>;
  /** The limits of roles. */
  readonly roles?: RulesOfRoles;
  /** Documents that are known by id. */
  readonly trusted?: TrustedOptions;
  /** Whether fields without PERMISSIONS are hidden from record users (`--field-permissions none`). */
  readonly fieldPermissions?: 'inherit' | 'none';
  /**
   * Whether tables and fields that PERMISSIONS never show to record users and guests are left out of the schema for
   * them.
   */
  readonly hideDenied?: boolean;
  /** Maximum number of subscriptions per session. Default 1,000. */
  readonly subscriptions?: number;
  /** Generates the ids of new records. Default: the machine's random source. */
  readonly random?: Random;
  /** Clock and timers for yielding. Default: the machine's. */
  readonly environment?: Environment;
  /** Maximum length of a response in characters. Default 2^26. */
  readonly maxAnswer?: number;
  /** Takes errors of our own making, for the log. */
  readonly report?: (error: TesseraError) => void;
  /** Receives the definitions that a schema can't represent, once for each schema. */
  readonly warn?: (warning: string) => void;
}

export interface OperationResult {
  /** In the order of the selection; absent if nothing was executed. */
  readonly roots?: readonly RootResult[];
  readonly failures: readonly GraphqlFailure[];
}

/** An operation that may run. */
interface Ready<D = CatalogSnapshot> {
  readonly operation: Operation;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly allowance: EffectiveLimits;
  /** The definitions that it was prepared with; absent for a guest who may only sign in. */
  readonly definitions: D | undefined;
}
type Refused = Pick<OperationResult, 'failures'>;

export class GraphqlService {
  readonly #subscriptions: number;
  readonly #maxAnswer: number | undefined;
  readonly #feeds = new WeakMap<Session, SourceStreams>();
  readonly #anywhere: EffectiveLimitsByRole;
  readonly #trusted: TrustedDocuments;
  readonly #random: Random;
  readonly #environment: Environment;
  readonly #report: GraphqlOptions['report'];
  readonly #apis: DatabaseApis;
  readonly #statements = new InternedStatements();

  constructor(options: GraphqlOptions = {}) {
    const { roles = {}, trusted, fieldPermissions, hideDenied = false, random, report, warn } = options;
    const limits = { ...DEFAULT_GRAPHQL_LIMITS, ...options.limits };
    this.#maxAnswer = options.maxAnswer;
    this.#subscriptions = options.subscriptions ?? DEFAULT_LIVE_LIMITS.queries;
    this.#environment = options.environment ?? realEnvironment;
    this.#random = random ?? this.#environment.random;
    this.#report = report;
    this.#trusted = new TrustedDocuments(trusted);
    this.#anywhere = new EffectiveLimitsByRole(limits, roles, {});
    this.#apis = new DatabaseApis({ limits, roles, guardedByDefault: fieldPermissions === 'none', hideDenied, warn });
  }

  /**
   * Runs a request with the rights of the session. Requests that come together share their `spending`, and their time.
   * @throws TesseraError when it can't be run at all: `graphql_not_configured`, `graphql_limit`, …
   */
  async answer(session: Session, request: GraphqlRequest, spending = this.spending(session)): Promise<OperationResult> {
    return this.#prepared(session, request, {}, (ready) => {
      if (isSubscription(ready) || liveOf(ready.operation.node, ready.variables) !== undefined) {
        throw failure('graphql_not_streamed');
      }
      return this.#answer(ready, session, spending);
    });
  }

  /**
   * Like `answer`, for transports with response streams: a subscription yields a response per change, in commit order
   * and with the session's current rights; any other operation yields its single response.
   *
   *     const responses = await service.subscribe(session, { query: 'subscription { person { action id record { name } } }' });
   *     if (!('failures' in responses)) for await (const { roots, failures } of responses) …
   *
   * It ends with an error if the session expires, its principal changes, the table is removed, or the reader falls too
   * far behind. It requires exclusive use of `session.listen`.
   */
  async subscribe(
    session: Session,
    request: GraphqlRequest,
  ): Promise<OperationResult | ResponseStream<OperationResult>> {
    return this.#prepared(session, request, {}, (ready) => {
      if (isSubscription(ready)) return this.#begin(ready, session, request);
      const live = liveOf(ready.operation.node, ready.variables);
      if (live !== undefined) return this.#follow(ready, session, request, live.every);
      return this.#answer(ready, session, this.spending(session));
    });
  }

  /** Begins a subscription. */
  async #begin(
    ready: Ready,
    session: Session,
    request: GraphqlRequest,
  ): Promise<OperationResult | ResponseStream<OperationResult>> {
    ready.definitions?.release();
    const root = subscriptionRoot(ready);
    try {
      const work = root.plan.begin(this.#call(ready, session));
      invariant(work.kind === 'live', 'a field of ResponseStream has a live query');
      const kept = keptOf(request);
      const { event } = work;
      const feed = this.#feed(session);
      return await ResponseStream.begin(
        session,
        feed,
        () => feed.execute(work),
        kept,
        (change) => this.#answerToChange(session, request, event(change)),
      );
    } catch (thrown) {
      return { failures: [this.#failure(tesseraError(thrown, 'graphql_result'), root.nodes, [root.key])] };
    }
  }

  /** A query that is @live: a response now, and one whenever it differs from the last. */
  async #follow(
    { definitions }: Ready,
    session: Session,
    request: GraphqlRequest,
    every: number | undefined,
  ): Promise<ResponseStream<OperationResult>> {
    definitions?.release();
    const feed = this.#feed(session);
    const kept = keptOf(request);
    let latest: OperationResult = { failures: [] };
    const evaluate = async (snapshot: ResultSnapshot): Promise<Value> => {
      const ready = await this.#ready(session, request, snapshot);
      latest = 'failures' in ready ? ready : await this.#read(ready, session, snapshot);
      return comparable(latest);
    };
    const start = () => session.followResult(evaluate, { every, weight: weightOf(...kept) });
    return ResponseStream.begin(session, feed, start, kept, async () => latest);
  }

  #read(ready: Ready<unknown>, session: Session, snapshot: ResultSnapshot): Promise<OperationResult> {
    const call = this.#call(ready, session);
    return this.#outcome(call, () => runQuery(ready.operation.compiled(ready.variables), call, snapshot));
  }

  /**
   * Prepared for each change, since definitions and rights may have changed.
   * @throws TesseraError why the subscription ends
   */
  async #answerToChange(session: Session, request: GraphqlRequest, event: Value): Promise<OperationResult> {
    const answer = await this.#prepared(session, request, { background: true }, (ready) => {
      const { definitions } = ready;
      invariant(definitions !== undefined, 'a guest without rights has no subscription');
      const call = this.#call(ready, session);
      return this.#outcome(call, async () => [await runEvent(subscriptionRoot(ready), event, call, definitions)]);
    });
    if (!('roots' in answer)) {
      const [first] = answer.failures;
      invariant(first !== undefined, 'a refusal has a reason');
      throw first.error;
    }
    return answer;
  }

  /** Runs `work` with the operation of a request, if it may run; otherwise returns the errors of the request. */
  async #prepared<T>(
    session: Session,
    request: GraphqlRequest,
    activity: RequestActivity,
    work: (ready: Ready) => Promise<T>,
  ): Promise<T | Refused> {
    const definitions = session.isAdmitted ? await session.catalogSnapshot(activity) : undefined;
    try {
      const ready = await this.#ready(session, request, definitions);
      return 'failures' in ready ? ready : await work(ready);
    } finally {
      definitions?.release();
    }
  }

  /** An operation that may run, with its variables; or the errors of the request. */
  async #ready<D extends ResultSnapshot>(
    session: Session,
    request: GraphqlRequest,
    definitions: D | undefined,
  ): Promise<Ready<D> | Refused> {
    const api = definitions === undefined ? this.#apis.signInOnly : this.#apis.of(session, definitions.catalog);
    const allowance = api.effectiveLimits.of(session.identity);
    const text = this.#trusted.textOf(request);
    const prepared = api.documents.prepare(text, request.operationName, allowance, request.only);
    // A session that may not run statements may sign in; everything else fails as statements would.
    if (api === this.#apis.signInOnly && !(prepared.ok && isOfMutation(prepared))) await this.#api(session);
    if (!prepared.ok) return { failures: prepared.failures };
    const variables = coerceVariables(api.schema, prepared.operation, request.variables, allowance);
    if (!variables.ok) return { failures: variables.failures };
    return { operation: api.operation(prepared), variables: variables.values, allowance, definitions };
  }

  async #api(session: Session): Promise<DatabaseApi> {
    const definitions = await session.catalogSnapshot();
    definitions.release();
    return this.#apis.of(session, definitions.catalog);
  }

  /** A separate run. */
  #call(
    { variables, allowance }: Ready<unknown>,
    session: Session,
    spending = this.spending(session),
  ): ExecutionContext {
    return new ExecutionContext(variables, allowance, spending, this.#statements, this.#random, this.work());
  }

  /** Yields while one response is written. */
  work(): Work {
    return new TimeSlice(this.#environment);
  }

  #answer(ready: Ready, session: Session, spending: Spending): Promise<OperationResult> {
    const { operation, variables, definitions } = ready;
    const compiled = operation.compiled(variables);
    const call = this.#call(ready, session, spending);
    if (definitions !== undefined && operation.node.operation === OperationTypeNode.QUERY) {
      return this.#outcome(call, () =>
        isLong(compiled)
          ? runInSnapshot(definitions, (snapshot) => runQuery(compiled, call, snapshot))
          : runQuery(compiled, call, definitions),
      );
    }
    definitions?.release();
    return this.#outcome(call, () => runnerOf(operation)(compiled, call, session));
  }

  async #outcome(call: ExecutionContext, run: () => Promise<RootResult[]>): Promise<OperationResult> {
    try {
      call.checkBudgets();
      const roots = await run();
      return { roots, failures: call.failures.map(({ error, nodes, path }) => this.#failure(error, nodes, path)) };
    } catch (thrown) {
      throw thrown instanceof BudgetExceeded ? thrown.error : thrown;
    }
  }

  #feed(session: Session): SourceStreams {
    let feed = this.#feeds.get(session);
    if (feed === undefined) {
      feed = new SourceStreams(session, this.#subscriptions);
      this.#feeds.set(session, feed);
    }
    return feed;
  }

  /** The limits of a session independent of the database. */
  allowance({ identity }: Session): EffectiveLimits {
    return this.#anywhere.of(identity);
  }

  /** The budgets of one request, or of several together. */
  spending(session: Session): Spending {
    const allowance = this.allowance(session);
    const deadline = session.deadline(new Duration(BigInt(allowance.limits.time) * 1_000_000n));
    return new Spending(allowance, deadline, this.#maxAnswer);
  }

  #failure(...[error, nodes, path]: Parameters<typeof fieldFailure>): GraphqlFailure {
    if (error.code === 'internal') this.#report?.(error);
    return fieldFailure(error, nodes, path);
  }

  /**
   * The schema as text, as the session may see it.
   * @throws TesseraError `graphql_introspection_disabled`, `graphql_document_untrusted`, `graphql_not_configured`, …
   */
  async sdl(session: Session): Promise<string> {
    const api = await this.#api(session);
    if (this.#trusted.isClosed) throw failure('graphql_document_untrusted');
    const { introspectionForbiddenBy: setting } = api.effectiveLimits.of(session.identity);
    if (setting !== undefined) throw failure('graphql_introspection_disabled', { setting });
    return api.sdl;
  }
}

/** What a subscription keeps of its request: what is derived of a document takes hundreds of times its memory. */
function keptOf({ query, documentId, persistedQuery, operationName, variables }: GraphqlRequest): readonly Value[] {
  return [query, documentId, persistedQuery, operationName, variables];
}

/** Equal for equal responses. */
function comparable({ roots = [], failures }: OperationResult): string {
  const data = roots.map(({ key, json }) => [key, json]);
  return JSON.stringify([data, failures.map(({ message, path }) => [message, path])]);
}

function isOfMutation({ operation }: PreparedOperation): boolean {
  return operation.operation === OperationTypeNode.MUTATION;
}

function isSubscription({ operation }: Ready): boolean {
  return operation.node.operation === OperationTypeNode.SUBSCRIPTION;
}

type Run = (compiled: CompiledOperation, call: ExecutionContext, session: Session) => Promise<RootResult[]>;

function runnerOf({ node }: Operation): Run {
  if (node.operation === OperationTypeNode.QUERY) return runQuery;
  return isTransaction(node) ? runTransaction : runMutation;
}

/** Whether a query has several statements: it keeps its snapshot for longer, and counts among those that do. */
function isLong({ hasMore, roots }: CompiledOperation): boolean {
  return hasMore || roots.length !== 1;
}

/** The one field of a subscription. @throws TesseraError `graphql_operation` when @skip has left none */
function subscriptionRoot({ operation, variables }: Ready) {
  const { roots } = operation.compiled(variables);
  const [root] = roots;
  if (root === undefined || roots.length > 1 || typeof root.plan === 'function') {
    throw failure('graphql_operation', {
      message: 'A subscription needs one field of ResponseStream, no more and no less',
    });
  }
  return { ...root, plan: root.plan };
}
