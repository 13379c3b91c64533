/**
 * Views (`view_as`): an owner's session shows what another user would see. The session stays the owner's, in its
 * lifetime, memory and transactions; only its statements run as the other user, each request in a snapshot.
 */
import type { AuditDetails } from '../../audit/event.js';
import { type SessionIdentity, withDatabasePath } from '../../auth/identity.js';
import { readViewTarget } from '../../auth/kinds/view-as.js';
import { andThen, lastly, type PromiseOrValue } from '../../base/promise-or-value.js';
import { isSamePrincipal } from '../../catalog/principal.js';
import { failure } from '../../errors/error.js';
import { authorize } from '../../runtime/authorization/authorize.js';
import type { Engine, Transaction, WaitInterrupt } from '../../storage/contract.js';
import { toText } from '../../value/text/text.js';
import { type ObjectValue, RecordId, type Value } from '../../value/value.js';
import type { Auditor } from '../audit/auditor.js';
import type { DatabaseSelection } from '../contract.js';
import { databasePathAfter, type UseTarget } from './database-selector.js';
import { beginSnapshot, type DurabilityTracker } from './durability.js';
import type { SessionState } from './state.js';
import { cancelTransactions } from './transactions.js';
import { enterLive } from './validity.js';

/** Begins a view. @throws TesseraError as `Session.viewAs` */
export async function beginView(session: SessionState, body: ObjectValue): Promise<void> {
  const open = () => openView(session, body);
  await (session.auditor === undefined ? open() : session.auditor.viewing(namesIn(body), open));
}

async function openView(session: SessionState, body: ObjectValue): Promise<SessionIdentity> {
  await enterLive(session);
  assertNoView(session, 'other view');
  const owner = session.holder;
  const target = readViewTarget(body, owner.databasePath);
  authorize(owner, 'own', target.databasePath, 'Actor');
  const shown = await session.services.authenticator.viewedIdentity(target, owner, owner);
  // The owner may have lost the role meanwhile, or have begun another view.
  await enterLive(session);
  assertNoView(session, 'other view');
  const now = session.holder;
  if (!isSamePrincipal(owner.principal, now.principal)) throw failure('cancelled');
  authorize(now, 'own', target.databasePath, 'Actor');
  // In the same turn as what was checked.
  abandon(session);
  session.view = shown;
  return shown;
}

/** Ends a view, if there is one. */
export function endView(session: SessionState): void {
  if (session.view === undefined) return;
  session.auditor?.viewEnded('ended');
  abandon(session);
  session.view = undefined;
}

/** Transactions and live queries of the session belong to another principal from now on. */
function abandon(session: SessionState): void {
  cancelTransactions(session);
  session.listener?.endAll(failure('live_queries_abandoned'));
}

/**
 * Call before an action that views don't allow; `what` completes the phrase "there is no". The view of an expired
 * session is over, so that the session can sign in again.
 * `auditor` records the refusal, where the caller doesn't.
 * @throws TesseraError `view_read_only`
 */
export function assertNoView(session: SessionState, what: string, auditor?: Auditor): void {
  if (session.view === undefined) return;
  if (session.lifetime.isOver) {
    session.view = undefined;
    return;
  }
  const refusal = failure('view_read_only', { what });
  auditor?.refused(refusal);
  throw refusal;
}

/** USE in a view: it selects, and defines nothing that is missing. */
export function selectInView(session: SessionState, view: SessionIdentity, named: UseTarget): DatabaseSelection {
  const databasePath = databasePathAfter(view, named);
  session.view = withDatabasePath(view, databasePath);
  return { namespace: databasePath.namespace, database: databasePath.database };
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
