/** The state of a session: plain fields, which the functions of this folder read and change. */
import { plainIdentity, type SessionIdentity } from '../../auth/identity.js';
import type { Principal } from '../../catalog/principal.js';
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
import { Lifetime } from './lifetime.js';
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
