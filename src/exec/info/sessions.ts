/**
 * INFO FOR SESSIONS: the sessions that the principal may end. Those over HTTP end with their request and aren't listed.
 */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import { toDatetime } from '../../catalog/credentials/grant.js';
import { parseUuid } from '../../value/uuid.js';
import { type ObjectValue, objectFrom } from '../../value/value.js';
import { guestRefusal } from '../authorization/authorize.js';
import { mayEnd, sessionsElsewhere } from '../identity/kill-sessions.js';
import type { Execution, LastingSession } from '../runtime/execution.js';

export function sessionList(execution: Execution): PromiseOrValue<ObjectValue[]> {
  const { principal } = execution.identity;
  if (principal.kind === 'guest') throw guestRefusal();
  const { elsewhere } = execution.services.sessions;
  const here: ObjectValue[] = [];
  for (const session of execution.services.sessions.signedIn()) {
    if (mayEnd(execution, session)) here.push(overview(session, execution, elsewhere?.node));
  }
  if (elsewhere === undefined) return here;
  return andThen(sessionsElsewhere(execution, elsewhere), (sessions) => [
    ...here,
    ...sessions.map(({ node, overview }) => objectFrom({ ...overview, current: false, node })),
  ]);
}

/**
 * What is shown of a session here. When it was last used, and how many live queries it has, only its own node knows.
 */
function overview(session: LastingSession, execution: Execution, node: string | undefined): ObjectValue {
  const { facts, listener } = session;
  return objectFrom({
    ...describeSession(session),
    active: toDatetime(facts.active),
    current: listener === execution.request.listener,
    live: facts.liveQueries,
    ...(node !== undefined && { node }),
  });
}

/** What stays the same while a user is signed in to a session. */
export function describeSession({ key, identity, facts }: LastingSession): ObjectValue {
  const { principal, session, access } = identity;
  return objectFrom({
    access,
    database: session['db'],
    expires: facts.expires === undefined ? undefined : toDatetime(facts.expires),
    id: parseUuid(key),
    ip: session['ip'],
    level: principal.kind === 'system' ? principal.level : principal.kind,
    namespace: session['ns'],
    origin: session['or'],
    since: toDatetime(facts.since),
    svc: session['id'],
    user: principal.kind === 'system' ? principal.name : identity.auth,
  });
}
