/** DEFINE USER, which hashes the password and draws the secret of the user's tokens. */
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import { userIncarnation } from '../../catalog/credentials/incarnation.js';
import { generateSecret, SIGNING_SECRET_LENGTH } from '../../catalog/credentials/secret.js';
import { putAtLevel } from '../../catalog/ddl/define.js';
import type { UserDefinition } from '../../catalog/definitions/definition.js';
import { findUser } from '../../catalog/definitions/lookup.js';
import { failure } from '../../errors/error.js';
import type { DefineUser } from '../../language/ast.js';
import { DEFAULT_DURATIONS } from '../../language/definitions/durations.js';
import { REDACTED } from '../../language/printer/printer.js';
import type { Execution } from '../../runtime/execution.js';
import type { Compiler, Evaluate } from '../../runtime/frame.js';
import { beginDefinition, compileName, ensureLevel, finish, settled, shouldDefine } from './definition.js';

/**
 * Defines a user. The password is hashed here and kept nowhere; the secret that signs the user's tokens is regenerated,
 * so that a redefinition invalidates earlier tokens. Default durations: an hour for tokens, unlimited for sessions.
 */
export function compileDefineUser(statement: DefineUser, compiler: Compiler): Evaluate {
  const { level, mode } = statement;
  const nameOf = compileName(statement.name, 'user name', compiler);
  return async (frame) => {
    const { execution } = frame;
    const { databasePath, change } = beginDefinition(execution, level, 'own', 'Actor');
    const name = await nameOf(frame);
    await ensureLevel(execution, level);
    const existing = await findUser(change.transaction, databasePath, name);
    if (!shouldDefine(mode, existing !== undefined, () => failure('user_exists', { name, ...databasePath }))) return;
    const passhash = await passhashOf(statement, execution);
    const { password: _, ...rest } = statement;
    const { random } = execution.services.environment;
    const user: UserDefinition = settled(rest, {
      name,
      passhash,
      secret: generateSecret(random, SIGNING_SECRET_LENGTH),
      ...userIncarnation(existing, random),
      durations: { token: DEFAULT_DURATIONS.token, session: undefined, ...statement.durations },
    });
    await putAtLevel(change, databasePath, user);
    return finish(execution);
  };
}

/**
 * Without either, and if an import has no hash, every password is wrong.
 * @throws TesseraError `secret_redacted`
 */
export function passhashOf(
  { password, passhash }: Pick<DefineUser, 'password' | 'passhash'>,
  { services: { passwords }, importing }: Execution,
): PromiseOrValue<string> {
  if (passhash === REDACTED && !importing) throw failure('secret_redacted');
  if (passhash !== undefined) return passhash;
  return password === undefined ? '' : passwords.hash('argon2', password);
}
