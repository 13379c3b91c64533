/**
 * Views (`view_as`): an owner's session shows what another user would see. The session stays the owner's, in its
 * lifetime, memory and transactions; only its statements run as the other user, each request in a snapshot.
 */
import type { AuditDetails } from '../../audit/event.js';
import { type SessionIdentity, withDatabasePath } from '../../auth/identity.js';
import { readViewTarget } from '../../auth/kinds/view-as.js';
import { andThen, lastly, type PromiseOrValue } from '../../base/promise-or-value.js';
import { isSamePrincipal, mayAct } from '../../catalog/principal.js';
import { failure } from '../../errors/error.js';
import { authorize } from '../../runtime/authorization/authorize.js';
import type { Engine, Transaction, WaitInterrupt } from '../../storage/contract.js';
import { toText } from '../../value/text/text.js';
import { type ObjectValue, RecordId, type Value } from '../../value/value.js';
import type { Auditor } from '../audit/auditor.js';
import type { DatabaseSelection } from '../contract.js';
import { databasePathAfter, type UseTarget } from './database-selector.js';
import type { DurabilityTracker } from './durability-tracker.js';
import type { SessionServices } from './services.js';
import { beginSnapshot } from './snapshot.js';

/** The session of the owner who has a view. */
export interface ViewingSession {
  /**
   * Waits until the session is known to be valid.
   * @throws TesseraError `session_expired`
   */
  enter(): PromiseOrValue<void>;
  /** The owner's identity, as of now. */
  identity(): SessionIdentity;
  /** Whether it has expired. */
  isOver(): boolean;
  /** A view begins or ends: transactions and live queries of the session belong to another principal. */
  changed(): void;
}

export class SessionView {
  readonly #services: Pick<SessionServices, 'authenticator'>;
  readonly #session: ViewingSession;
  #identity: SessionIdentity | undefined;

  constructor(services: Pick<SessionServices, 'authenticator'>, session: ViewingSession) {
    this.#services = services;
    this.#session = session;
  }

  /** The identity that it shows; `undefined` without a view. */
  get identity(): SessionIdentity | undefined {
    return this.#identity;
  }

  /** Begins a view. @throws TesseraError as `Session.viewAs` */
  async begin(body: ObjectValue, auditor: Auditor | undefined): Promise<void> {
    const open = () => this.#open(body);
    await (auditor === undefined ? open() : auditor.viewing(namesIn(body), open));
  }

  async #open(body: ObjectValue): Promise<SessionIdentity> {
    await this.#session.enter();
    this.assertNone('other view');
    const owner = this.#session.identity();
    const target = readViewTarget(body, owner.databasePath);
    authorize(owner, 'own', target.databasePath, 'Actor');
    const shown = await this.#services.authenticator.viewedIdentity(target, owner, owner);
    // The owner may have lost the role meanwhile, or have begun another view.
    await this.#session.enter();
    this.assertNone('other view');
    const now = this.#session.identity();
    if (!isSamePrincipal(owner.principal, now.principal)) throw failure('cancelled');
    authorize(now, 'own', target.databasePath, 'Actor');
    // In the same turn as what was checked.
    this.#session.changed();
    this.#identity = shown;
    return shown;
  }

  /** Ends a view, if there is one. */
  async end(auditor: Auditor | undefined): Promise<void> {
    if (this.#identity === undefined) return;
    auditor?.viewEnded('ended');
    this.#session.changed();
    this.#identity = undefined;
  }

  /** The session has another principal, or none. */
  forget(): void {
    this.#identity = undefined;
  }

  /**
   * Call before an action that views don't allow; `what` completes the phrase "there is no". The view of an expired
   * session is over, so that the session can sign in again.
   * `auditor` records the refusal, where the caller doesn't.
   * @throws TesseraError `view_read_only`
   */
  assertNone(what: string, auditor?: Auditor): void {
    if (this.#session.isOver()) this.forget();
    if (this.#identity === undefined) return;
    const refusal = failure('view_read_only', { what });
    auditor?.refused(refusal);
    throw refusal;
  }

  /** Whether the viewer still may have it. */
  mayGoOn({ principal }: SessionIdentity): boolean {
    return this.#identity === undefined || mayAct(principal, 'own', this.#identity.signedIn.databasePath);
  }

  /** USE in a view, if there is one: it selects, and defines nothing that is missing. */
  use(named: UseTarget): DatabaseSelection | undefined {
    if (this.#identity === undefined) return undefined;
    const databasePath = databasePathAfter(this.#identity, named);
    this.#identity = withDatabasePath(this.#identity, databasePath);
    return { namespace: databasePath.namespace, database: databasePath.database };
  }
}

/** The details of a refused view for the audit log. */
function namesIn(body: ObjectValue): AuditDetails {
  const name = (value: Value) =>
    value instanceof RecordId ? toText(value) : typeof value === 'string' ? value : undefined;
  const { namespace, database, access, record, role } = body;
  return {
    namespace: name(namespace),
    database: name(database),
    access: name(access),
    record: name(record),
    role: name(role),
  };
}

/** Runs a request of a view in its own read-only snapshot. */
export function runInViewSnapshot<T>(
  engine: Engine,
  durability: DurabilityTracker,
  interrupt: WaitInterrupt,
  work: (snapshot: Transaction) => PromiseOrValue<T>,
): PromiseOrValue<T> {
  return andThen(beginSnapshot(engine, durability, interrupt), (snapshot) =>
    lastly(
      () => work(snapshot),
      () => snapshot.cancel(),
    ),
  );
}
