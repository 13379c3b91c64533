/** INFO FOR SIGNIN ATTEMPTS: which accounts and addresses have failed to sign in, and which are delayed. */
import type { FailureCount } from '../../catalog/credentials/signin-failures.js';
import { type DatabasePath, databasePathOf, mayAct } from '../../catalog/principal.js';
import type { Level } from '../../language/ast.js';
import { authorize } from '../../runtime/authorization/authorize.js';
import type { Execution } from '../../runtime/execution.js';
import { toDatetime } from '../../value/time/datetime.js';
import { type ObjectValue, objectFrom } from '../../value/value.js';

/** Maximum number of rows, the latest first. */
const MOST_LISTED = 1_000;
/** Counters between two checks of the interrupt. */
const STEP = 1_000;

/** Owners see the accounts of their level and below; those of the root all, addresses included. */
export async function signInAttempts(execution: Execution): Promise<ObjectValue[]> {
  const { identity, interrupt, services } = execution;
  const { principal } = identity;
  authorize(identity, 'own', principal.kind === 'system' ? databasePathOf(principal) : {}, 'Actor');
  const mayName = (path: DatabasePath) => mayAct(principal, 'own', path);
  let found: FailureCount[] = [];
  let seen = 0;
  for (const each of services.inspection.signInFailures.list()) {
    if (++seen % STEP === 0) await interrupt.checkpoint();
    if (!mayName(each.account?.databasePath ?? {})) continue;
    found.push(each);
    if (found.length >= 2 * MOST_LISTED) found = latest(found);
  }
  const node = services.sessions.elsewhere?.node;
  return latest(found).map((each) => describeFailures(each, node));
}

function latest(failures: FailureCount[]): FailureCount[] {
  return failures.sort((one, other) => Number(other.last - one.last)).slice(0, MOST_LISTED);
}

function describeFailures(failures: FailureCount, node: string | undefined): ObjectValue {
  const { account, address, delayedUntil, last, nodes, since, of } = failures;
  const { namespace, database } = account?.databasePath ?? {};
  return objectFrom({
    access: account?.access,
    address,
    database,
    delayed_until: delayedUntil === undefined ? undefined : toDatetime(delayedUntil),
    failures: failures.failures,
    last: toDatetime(last),
    level: account && levelOf(account.databasePath),
    namespace,
    ...(node !== undefined && { node, nodes: [...nodes] }),
    of,
    since: toDatetime(since),
    user: account?.name,
  });
}

function levelOf({ namespace, database }: DatabasePath): Level {
  return namespace === undefined ? 'root' : database === undefined ? 'namespace' : 'database';
}
