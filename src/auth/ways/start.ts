/** Begins a sign-in request at an access method with a way. */
import type { DatabasePath, Principal } from '../../catalog/principal.js';
import { failure } from '../../errors/error.js';
import { isObject, type ObjectValue } from '../../value/value.js';
import type { AuthContext } from '../context.js';
import type { SessionIdentity } from '../identity.js';
import { recordDatabasePath } from '../kinds/record-access.js';
import { assertSecondFactor } from '../second-factor/factors.js';
import { assuranceIn } from './bearer.js';
import { readStart } from './start-body.js';
import { startSystemUser } from './system-users.js';
import type { StartedRequest, WayPlace } from './way.js';
import { wayRow } from './ways.js';

/** Where a request is begun, and with what. */
export interface StartCall {
  readonly databasePath: DatabasePath;
  readonly access: string;
  /** As `readStart` reads it. */
  readonly body: ObjectValue;
  /** Who begins it: a record user for a link or step, else any client. */
  readonly identity: SessionIdentity;
}

/**
 * Begins a request to sign in, link or step. Answers and errors take the same time.
 * @throws TesseraError `start_malformed`, `invalid_auth` for an unknown access method, `access_method_mismatch` for one
 * without a way, and what the way throws
 */
export function startRequest(
  context: AuthContext,
  { databasePath, access: name, body, identity }: StartCall,
): Promise<StartedRequest> {
  return context.startDelay.constant(async () => {
    const read = readStart(body);
    const access = await context.directory.access(databasePath, name);
    if (access === undefined) throw failure('invalid_auth');
    const { accessKind } = access;
    if (accessKind.kind === 'provider')
      return startSystemUser(context, { databasePath, access: { ...access, accessKind } }, read, identity.origin);
    const place = recordDatabasePath(databasePath);
    if (place === undefined) throw failure('invalid_auth');
    if (accessKind.kind !== 'record' || accessKind.way === undefined) throw failure('access_method_mismatch');
    const { way } = accessKind;
    // A record of another database may have the same id.
    if ((read.link || read.step) && !isOf(identity.principal, place)) throw failure('record_user_required');
    if (read.link) await assertMayLink(context, place, identity);
    return wayRow(way).start(context, { databasePath: place, access: { ...access, accessKind } }, way, read, identity);
  });
}

function isOf(principal: Principal, { namespace, database }: WayPlace['databasePath']): boolean {
  return principal.kind === 'record' && principal.namespace === namespace && principal.database === database;
}

/** @throws TesseraError `second_factor_required`: one factor alone must not lead to the other. */
async function assertMayLink(
  { directory }: AuthContext,
  databasePath: WayPlace['databasePath'],
  { principal, token }: SessionIdentity,
): Promise<void> {
  if (principal.kind !== 'record' || !isObject(token)) return;
  const assurance = assuranceIn(token);
  await directory.proving(databasePath, (rows) =>
    assertSecondFactor(rows, principal.id, principal.incarnation, assurance),
  );
}
