/**
 * INFO FOR SESSIONS: the sessions that the principal may end. Those over HTTP end with their request and aren't listed.
 */
import { guestRefusal } from '../../runtime/authorization/authorize.js';
import type { Execution, LastingSession } from '../../runtime/execution.js';
import { toDatetime } from '../../value/time/datetime.js';
import { parseUuid } from '../../value/uuid.js';
import { Duration, type ObjectValue, objectFrom } from '../../value/value.js';
import { mayEnd, sessionsElsewhere } from '../identity/kill-sessions.js';

/**
 * The rows of INFO FOR SESSIONS, as far as the principal may see them.
 * @throws TesseraError `not_allowed`, for guests
 */
export async function sessionList(execution: Execution): Promise<ObjectValue[]> {
  const { principal } = execution.identity;
  if (principal.kind === 'guest') throw guestRefusal();
  const { elsewhere } = execution.services.sessions;
  const here: ObjectValue[] = [];
  for (const session of execution.services.sessions.signedIn()) {
    if (mayEnd(execution, session)) here.push(overview(session, execution, elsewhere?.node));
  }
  if (elsewhere === undefined) return here;
  const sessions = await sessionsElsewhere(execution, elsewhere);
  return [...here, ...sessions.map(({ node, overview }) => objectFrom({ ...overview, current: false, node }))];
}

function overview(session: LastingSession, execution: Execution, node: string | undefined): ObjectValue {
  return objectFrom({
    ...describeSession(session),
    current: session.listener === execution.request.listener,
    ...(node !== undefined && { node }),
  });
}

/** A row of INFO FOR SESSIONS: who, since when, from where; no token. */
export function describeSession({ key, holder, facts }: LastingSession): ObjectValue {
  const { principal, session, access } = holder;
  return objectFrom({
    access,
    active: toDatetime(facts.active),
    behind: new Duration(BigInt(Math.round(facts.behind)) * 1_000_000n),
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
    user: principal.kind === 'system' ? principal.name : holder.auth,
  });
}
