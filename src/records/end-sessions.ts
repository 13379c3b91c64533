/**
 * Ends what the credentials of a user have opened: KILL SESSIONS, and changes of fields that are CREDENTIAL. All of it
 * is in the transaction: nothing ends if that is cancelled.
 */
import { issueTime } from '../auth/tokens/claims.js';
import { andThen, type PromiseOrValue } from '../base/promise-or-value.js';
import {
  type KeptToken,
  type RevocableToken,
  RevocationList,
  revocableToken,
} from '../catalog/credentials/revocation-list.js';
import { areaOf } from '../catalog/definitions/lookup.js';
import { type DatabasePath, type Principal, recordSubject } from '../catalog/principal.js';
import type { Execution, SessionRegistry } from '../runtime/execution.js';
import type { Transaction } from '../storage/contract.js';
import { equals } from '../value/order.js';
import { isObject, type ObjectValue, type RecordId, type Value } from '../value/value.js';
import type { PreparedTable } from './table.js';
import { hasSignedIn } from './users.js';

/** The user whose sessions end. */
export interface Ending {
  /** Where the user is defined. */
  readonly databasePath: DatabasePath;
  readonly subjects: readonly string[];
  /** The user as the audit log names it. */
  readonly of: string;
  /** A record user: the sessions of others needn't be checked. */
  readonly record?: RecordId;
  /** The token of the session that stays. */
  readonly kept?: KeptToken | undefined;
}

/**
 * Revokes all credentials that were issued to a user until now, and ends the sessions opened with them, but the one
 * that stays. Returns whether it does: it may have been ended meanwhile.
 */
export async function endSessions(
  { services: { sessions, environment, revocationFlag }, request: { auditRecorder }, context }: Execution,
  { databasePath, subjects, of, record, kept }: Ending,
): Promise<boolean> {
  const { transaction } = context;
  const area = await areaOf(transaction, databasePath);
  if (area === undefined) return false;
  revocationFlag.set(transaction);
  const revocations = new RevocationList(transaction, area);
  const now = environment.clock.now();
  let stays = false;
  for (const subject of subjects) stays = await revocations.revokeSubject(subject, now, kept);
  revalidate(sessions, transaction, databasePath, record);
  auditRecorder?.recordAction({ action: 'session-kill', databasePath, subject: { of } });
  return stays;
}

/** A sign-in that ends, and where its user is defined. */
export interface EndingSignIn {
  readonly databasePath: DatabasePath;
  /** A record user: the sessions of others needn't be checked. */
  readonly record?: RecordId | undefined;
  readonly token: RevocableToken;
}

/** Revokes a token, with all that descend from the same sign-in, and ends the sessions opened with them. */
export async function endSignIn(
  { services: { sessions, environment, revocationFlag }, context: { transaction } }: Execution,
  { databasePath, record, token }: EndingSignIn,
): Promise<void> {
  const area = await areaOf(transaction, databasePath);
  if (area === undefined) return;
  revocationFlag.set(transaction);
  await new RevocationList(transaction, area).revokeSignIn(token, environment.clock.now());
  revalidate(sessions, transaction, databasePath, record);
}

function revalidate(
  sessions: SessionRegistry,
  transaction: Transaction,
  databasePath: DatabasePath,
  record: RecordId | undefined,
): void {
  if (record === undefined) sessions.scheduleRevalidation(transaction, databasePath);
  else sessions.scheduleRecordRevalidation(transaction, databasePath, record);
}

/** Ends the sessions of a record user of a database, as `endSessions`. */
export function endRecordSessions(
  execution: Execution,
  databasePath: DatabasePath,
  record: RecordId,
  kept: KeptToken | undefined,
): Promise<boolean> {
  const subject = recordSubject(record);
  return endSessions(execution, { databasePath, subjects: [subject], of: subject, record, kept });
}

/**
 * The token of the session that runs the statement, or in SIGNUP and SIGNIN that of the session that they open. Absent
 * for sessions without one: of the process itself, by name and password, by a token of another issuer without an id.
 */
export function ownToken({ request: { entrance }, identity: { token } }: Execution): KeptToken | undefined {
  if (entrance !== undefined) return entrance.token;
  const own = revocableToken(token);
  if (own === undefined || !isObject(token)) return undefined;
  const { iat, jti } = token;
  return { id: own.id, at: issueTime(typeof iat === 'number' ? iat : 0, jti) };
}

/**
 * Call for each record that is updated. If one of its fields that are CREDENTIAL has changed, what the record has been
 * issued before is revoked; a session of its own that has changed it stays.
 */
export function endOnCredentialChange(
  execution: Execution,
  { credentials, entry }: PreparedTable,
  id: RecordId,
  before: ObjectValue,
  after: ObjectValue,
): PromiseOrValue<void> {
  if (credentials.length === 0 || entry.definition.hasUsers !== true) return undefined;
  if (credentials.every((path) => equals(valueAt(before, path), valueAt(after, path)))) return undefined;
  return andThen(hasSignedIn(execution, entry, id), async (has) => {
    if (!has) return;
    const { databasePath, principal } = execution.identity;
    const isOwn = execution.request.entrance !== undefined || isRecord(principal, databasePath, id);
    await endRecordSessions(execution, databasePath, id, isOwn ? ownToken(execution) : undefined);
  });
}

function valueAt(record: ObjectValue, path: readonly string[]): Value {
  return path.reduce<Value>((value, name) => (isObject(value) ? value[name] : undefined), record);
}

function isRecord(principal: Principal, { namespace, database }: DatabasePath, id: RecordId): boolean {
  return (
    principal.kind === 'record' &&
    principal.namespace === namespace &&
    principal.database === database &&
    recordSubject(principal.id) === recordSubject(id)
  );
}
