/** The state of a session: plain fields, which the functions of this folder read and change. */
import { plainIdentity, type SessionIdentity } from '../../auth/identity.js';
import type { Principal } from '../../catalog/principal.js';
import type { Clock } from '../../env/environment.js';
import type { TesseraError } from '../../errors/error.js';
import { uuidV4 } from '../../functions/identifiers.js';
import type { SessionFacts } from '../../runtime/nodes.js';
import type { RequestTrace } from '../../tracing/request-trace.js';
import { Auditor } from '../audit/auditor.js';
import type { Origin, SessionOpening } from '../contract.js';
import type { Notifier } from '../live/notifier.js';
import type { ClientConnection } from '../resources/client-connection.js';
import type { RegisteredSession } from '../resources/registered-session.js';
import { SessionMemory } from '../resources/session-memory.js';
import type { SessionVariables } from '../resources/session-variables.js';
import { DurabilityTracker } from './durability.js';
import type { Cancellable } from './held-transaction.js';
import type { SessionServices } from './services.js';

export abstract class SessionState implements RegisteredSession {
  readonly services: SessionServices;
  readonly origin: Origin;
  /** The open sessions of the database, which it leaves when it is closed. */
  readonly open: { delete(session: SessionState): void };
  /** The principal before any sign-in. */
  readonly opener: Principal;
  readonly connection: ClientConnection;
  readonly memory: SessionMemory;
  /** The variables that it keeps for all of its requests, once there are some. */
  kept: SessionVariables | undefined = undefined;
  readonly lifetime: Lifetime;
  /** Absent if no audit log is kept. */
  readonly auditor: Auditor | undefined;
  trace: RequestTrace | undefined = undefined;
  /** The identity of the user who has signed in. */
  holder: SessionIdentity;
  /** The identity that a view shows, while there is one. */
  view: SessionIdentity | undefined = undefined;
  /** When the user signed in, in nanoseconds since 1970. */
  signedInAt: bigint;
  /** The check under way whether the credentials are still valid. */
  revalidation: Promise<void> | undefined = undefined;
  /** Receives the notifications of its live queries, where these are enabled. */
  listener: Notifier | undefined = undefined;
  isClosed = false;
  /** The requests that wait for something; they are cancelled with the session. */
  running: Set<Cancellable> | undefined = undefined;
  /** The transactions in which it takes part. They end with its rights. */
  transactions: Set<Cancellable> | undefined = undefined;
  /** Incremented when all are cancelled, so that those being begun are cancelled as well. */
  transactionEpoch = 0;
  /** Waits for the store to begin a transaction. */
  beginning: Set<(reason: TesseraError) => void> | undefined = undefined;
  #durability: DurabilityTracker | undefined = undefined;
  #key: string | undefined = undefined;

  constructor(
    services: SessionServices,
    { origin, principal, connection }: SessionOpening,
    open: SessionState['open'],
  ) {
    this.services = services;
    this.origin = origin;
    this.open = open;
    this.opener = principal;
    this.connection = connection;
    this.memory = new SessionMemory(connection.memory, principal);
    this.lifetime = new Lifetime(services.environment.clock);
    this.holder = plainIdentity(principal, { origin, databasePath: {} });
    this.signedInAt = principal.kind === 'guest' ? 0n : services.environment.clock.now();
    this.auditor = services.audit && new Auditor(services.audit, origin, this);
  }

  /** Generated on first use: most HTTP requests never need it. */
  get key(): string {
    this.#key ??= uuidV4(this.services.environment.random).text;
    return this.#key;
  }

  /** Of what it accepts beside single requests, which have their own: pipelined requests, imports. */
  get durability(): DurabilityTracker {
    this.#durability ??= new DurabilityTracker(this.services.engine);
    return this.#durability;
  }

  /** The identity as which its statements run. */
  get identity(): SessionIdentity {
    return this.view ?? this.holder;
  }

  get facts(): SessionFacts {
    return {
      since: this.signedInAt,
      active: this.lifetime.usedAt,
      expires: this.lifetime.expiresAt,
      liveQueries: this.listener?.queries ?? 0,
      behind: this.listener?.behind ?? 0,
    };
  }

  /** Whether a request is running. */
  get isBusy(): boolean {
    return this.running !== undefined && this.running.size > 0;
  }

  /** Ends it to make room for the variables of others. */
  evict(): void {
    this.end();
    this.kept?.clear();
  }

  abstract scheduleRevalidation(): void;
  abstract end(): void;
}

// The lifetime of a session: until its credentials expire, or its idle timeout has passed.

/**
 * Milliseconds between two readings of the wall clock, which may be adjusted: reading it costs as much as looking up a
 * key.
 */
const WALL_CLOCK_CHECK = 1_000;

export class Lifetime {
  readonly #clock: Clock;
  /** Nanoseconds since 1970; `undefined`: never. */
  expiresAt: bigint | undefined;
  /** Idle timeout in milliseconds. */
  #idle: number | undefined;
  /** Time of the last use, on the monotonic clock. */
  #used = 0;
  /** Time of the last request, background ones included, on the monotonic clock. */
  askedAt = 0;
  /** Until when the credentials are valid by the last reading of the wall clock, on the monotonic clock. */
  #validUntil = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Restarts the lifetime; `undefined` means no limit. */
  begin(expiresAt: bigint | undefined, idle: number | undefined): void {
    this.expiresAt = expiresAt;
    this.#idle = idle;
    this.#used = this.#clock.monotonic();
    this.#validUntil = 0;
  }

  end(): void {
    this.expiresAt = 0n;
    this.#validUntil = 0;
  }

  /** Records a request at `now` by the monotonic clock; a background request doesn't reset the idle timeout. */
  use(background: boolean, now: number): void {
    this.askedAt = now;
    if (!background) this.#used = now;
  }

  /** Time of the last use, in nanoseconds since 1970. */
  get usedAt(): bigint {
    return this.#clock.now() - BigInt(Math.round((this.#clock.monotonic() - this.#used) * 1e6));
  }

  /** Milliseconds until it ends, unless it is used meanwhile. */
  get remaining(): number {
    const left =
      this.expiresAt === undefined ? Number.POSITIVE_INFINITY : Number(this.expiresAt - this.#clock.now()) / 1e6;
    return this.#idle === undefined ? left : Math.min(left, this.#used + this.#idle - this.#clock.monotonic());
  }

  get isOver(): boolean {
    return this.isOverAt(this.#clock.monotonic());
  }

  /** The same, where `now` by the monotonic clock is known. */
  isOverAt(now: number): boolean {
    if (this.#idle !== undefined && now >= this.#used + this.#idle) return true;
    if (this.expiresAt === undefined || now < this.#validUntil) return false;
    const left = Number(this.expiresAt - this.#clock.now()) / 1e6;
    this.#validUntil = now + Math.min(left, WALL_CLOCK_CHECK);
    return left <= 0;
  }
}
