/** The subject of EXPLAIN PERMISSIONS, and its caller. */
import type { AccessDefinition } from '../../catalog/definitions/definition.js';
import type { Identity, Principal } from '../../catalog/principal.js';
import { authorize } from '../../runtime/authorization/authorize.js';
import { UNCHECKED } from '../../runtime/authorization/permission.js';
import { selectedDatabase } from '../../runtime/authorization/selected-database.js';
import type { Execution } from '../../runtime/execution.js';
import { Frame } from '../../runtime/frame.js';
import { Variants } from '../../runtime/variants.js';
import { cast } from '../../value/cast.js';
import { newObject, type RecordId, type Value } from '../../value/value.js';

/**
 * The execution in which the caller evaluates the statement's own expressions: the caller may edit the database, and so
 * see all of it. In a view (`view_as`) that is the viewing owner; nothing may have effects there either.
 * @throws TesseraError `not_allowed`
 */
export function callerFrame(frame: Frame): Frame {
  const { execution, scope, current, parent } = frame;
  const { viewer, ...identity } = { ...execution.identity, session: execution.identity.session };
  const asker: Identity = viewer === undefined ? execution.identity : { ...identity, principal: viewer, viewer };
  authorize(asker, 'edit', selectedDatabase(execution), 'Any');
  if (viewer === undefined) return frame;
  return new Frame(
    { ...execution, identity: asker, checks: UNCHECKED, variants: new Variants() },
    scope,
    current,
    parent,
  );
}

/** The record in the operand of AS or ON. @throws TesseraError `cast` */
export function recordOf(value: Value): RecordId {
  return cast(value, { kind: 'record', tables: [] }, () => undefined) as RecordId;
}

/**
 * The identity of a record user who has just signed in with an access method, if it is known, or of a guest. Without a
 * record in a view: the one that it shows.
 */
export function explainedIdentity(execution: Execution, id: RecordId | undefined, access?: AccessDefinition): Identity {
  if (id === undefined && execution.identity.viewer !== undefined) return execution.identity;
  const databasePath = selectedDatabase(execution);
  const { namespace = '', database = '' } = databasePath;
  const principal: Principal =
    id === undefined ? { kind: 'guest' } : { kind: 'record', namespace, database, access: access?.name ?? '', id };
  const session = newObject();
  Object.assign(session, { ns: namespace, db: database, ...(id && { rd: id }), ...(access && { ac: access.name }) });
  let token: Value;
  if (access !== undefined) {
    token = Object.assign(newObject(), { AC: access.name, DB: database, ID: id, NS: namespace });
    session['tk'] = token;
  }
  const { viewer } = execution.identity;
  return { principal, databasePath, session, token, auth: id, access: access?.name, viewer };
}

/** The read-only execution in which clauses are evaluated for the subject. */
export function subjectTo(execution: Execution, identity: Identity): Execution {
  return { ...execution, identity, checks: { view: true, edit: true }, writable: false, variants: new Variants() };
}
