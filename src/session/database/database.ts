/** A running database: a storage engine with everything around it that a session needs. */

import { AuditLog, type AuditOptions } from '../../audit/audit-log.js';
import { type AuthenticatorOptions, createAuthenticator } from '../../auth/authenticator.js';
import { GUEST } from '../../auth/identity.js';
import { KEY_SET_LIMITS, type KeySetSource } from '../../auth/key-sets.js';
import { createPasswordHasher, type PasswordHasherOptions } from '../../auth/passwords.js';
import type { PublicJwk } from '../../auth/signing-keys.js';
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import type { DatabasePath, Principal } from '../../catalog/principal.js';
import type { Environment } from '../../env/environment.js';
import { realEnvironment } from '../../env/real.js';
import type { TesseraError } from '../../errors/error.js';
import { SequenceCounters } from '../../exec/define/sequence-counters.js';
import { Executor } from '../../exec/executor.js';
import type { FieldPermissionDefault } from '../../exec/record/table.js';
import { DEFAULT_SCRIPT_LIMITS, type ScriptLimits } from '../../exec/script/contract.js';
import type { Tuning } from '../../exec/tuning.js';
import { DEFAULT_FETCH_LIMITS, Fetcher, type FetchLimits } from '../../functions/network/fetcher.js';
import { type NetworkTargets, NO_TARGETS } from '../../functions/network/targets.js';
import { findFunction } from '../../functions/registry.js';
import { ALL_FUNCTIONS, type FunctionRuleOptions, FunctionRules } from '../../functions/rules.js';
import { parseQueryStepwise, type QueryLimits } from '../../language/parse.js';
import type { Engine } from '../../storage/contract.js';
import type { Duration } from '../../value/value.js';
import type { Database, Origin, Session, SessionOpening } from '../contract.js';
import { Connection } from '../session/connection.js';
import { DatabaseSelector } from '../session/database-selector.js';
import type { SessionServices } from '../session/services.js';
import { OpenSession } from '../session/session.js';
import { CacheAging } from './cache-aging.js';
import { ChangeRetention } from './change-retention.js';
import { StoreDirectory } from './directory.js';
import { EventRunner } from './event-runner.js';
import { HeldTransactions, type TransactionBounds } from './held-transactions.js';
import { IndexBuilder } from './index-builder.js';
import { PlanCache } from './plan-cache.js';
import { type MemoryLimits, ServerMemory } from './server-memory.js';
import { InMemorySessionRegistry } from './session-registry.js';

export interface DatabaseOptions {
  readonly environment?: Environment;
  /** Whether somebody who hasn't signed in may run statements, as far as PERMISSIONS allow; no unless told. */
  readonly guests?: boolean;
  /** Whether everybody owns everything without signing in; no unless told. */
  readonly unauthenticated?: boolean;
  /** How long one request may run; without end unless told. */
  readonly requestTimeout?: Duration;
  /** How record users see fields without a PERMISSIONS clause; like their table unless told. */
  readonly fieldPermissions?: FieldPermissionDefault;
  /** Whether a write that PERMISSIONS refuse is an error (`write_refused`) rather than left out; no unless told. */
  readonly strictPermissions?: boolean;
  /** For tests: no answer depends on it. */
  readonly tuning?: Partial<Tuning>;
  /** Which hosts `http::*` may call and key sets come from; none unless told. */
  readonly network?: Partial<NetworkTargets & FetchLimits>;
  /** Accepts keys of access methods that are too short, or no keys at all, and fails when they are used; not unless told. */
  readonly weakKeys?: boolean;
  /** Which functions may be called; all unless told. */
  readonly functions?: Partial<FunctionRuleOptions>;
  /** Allows embedded JavaScript, within these bounds; not allowed unless told. */
  readonly scripting?: Partial<ScriptLimits>;
  /** How large a text of statements may be; `DEFAULT_LIMITS` of the parser unless told. */
  readonly queries?: QueryLimits;
  /** Bounds of memory in bytes; shares of the heap that the process may have unless told. */
  readonly memory?: Partial<MemoryLimits>;
  /** Bounds of sessions; none unless told. */
  readonly sessions?: SessionBounds;
  /** Bounds of transactions, where they aren't to be the defaults. */
  readonly transactions?: Partial<TransactionBounds>;
  readonly hashing?: PasswordHasherOptions;
  readonly authentication?: AuthenticatorOptions;
  /** Keeps an audit log; none unless told. */
  readonly audit?: AuditOptions;
  /** Takes errors of our own making, and key sets that can't be had, for the log. */
  readonly report?: (error: TesseraError) => void;
}

/** Bounds of sessions, besides those that DURATION FOR SESSION sets. */
export interface SessionBounds {
  /** For how many milliseconds somebody who is signed in may do nothing. */
  readonly idle?: number | undefined;
  /** How many milliseconds the session of a record user may last in all. */
  readonly lifetime?: number | undefined;
  /** How many sessions a record user may have that outlast a request; one more ends the oldest. */
  readonly perUser?: number | undefined;
}

export interface ResourceUsage {
  /** Open sessions, and those in the registry: of users who are signed in for longer than a request. */
  readonly sessions: number;
  readonly signedIn: number;
  /** Transactions and snapshots that are held, and the bytes that those have reserved. */
  readonly transactions: number;
  readonly memory: number;
  readonly liveQueries: number;
}

const OWNER: Principal = { kind: 'system', level: 'root', name: 'owner', roles: ['owner'] };

/** A function may be named as it was called in 2.x. */
function functionName(name: string): string {
  return findFunction(name)?.name ?? name;
}

/** @throws TesseraError `audit_log_unusable` */
export async function openDatabase(engine: Engine, options: DatabaseOptions = {}): Promise<OpenDatabase> {
  const { audit, environment = realEnvironment, report = () => undefined } = options;
  const database = new OpenDatabase(engine, options, audit && (await AuditLog.open(audit, environment, report)));
  await database.load();
  return database;
}

export class OpenDatabase implements Database {
  readonly #engine: Engine;
  readonly #services: SessionServices;
  readonly memory: ServerMemory;
  readonly #sessions = new Set<Session>();
  readonly #pruner: ChangeRetention;
  readonly #indexes: IndexBuilder;
  readonly #aging: CacheAging;
  readonly #events: EventRunner;
  readonly plans: PlanCache;

  constructor(engine: Engine, options: DatabaseOptions, audit?: AuditLog) {
    const environment = options.environment ?? realEnvironment;
    const report = options.report ?? (() => undefined);
    const memory = new ServerMemory(environment, { limits: options.memory, ownsRows: !engine.isVolatile });
    this.memory = memory;
    const hasher = createPasswordHasher(environment, options.hashing);
    const targets = { ...NO_TARGETS, ...options.network };
    const fetchLimits = { ...DEFAULT_FETCH_LIMITS, ...options.network };
    const keySets: KeySetSource = {
      fetcher: new Fetcher(environment, targets, {
        time: Math.min(fetchLimits.time, KEY_SET_LIMITS.time),
        response: Math.min(fetchLimits.response, KEY_SET_LIMITS.response),
      }),
      report,
    };
    const registry = new InMemorySessionRegistry(options.sessions?.perUser);
    const executor = new Executor({
      sessions: registry,
      environment,
      passwords: hasher,
      past: {
        emptyBefore: engine.isVolatile ? environment.clock.now() : undefined,
        unchangedSince: () => engine.changedAt,
      },
      sequences: new SequenceCounters(engine),
      eventQueued: () => this.#events.wake(),
      indexWorkQueued: () => this.#indexes.wake(),
      backgroundMemory: () => memory.background(),
      fieldPermissions: options.fieldPermissions ?? 'inherit',
      ...(options.tuning && { tuning: options.tuning }),
      weakKeys: options.weakKeys ?? false,
      network: new Fetcher(environment, targets, fetchLimits),
      functions: options.functions && new FunctionRules({ ...ALL_FUNCTIONS, ...options.functions }, functionName),
      scripting: options.scripting && { ...DEFAULT_SCRIPT_LIMITS, ...options.scripting },
    });
    const transactions = new HeldTransactions(environment, options.transactions);
    const directory = new StoreDirectory({ engine, executor, environment, audit, transactions });
    this.#engine = engine;
    this.#pruner = new ChangeRetention(engine, executor.catalogs, environment, report);
    this.#indexes = new IndexBuilder(engine, executor.catalogs, environment, report);
    this.plans = new PlanCache(options.tuning?.plansAtOnce);
    this.#aging = new CacheAging([this.plans], environment.timers);
    const maxTime = options.requestTimeout;
    this.#events = new EventRunner({ engine, executor, environment, maxTime, audit, transactions, report });
    this.#services = {
      engine,
      environment,
      executor,
      authenticator: createAuthenticator(environment, directory, hasher, {
        ...options.authentication,
        tokens: { keySets, ...options.authentication?.tokens },
        sessionLifetime: options.sessions?.lifetime,
      }),
      registry,
      transactions,
      places: new DatabaseSelector(engine, environment, registry, executor.catalogs),
      audit,
      strictPermissions: options.strictPermissions ?? false,
      options: {
        guests: options.guests ?? false,
        anonymous: options.unauthenticated ? OWNER : GUEST,
        requestTimeout: options.requestTimeout,
        idle: options.sessions?.idle,
      },
      parse: (text, variables) => this.plans.parse(text, variables),
      parseStepwise: (text) => parseQueryStepwise(text, options.queries),
      report,
    };
  }

  /** Reads the settings that are kept in the store. */
  async load(): Promise<void> {
    const transaction = await this.#engine.begin({ writable: false });
    try {
      const { queryTimeout, revocationFlag } = this.#services.executor;
      await queryTimeout.load(transaction);
      await revocationFlag.load(transaction);
    } finally {
      transaction.cancel();
    }
  }

  session(origin: Origin, connection = new Connection(this.memory.connection())): Session {
    return this.#open({ origin, principal: this.#services.options.anonymous, connection });
  }

  ownerSession(connection = new Connection(this.memory.connection())): Session {
    return this.#open({ origin: {}, principal: OWNER, connection });
  }

  #open(opener: SessionOpening): Session {
    const session = new OpenSession(this.#services, opener, () => this.#sessions.delete(session));
    this.#sessions.add(session);
    return session;
  }

  /** How many sessions are open. */
  get sessions(): number {
    return this.#sessions.size;
  }

  /** What outlasts a request by now. */
  get resourceUsage(): ResourceUsage {
    const { transactions, registry, executor } = this.#services;
    return {
      sessions: this.#sessions.size,
      signedIn: [...registry.signedIn()].length,
      transactions: transactions.size,
      memory: transactions.reserved,
      liveQueries: executor.liveQueries.size,
    };
  }

  publishedKeys(place: DatabasePath, access: string): PromiseOrValue<readonly PublicJwk[]> {
    return this.#services.authenticator.publishedKeys(place, access);
  }

  async check(): Promise<void> {
    await this.#engine.check();
  }

  async close(): Promise<void> {
    this.#pruner.stop();
    this.#indexes.stop();
    this.#aging.stop();
    this.#events.stop();
    for (const session of this.#sessions) session.close();
    this.#services.executor.close();
    await this.#services.audit?.close();
    await this.#engine.close();
  }
}
