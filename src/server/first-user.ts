/** The first root user, without whom nobody could administer a new server. */
import type { Statement } from '../language/ast.js';
import type { Database, Session } from '../session/contract.js';
import { isObject, type Value } from '../value/value.js';

/** What the start says about the first user; nothing is made without it. */
export interface FirstUser {
  readonly name: string;
  readonly password: string;
}

/** Makes the user an owner of everything, unless there is a root user already. Tells whether there is one afterwards. */
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
