/** Creates the first root user, without whom a new server cannot be administered. */
import type { Statement } from '../language/ast.js';
import type { Database, Session } from '../session/contract.js';
import { isObject, type Value } from '../value/value.js';

/** The first user given at startup; without it none is created. */
export interface FirstUser {
  readonly name: string;
  readonly password: string;
}

/** Creates the user as owner unless a root user exists. Answers whether there is one afterwards. */
export async function ensureRootUser(database: Database, user: FirstUser | undefined): Promise<boolean> {
  const session = database.ownerSession();
  try {
    if (await hasRootUser(session)) return true;
    if (user === undefined) return false;
    await run(session, {
      kind: 'define-user',
      name: user.name,
      level: 'root',
      password: user.password,
      roles: ['owner'],
      durations: {},
      comment: 'Made at the first start',
    });
    return true;
  } finally {
    session.close();
  }
}

async function hasRootUser(session: Session): Promise<boolean> {
  const info = await run(session, { kind: 'info', of: { kind: 'root' }, structure: false });
  return isObject(info) && isObject(info.users) && Object.keys(info.users).length > 0;
}

async function run(session: Session, statement: Statement): Promise<Value> {
  const outcome = (await session.execute([statement]))[0]?.outcome;
  if (outcome?.ok === false) throw outcome.error;
  return outcome?.value;
}
