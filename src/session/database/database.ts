/** Opens a storage engine as a database: the services that sessions need. */
import { AuditLog } from '../../audit/audit-log.js';
import { createAuthenticator } from '../../auth/authenticator.js';
import type { App } from '../../auth/directory.js';
import { GUEST, guestIdentity } from '../../auth/identity.js';
import type { ViewTarget } from '../../auth/kinds/view-as.js';
import { PROVIDER_LIMITS } from '../../auth/oidc/discovery.js';
import { Providers } from '../../auth/oidc/providers.js';
import type { WayIn } from '../../auth/page/ways-in.js';
import { createPasswordHasher } from '../../auth/passwords/passwords.js';
import { ThreadedPasswordStrength } from '../../auth/passwords/strength/password-strength.js';
import { KEY_SET_LIMITS, type KeySetSource } from '../../auth/tokens/key-sets.js';
import type { PublicJwk } from '../../auth/tokens/signing-keys.js';
import type { NamedPlace, Onward } from '../../auth/ways/addresses.js';
import { isPromise, type PromiseOrValue } from '../../base/promise-or-value.js';
import { CatalogCache } from '../../catalog/definitions/load.js';
import type { Id } from '../../catalog/keys/key-bytes.js';
import { LocalRateLimits } from '../../catalog/limits/local-limits.js';
import { DEFAULT_REQUEST_RATES } from '../../catalog/limits/request-rates.js';
import { Outbox } from '../../catalog/mail/outbox.js';
import type { DatabaseWork } from '../../catalog/nodes/lease-row.js';
import { assertKnownFormat, KNOWN_FORMATS } from '../../catalog/nodes/store-format.js';
import type { DatabasePath, Principal } from '../../catalog/principal.js';
import { SequenceCounters } from '../../ddl/define/sequence-counters.js';
import { realEnvironment } from '../../env/real.js';
import { failure, type TesseraError } from '../../errors/error.js';
import { ContentStores, NO_BACKENDS } from '../../files/contents/content-stores.js';
import { ALL_FUNCTIONS, FunctionRules } from '../../functions/calls/rules.js';
import { DEFAULT_FETCH_LIMITS, Fetcher, type FetchLimits } from '../../functions/network/fetcher.js';
import { NO_TARGETS } from '../../functions/network/targets.js';
import { findFunction } from '../../functions/registry.js';
import { parseQueryStepwise } from '../../language/parse.js';
import type { Family } from '../../metrics/families.js';
import type { ServerMetrics } from '../../metrics/server-metrics.js';
import { DEFAULT_SCRIPT_LIMITS } from '../../runtime/script-runner.js';
import { Executor } from '../../statements/executor.js';
import type { Engine } from '../../storage/contract.js';
import { assertNoCopy } from '../../storage/copy/copy-marker.js';
import { ReadableAuditTrail } from '../audit/audit-trail.js';
import { Auditor } from '../audit/auditor.js';
import type { BackgroundServices } from '../background/background-rounds.js';
import { ChangeRetention } from '../background/change-retention.js';
import { EventRunner } from '../background/event-runner.js';
import { FileSweeper, type PendingContents } from '../background/file-sweeper.js';
import { IndexBuilder } from '../background/index-builder.js';
import { MailSender } from '../background/mail-sender.js';
import { Retention } from '../background/retention.js';
import { SignInRetention } from '../background/sign-in-retention.js';
import { CacheAging } from '../cache/cache-aging.js';
import { StatementCache } from '../cache/statement-cache.js';
import type { Database, Origin, Session, SessionOpening } from '../contract.js';
import { forgetNode } from '../nodes/forget-node.js';
import { LiveRetention } from '../nodes/live-retention.js';
import { describeNode, nodeList } from '../nodes/node-list.js';
import { sharedServices } from '../nodes/shared-services.js';
import { SharedState } from '../nodes/shared-state.js';
import type { Staleness } from '../nodes/staleness.js';
import { StoreNode } from '../nodes/store-node.js';
import { ClientConnection } from '../resources/client-connection.js';
import { HeldTransactions } from '../resources/held-transactions.js';
import { DEFAULT_LIVE_MAX_AGE } from '../resources/live-quota.js';
import { ServerMemory } from '../resources/server-memory.js';
import { InMemorySessionRegistry } from '../resources/session-registry.js';
import { LiveResults } from '../results/live-results.js';
import { DatabaseSelector } from '../session/database-selector.js';
import { OpenSession } from '../session/open.js';
import type { SessionServices } from '../session/services.js';
import { becomeShown } from '../session/sign-in.js';
import { StoreDirectory } from './directory.js';
import type { DatabaseOptions } from './options.js';

export interface ResourceUsage {
  /** Open sessions, and those in the registry: signed in for longer than one request. */
  readonly sessions: number;
  readonly signedIn: number;
  /** Open transactions and snapshots, and the bytes reserved for them. */
  readonly transactions: number;
  readonly memory: number;
  readonly liveQueries: number;
  /** Files whose bytes are being received. */
  readonly uploads: number;
}

export interface BackgroundState {
  /** Number of indexes with queued work: builds, and entries to be deleted. */
  readonly indexes: number;
  /** Milliseconds by which this node is behind the commits of others; `undefined` if it is alone. */
  readonly staleness: number | undefined;
  /** Number of leases that this node holds, by kind of work; `undefined` if it is alone. */
  readonly leases: ReadonlyMap<string, number> | undefined;
  /** What isn't a file, as of a minute ago at most. */
  readonly pendingContents: PendingContents;
}

/** Milliseconds for which health checks wait for the store. Load balancers give up sooner than a silent store does. */
const CHECK_TIME = 400;

const OWNER: Principal = { kind: 'system', level: 'root', name: 'owner', roles: ['owner'] };

/** Functions may be given by their names of 2.x. */
function functionName(name: string): string {
  return findFunction(name)?.name ?? name;
}

/**
 * Opens a database over a storage engine: loads its settings, begins its audit log and its background tasks
 * (asynchronous events, changefeed retention). Close it with `close`, which closes the engine as well.
 *
 *     const database = await openDatabase(new MemoryEngine());
 *     const session = database.ownerSession();
 *     const [result] = await session.query('RETURN 1 + 1');
 *     await database.close();
 *
 * @throws TesseraError `audit_log_unusable`, `storage_unavailable`, `storage_format`, `copy_incomplete`
 */
export async function openDatabase(engine: Engine, options: DatabaseOptions = {}): Promise<OpenDatabase> {
  const { audit, environment = realEnvironment, report = () => undefined } = options;
  const database = new OpenDatabase(
    engine,
    options,
    audit && (await AuditLog.open(audit, environment, report, engine.shared?.node)),
  );
  await database.load();
  return database;
}

export class OpenDatabase implements Database {
  readonly #engine: Engine;
  readonly #services: SessionServices;
  readonly memory: ServerMemory;
  readonly #sessions = new Set<OpenSession>();
  readonly #pruner: Retention;
  readonly #indexes: IndexBuilder;
  readonly #aging: CacheAging;
  readonly #strength: ThreadedPasswordStrength;
  readonly #events: EventRunner;
  readonly #mails: MailSender;
  readonly #liveResults: LiveResults;
  readonly #contents: ContentStores;
  readonly #files: FileSweeper;
  /** Where mails are queued. */
  readonly outbox: Outbox;
  /** Absent where no other node uses the store. */
  readonly #node: StoreNode | undefined;
  readonly statements: StatementCache;
  /** Absent where no other node uses the store. */
  readonly #state: SharedState | undefined;
  readonly #staleness: Staleness | undefined;
  readonly #livePruner: Retention | undefined;
  readonly #signInPruner: Retention<{ readonly id: Id }>;
  #isDraining = false;
  /** The metrics to count, if any. */
  readonly metrics: ServerMetrics | undefined;

  constructor(engine: Engine, options: DatabaseOptions, audit?: AuditLog) {
    const environment = options.environment ?? realEnvironment;
    const report = options.report ?? (() => undefined);
    const memory = new ServerMemory(environment, { limits: options.memory, ownsRows: !engine.isVolatile });
    this.memory = memory;
    this.metrics = options.metrics;
    const hasher = createPasswordHasher(environment, options.hashing);
    this.#strength = new ThreadedPasswordStrength(environment.timers);
    const targets = { ...NO_TARGETS, ...options.network };
    const fetchLimits = { ...DEFAULT_FETCH_LIMITS, ...options.network };
    const bounded = (limits: FetchLimits): FetchLimits => ({
      time: Math.min(fetchLimits.time, limits.time),
      response: Math.min(fetchLimits.response, limits.response),
    });
    const keySets: KeySetSource = {
      fetcher: new Fetcher(environment, targets, bounded(KEY_SET_LIMITS)),
      report,
    };
    const catalogs = new CatalogCache();
    const shared = sharedServices({
      engine,
      environment,
      catalogs,
      perUser: options.sessions?.perUser,
      maxStaleness: options.maxStaleness,
      report,
    });
    const about = describeNode(environment, options.address);
    const metrics = options.metrics?.background;
    const services = { engine, environment, report, metrics };
    this.#node =
      shared &&
      new StoreNode(services, shared.store, {
        about,
        formats: options.formats ?? KNOWN_FORMATS,
        forget: forgetNode,
        returned: () => {
          shared.presence.rewrite();
          shared.liveQueries.restore();
        },
      });
    const limits = this.#node?.limits ?? new LocalRateLimits(environment.clock);
    const rates = { ...DEFAULT_REQUEST_RATES, ...options.rates };
    const registry = new InMemorySessionRegistry(options.sessions?.perUser, shared);
    const outbox = new Outbox(environment, options.mail, (database) => this.#mails.queued(database));
    this.outbox = outbox;
    const network = new Fetcher(environment, targets, fetchLimits);
    const asking = new Fetcher(environment, targets, bounded(PROVIDER_LIMITS));
    const providers = new Providers(environment, { fetcher: asking, report });
    const liveResults = new LiveResults({
      engine,
      environment,
      report,
      execution: (run) => executor.execution(run),
      metrics: options.metrics,
    });
    this.#liveResults = liveResults;
    this.#contents = new ContentStores(engine, environment, {
      ...NO_BACKENDS,
      ...options.buckets,
      memory: memory.limits.files,
    });
    const executor: Executor = new Executor({
      liveResults,
      outbox,
      providers,
      publicUrls: options.authentication?.publicUrls,
      sessions: registry,
      catalogs,
      liveQueries: shared?.liveQueries,
      environment,
      passwords: hasher,
      passwordStrength: this.#strength,
      limits,
      rates,
      past: {
        emptyBefore: engine.isVolatile ? environment.clock.now() : undefined,
        unchangedSince: () => (this.#state === undefined ? engine.changedAt : this.#state.changedAt()),
      },
      sequences: new SequenceCounters(engine),
      contents: this.#contents,
      metrics: options.metrics,
      nodes: nodeList(about, environment, this.#node?.membership),
      inspection: {
        signInFailures: { list: () => this.#services.authenticator.failures.list() },
        auditTrail: audit && new ReadableAuditTrail(audit),
      },
      queuedEvents: {
        isListed: (database) => this.#events.isListed(database),
        committed: (database) => this.#events.committed(database),
      },
      indexWorkQueued: () => this.#indexes.wake(),
      backgroundMemory: () => memory.background(),
      fieldPermissions: options.fieldPermissions ?? 'inherit',
      ...(options.tuning && { tuning: options.tuning }),
      weakKeys: options.weakKeys ?? false,
      network,
      functions: options.functions && new FunctionRules({ ...ALL_FUNCTIONS, ...options.functions }, functionName),
      search: options.search,
      vectorMemory: memory.limits.vectors,
      scripting: options.scripting && { ...DEFAULT_SCRIPT_LIMITS, ...options.scripting },
    });
    const transactions = new HeldTransactions(environment, options.transactions);
    const directory = new StoreDirectory({ engine, executor, environment, audit, transactions });
    this.#engine = engine;
    this.#staleness = shared?.staleness;
    this.#state = shared && new SharedState({ ...shared, engine, environment, executor, registry, report });
    const background = (work: DatabaseWork): BackgroundServices => {
      return { ...services, leases: this.#node?.leases(work), measure: metrics?.rounds(work) };
    };
    const now = (): bigint => this.#state?.storeTime ?? environment.clock.now();
    const changes = new ChangeRetention(executor.catalogs, { now });
    this.#pruner = new Retention(background('changefeeds'), changes);
    this.#livePruner = shared && new Retention(background('live'), new LiveRetention(executor.catalogs, environment));
    this.#signInPruner = new Retention(background('sign-ins'), new SignInRetention(environment));
    this.#files = new FileSweeper({ ...background('files'), contents: this.#contents });
    this.#indexes = new IndexBuilder(background('indexes'), executor);
    this.statements = new StatementCache(options.tuning?.plansAtOnce);
    this.#aging = new CacheAging([this.statements], environment.timers);
    const maxTime = options.requestTimeout;
    this.#events = new EventRunner({ ...background('events'), executor, maxTime, audit, transactions });
    const ofServer = options.mail;
    this.#mails = new MailSender({ ...background('mail'), executor, network, ofServer, maxTime, transactions });
    this.#services = {
      engine,
      environment,
      executor,
      authenticator: createAuthenticator(environment, directory, hasher, providers, {
        ...options.authentication,
        tokens: { keySets, ...options.authentication?.tokens },
        sessionLifetime: options.sessions?.lifetime,
        failures: this.#node?.failures,
        limits,
        rates,
      }),
      registry,
      transactions,
      selector: new DatabaseSelector(engine, environment, registry, executor.catalogs),
      audit,
      assertStoreUsable: this.#assertUsable,
      metrics: options.metrics,
      slowLog: options.slowLog,
      strictPermissions: options.strictPermissions ?? false,
      options: {
        guests: options.guests ?? false,
        anonymous: options.unauthenticated ? OWNER : GUEST,
        requestTimeout: options.requestTimeout,
        idle: options.sessions?.idle,
        liveMaxAge: options.liveMaxAge ?? DEFAULT_LIVE_MAX_AGE,
      },
      statements: this.statements,
      parseStepwise: (text) => parseQueryStepwise(text, options.queries),
      report,
    };
  }

  /** Loads the settings that are stored in the database. */
  async load(): Promise<void> {
    await this.#state?.open();
    const transaction = await this.#engine.begin({ writable: false });
    try {
      await assertNoCopy(transaction);
      if (this.#node === undefined) await assertKnownFormat(transaction);
      const { queryTimeout, revocationFlag } = this.#services.executor;
      await queryTimeout.load(transaction);
      await revocationFlag.load(transaction);
    } finally {
      transaction.cancel();
    }
    this.#state?.readAgain();
    await this.#node?.join({ events: this.#events, indexes: this.#indexes, mails: this.#mails });
  }

  session(origin: Origin, connection = new ClientConnection(this.memory.connection())): Session {
    return this.#open({ origin, principal: this.#services.options.anonymous, connection });
  }

  /** `origin`: of the request that causes the change, for the audit log. */
  ownerSession(connection = new ClientConnection(this.memory.connection()), origin: Origin = {}): Session {
    return this.#open({ origin, principal: OWNER, connection });
  }

  /**
   * A session of a user whom nothing has authenticated, as a view shows them, which may write: for the process itself,
   * such as tests of rules.
   * @throws TesseraError `view_target_missing`
   */
  async sessionOf(target: ViewTarget): Promise<Session> {
    const connection = new ClientConnection(this.memory.connection());
    const session = this.#open({ origin: {}, principal: OWNER, connection });
    await becomeShown(session, target);
    return session;
  }

  /** Records in the audit log that a guest's request was denied before it had a session. */
  auditRefusal(origin: Origin, error: TesseraError): void {
    const { audit } = this.#services;
    const identity = guestIdentity({ origin, databasePath: {} });
    if (audit !== undefined) new Auditor(audit, origin, { key: undefined, identity }).refused(error);
  }

  #open(opener: SessionOpening): OpenSession {
    const session = new OpenSession(this.#services, opener, this.#sessions);
    this.#sessions.add(session);
    return session;
  }

  /** Number of open sessions. */
  get sessions(): number {
    return this.#sessions.size;
  }

  /** The store's own metrics. */
  get storeMetrics(): readonly Family[] {
    return this.#engine.metrics ?? [];
  }

  /** The background work of this process. */
  get backgroundState(): BackgroundState {
    return {
      indexes: this.#indexes.pending,
      staleness: this.#staleness?.current,
      leases: this.#node?.membership.held,
      pendingContents: this.#files.pending,
    };
  }

  /** Resources that outlast a request. */
  get resourceUsage(): ResourceUsage {
    const { transactions, registry, executor } = this.#services;
    return {
      sessions: this.#sessions.size,
      signedIn: [...registry.signedIn()].length,
      transactions: transactions.size,
      memory: transactions.reserved,
      liveQueries: executor.liveQueries.size + executor.liveResults.size,
      uploads: this.#contents.uploads,
    };
  }

  confirmLink(databasePath: DatabasePath, access: string, link: string): Promise<Onward> {
    return this.#services.authenticator.confirm(databasePath, access, link);
  }

  returnFromProvider(databasePath: DatabasePath, access: string, parameters: URLSearchParams): Promise<Onward> {
    return this.#services.authenticator.returnFromProvider(databasePath, access, parameters);
  }

  providerAccesses(databasePath: DatabasePath): Promise<readonly NamedPlace[]> {
    return this.#services.authenticator.providerAccesses(databasePath);
  }

  app(databasePath: DatabasePath): PromiseOrValue<App> {
    return this.#services.authenticator.app(databasePath);
  }

  waysIn(databasePath: DatabasePath): Promise<readonly WayIn[]> {
    return this.#services.authenticator.waysIn(databasePath);
  }

  publishedKeys(databasePath: DatabasePath, access: string): PromiseOrValue<readonly PublicJwk[]> {
    return this.#services.authenticator.publishedKeys(databasePath, access);
  }

  async check(): Promise<void> {
    const checked = this.#engine.check();
    if (!isPromise(checked)) return;
    const { timers } = this.#services.environment;
    let stop: () => void = () => undefined;
    const late = new Promise<'late'>((resolve) => {
      stop = timers.after(CHECK_TIME, () => resolve('late'));
    });
    const outcome = await Promise.race([checked, late]).finally(stop);
    if (outcome !== 'late') return;
    // Commits that have come lately show that the store answers.
    if (this.#staleness === undefined) throw failure('storage_unavailable', { reason: 'it doesn’t answer' });
    this.#staleness.assertCurrent();
  }

  /** From now on `/ready` announces a stop; requests are still served. */
  drain(): void {
    this.#isDraining = true;
  }

  async checkReady(): Promise<void> {
    if (this.#isDraining) throw failure('shutting_down');
    this.#assertUsable(true);
    await this.check();
    this.#assertUsable(true);
  }

  readonly #assertUsable = (isSignedIn: boolean): void => {
    this.#node?.membership.assertFormat();
    if (isSignedIn) this.#staleness?.assertCurrent();
  };

  async close(): Promise<void> {
    const work = Promise.all([
      this.#pruner.stop(),
      this.#indexes.stop(),
      this.#events.stop(),
      this.#mails.stop(),
      this.#livePruner?.stop(),
      this.#signInPruner.stop(),
      this.#files.stop(),
    ]);
    this.#aging.stop();
    this.#liveResults.close();
    for (const session of this.#sessions) session.close();
    await this.#node?.leave(work);
    this.#services.executor.close();
    this.#strength.close();
    await this.#state?.close();
    await this.#services.audit?.close();
    await this.#engine.close();
  }
}
