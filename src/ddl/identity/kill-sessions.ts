/**
 * KILL SESSION and KILL SESSIONS: end sessions at once, and revoke the tokens that would open them again.
 *
 * Every user may end their own sessions; owners of a level may end those of users who are defined there or below.
 * Stored code may end those of any record user: its author has chosen whose.
 */
import { revocableToken } from '../../catalog/credentials/revocation-list.js';
import type { UserDefinition } from '../../catalog/definitions/definition.js';
import { findUser } from '../../catalog/definitions/lookup.js';
import type { PresentSession } from '../../catalog/nodes/presence.js';
import {
  type DatabasePath,
  databasePathOf,
  mayAct,
  type Principal,
  recordSubject,
  subjectOf,
  userKey,
  userSubject,
} from '../../catalog/principal.js';
import { failure } from '../../errors/error.js';
import type { KillSessions } from '../../language/ast.js';
import { printExpression } from '../../language/print.js';
import { endRecordSessions, endSessions, endSignIn, ownToken } from '../../records/end-sessions.js';
import { authorize, guestRefusal } from '../../runtime/authorization/authorize.js';
import { selectedDatabase, selectedPath } from '../../runtime/authorization/selected-database.js';
import type { Execution, LastingSession } from '../../runtime/execution.js';
import type { Compiler, Evaluate } from '../../runtime/frame.js';
import type { SessionsElsewhere } from '../../runtime/nodes.js';
import { toText } from '../../value/text/text.js';
import { Range, RecordId, Uuid, type Value } from '../../value/value.js';

type Which = KillSessions['which'];

export function compileKillSessions({ which }: KillSessions, compiler: Compiler): Evaluate {
  const kill = compileWhich(which, compiler);
  return async (frame) => {
    if (!frame.execution.writable) throw failure('read_only');
    await kill(frame);
  };
}

function compileWhich(which: Which, compiler: Compiler): Evaluate {
  switch (which.kind) {
    case 'one': {
      const evaluate = compiler.expression(which.id);
      const shown = printExpression(which.id);
      return async (frame) => {
        const id = await evaluate(frame);
        return killOne(frame.execution, id, shown);
      };
    }
    case 'own':
      return async ({ execution }) => {
        const { principal } = execution.identity;
        if (principal.kind === 'guest') throw guestRefusal();
        const of = principal.kind === 'system' ? userSubject({ name: principal.name }) : recordSubject(principal.id);
        return endSessions(execution, {
          databasePath: databasePathOf(principal),
          subjects: [subjectOf(principal)],
          of,
        });
      };
    case 'others':
      return ({ execution }) => killOthers(execution);
    case 'user':
      return async ({ execution }) => {
        const databasePath = selectedPath(execution, which.level);
        const { name } = which;
        const user = await findUser(execution.context.transaction, databasePath, name);
        return killUser(execution, databasePath, name, user);
      };
    case 'record': {
      const evaluate = compiler.expression(which.record);
      return async (frame) => {
        const id = await evaluate(frame);
        if (!(id instanceof RecordId) || id.key instanceof Range)
          throw failure('invalid_target', { statement: 'KILL', value: toText(id) });
        const { execution } = frame;
        const databasePath = selectedDatabase(execution);
        if (execution.inStoredCode !== true) assertMayKill(execution, databasePath, recordSubject(id));
        await endRecordSessions(execution, databasePath, id, execution.request.entrance?.token);
      };
    }
  }
}

/**
 * Ends all sessions of the caller but this one. A system user of higher rights has in stored code those of an editor,
 * who must not end the sessions of others.
 * @throws TesseraError `not_allowed`; `session_expired` if this session was ended by another one meanwhile
 */
async function killOthers(execution: Execution): Promise<undefined> {
  const {
    identity: { principal },
    request: { entrance },
  } = execution;
  if (principal.kind === 'guest') {
    if (entrance === undefined) throw guestRefusal();
    entrance.endsOthers = true;
    return;
  }
  const databasePath = databasePathOf(principal);
  const kept = ownToken(execution);
  if (principal.kind === 'system' && execution.inStoredCode === true)
    authorize(execution.identity, 'own', databasePath, 'Actor');
  const of = principal.kind === 'system' ? userSubject({ name: principal.name }) : recordSubject(principal.id);
  const record = principal.kind === 'record' ? { record: principal.id } : {};
  const ending = { databasePath, subjects: [subjectOf(principal)], of, kept, ...record };
  const stays = await endSessions(execution, ending);
  if (kept !== undefined && !stays) throw failure('session_expired');
}

/** A session that isn't there, and one that is not theirs to end, are indistinguishable to the caller. */
async function killOne(execution: Execution, id: Value, shown: string): Promise<undefined> {
  const {
    services: { sessions },
    context,
  } = execution;
  const key = id instanceof Uuid ? id.text : id;
  const session = [...sessions.signedIn()].find((each) => each.key === key && mayEnd(execution, each));
  const principal = session?.holder.principal;
  if (session !== undefined && principal !== undefined && principal.kind !== 'guest') {
    context.transaction.afterCommit(() => session.end());
    const token = revocableToken(session.holder.token);
    const record = principal.kind === 'record' ? principal.id : undefined;
    return killed(execution, { id: session.key, databasePath: databasePathOf(principal), record, token });
  }
  const { elsewhere } = sessions;
  if (elsewhere === undefined) throw failure('session_missing', { id: shown });
  const others = await sessionsElsewhere(execution, elsewhere);
  const other = others.find((each) => each.id === key);
  if (other === undefined) throw failure('session_missing', { id: shown });
  elsewhere.end(context.transaction, other);
  return killed(execution, other);
}

interface KilledSession extends Pick<PresentSession, 'id' | 'databasePath' | 'token'> {
  /** The record that had signed in, if it is known and one. */
  readonly record?: RecordId | undefined;
}

/** Audits the end of a session, and ends its sign-in, whose tokens would open it again. */
async function killed(execution: Execution, { id, databasePath, record, token }: KilledSession): Promise<undefined> {
  const subject = { session: id };
  execution.request.auditRecorder?.recordAction({ action: 'session-kill', databasePath, subject });
  if (token !== undefined) await endSignIn(execution, { databasePath, record, token });
}

/** The sessions of other nodes that the principal may end. */
export async function sessionsElsewhere(
  { context, identity: { principal } }: Execution,
  elsewhere: SessionsElsewhere,
): Promise<readonly PresentSession[]> {
  if (principal.kind === 'guest') return [];
  // A user without the role of an owner has only sessions of their own.
  const ownsSome = mayAct(principal, 'own', databasePathOf(principal));
  const sessions = await elsewhere.all(context.transaction, ownsSome ? undefined : userKey(principal));
  return sessions.filter(
    ({ databasePath, subject }) =>
      isSubject(principal, databasePath, subject) || mayAct(principal, 'own', databasePath),
  );
}

/**
 * Owners end the sessions of the defined user, and of those whom another issuer gave that name; the user only their
 * own.
 */
async function killUser(
  execution: Execution,
  databasePath: DatabasePath,
  name: string,
  user: UserDefinition | undefined,
): Promise<undefined> {
  const of = userSubject({ name });
  const subject = user === undefined ? of : userSubject(user);
  assertMayKill(execution, databasePath, subject);
  const subjects = mayAct(execution.identity.principal, 'own', databasePath) ? [subject, of] : [subject];
  await endSessions(execution, { databasePath, subjects, of });
}

/** @throws TesseraError `not_allowed` */
function assertMayKill({ identity }: Execution, databasePath: DatabasePath, subject: string): void {
  if (!isSubject(identity.principal, databasePath, subject)) authorize(identity, 'own', databasePath, 'Actor');
}

/** Whether a session is of the user who asks, or of one whom they own. */
export function mayEnd({ identity }: Execution, { holder: { principal } }: LastingSession): boolean {
  if (principal.kind === 'guest') return false;
  const databasePath = databasePathOf(principal);
  return (
    isSubject(identity.principal, databasePath, subjectOf(principal)) || mayAct(identity.principal, 'own', databasePath)
  );
}

function isSubject(principal: Principal, databasePath: DatabasePath, subject: string): boolean {
  if (principal.kind === 'guest') return false;
  const { namespace, database } = databasePathOf(principal);
  return namespace === databasePath.namespace && database === databasePath.database && subjectOf(principal) === subject;
}
