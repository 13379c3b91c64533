/**
 * INFO FOR SESSIONS: the sessions that the principal may end. Those over HTTP end with their request and aren't listed.
 */
import { toDatetime } from '../../catalog/credentials/grant.js';
import { parseUuid } from '../../value/uuid.js';
import { type ObjectValue, objectFrom } from '../../value/value.js';
import { guestRefusal } from '../authorization/authorize.js';
import { mayEnd } from '../identity/kill-sessions.js';
import type { Execution, LastingSession } from '../runtime/execution.js';

export function sessionList(execution: Execution): ObjectValue[] {
  if (execution.identity.principal.kind === 'guest') throw guestRefusal();
  const found: ObjectValue[] = [];
  for (const session of execution.services.sessions.signedIn()) {
    if (mayEnd(execution, session)) found.push(overview(session, execution));
  }
  return found;
}

function overview({ key, identity, listener, facts }: LastingSession, execution: Execution): ObjectValue {
  const { principal, session, access } = identity;
  return objectFrom({
    access,
    active: toDatetime(facts.active),
    current: listener === execution.request.listener,
    database: session['db'],
    expires: facts.expires === undefined ? undefined : toDatetime(facts.expires),
    id: parseUuid(key),
    ip: session['ip'],
    level: principal.kind === 'system' ? principal.level : principal.kind,
    live: facts.liveQueries,
    namespace: session['ns'],
    origin: session['or'],
    since: toDatetime(facts.since),
    svc: session['id'],
    user: principal.kind === 'system' ? principal.name : identity.auth,
  });
}
