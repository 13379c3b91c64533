/** Creates the first root user, without whom a new server cannot be administered. */
import type { Statement } from '../language/ast.js';
import type { Database, Session, StatementExecutor } from '../session/contract.js';
import { isConflict } from '../storage/retry.js';
import { isObject, type Value } from '../value/value.js';

/** The first user given at startup; without it none is created. */
export interface FirstUser {
  readonly name: string;
  readonly password: string;
}

/** Creates the user as owner unless a root user exists. */
export async function ensureRootUser(database: Database, user: FirstUser): Promise<void> {
  const session = database.ownerSession();
  try {
    await makeRootUser(session, user, 'Made at the first start');
  } finally {
    session.close();
  }
}

/** Whether there is a root user. */
export async function hasRootUser(database: Database): Promise<boolean> {
  const session = database.ownerSession();
  try {
    return await findsRootUser(session);
  } finally {
    session.close();
  }
}

/**
 * Creates the user as owner unless a root user exists: in one transaction, so that of several attempts at the same time
 * one creates a user. Returns whether this one did.
 */
export async function makeRootUser(session: Session, user: FirstUser, comment: string): Promise<boolean> {
  const transaction = await session.begin();
  try {
    if (await findsRootUser(transaction)) return false;
    await run(transaction, {
      kind: 'define-user',
      name: user.name,
      level: 'root',
      password: user.password,
      roles: ['owner'],
      durations: {},
      comment,
    });
    await transaction.commit();
    return true;
  } catch (error) {
    // Another one came first: this one finds its user.
    if (isConflict(error)) return makeRootUser(session, user, comment);
    throw error;
  } finally {
    transaction.cancel();
  }
}

async function findsRootUser(executor: StatementExecutor): Promise<boolean> {
  const info = await run(executor, { kind: 'info', of: { kind: 'root' }, structure: false });
  return isObject(info) && isObject(info.users) && Object.keys(info.users).length > 0;
}

async function run(executor: StatementExecutor, statement: Statement): Promise<Value> {
  const outcome = (await executor.execute([statement]))[0]?.outcome;
  if (outcome?.ok === false) throw outcome.error;
  return outcome?.value;
}
