/** The account that a sign-in attempt targets: the key by which the throttle counts failures. */
import { createHash } from 'node:crypto';
import { readGrantKey } from '../catalog/credentials/grant.js';
import type { DatabasePath } from '../catalog/principal.js';
import type { Expression } from '../language/ast.js';
import { walk } from '../language/visitor.js';
import type { AccessCredentials } from './credentials.js';

/** Variables with such names are secrets to guess rather than account names. */
export const SECRETS = /pass|pwd|secret|token|otp|pin$|code|key|refresh/i;

/** The account of a system user as an opaque key: a digest of its path and name. */
export function userAccount(databasePath: DatabasePath, user: string): string {
  return digest('user', databasePath, [user]);
}

/**
 * Only the SIGNIN clause knows which variable names the account, so all variables that it reads, except secrets,
 * identify it together, ignoring case. Unread variables don't count, since a guesser could vary them.
 */
export function recordAccount(
  { databasePath, access, variables, key, refresh }: AccessCredentials,
  signin: Expression | undefined,
): string {
  // The key of a grant contains the grant's id before its secret.
  const shown = readGrantKey('bearer', key ?? '') ?? readGrantKey('refresh', refresh ?? '');
  if (shown !== undefined) return digest('grant', databasePath, [access, shown.id]);
  const names = signin === undefined ? Object.keys(variables) : variablesOf(signin);
  const parts: string[] = [access];
  for (const name of [...names].sort()) {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (SECRETS.test(name) || (typeof value !== 'string' && typeof value !== 'number')) continue;
    parts.push(`${name}=${String(value).slice(0, 256).trim().normalize('NFKC').toLowerCase()}`);
  }
  return digest('record', databasePath, parts);
}

function variablesOf(clause: Expression): Set<string> {
  const names = new Set<string>();
  walk(clause, {
    expression(node) {
      if (node.kind === 'param') names.add(node.name);
    },
  });
  return names;
}

function digest(kind: string, { namespace, database }: DatabasePath, parts: readonly string[]): string {
  return createHash('sha256')
    .update(JSON.stringify([kind, namespace, database, ...parts]))
    .digest('base64');
}
