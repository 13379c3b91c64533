/** The account that a sign-in attempt targets: the keys by which the throttle counts failures. */
import { createHash } from 'node:crypto';
import { readGrantKey } from '../../catalog/credentials/grant.js';
import type { DatabasePath } from '../../catalog/principal.js';
import type { AccessCredentials } from '../credentials.js';
import type { AttemptedVariable } from './attempted-variables.js';

/** The account of a system user as an opaque key: a digest of its path and name. */
export function userAccount(databasePath: DatabasePath, user: string): string {
  return digest('user', databasePath, [user]);
}

/** The keys of a record's account. */
export interface RecordAccount {
  readonly account: string;
  /** What counts by itself as well; none if the account is a single variable or a grant. */
  readonly parts: readonly AccountPart[];
}

export interface AccountPart {
  readonly key: string;
  /** Absent: more variables than count by themselves. */
  readonly variable?: AttemptedVariable;
}

/** Variables that count by themselves. A clause that reads a whole object lets the client choose how many it has. */
const MOST_PARTS = 8;

/**
 * Only the SIGNIN clause knows which variable names the account, so all variables that it reads, except secrets,
 * identify it together, ignoring case. Each also counts by itself, since a guesser could vary the others; attempts with
 * more than `MOST_PARTS` of them count together. Unread variables don't count.
 */
export function recordAccount(
  { databasePath, access, key, refresh }: AccessCredentials,
  variables: readonly AttemptedVariable[],
): RecordAccount {
  // The key of a grant contains the grant's id before its secret.
  const shown = readGrantKey('bearer', key ?? '') ?? readGrantKey('refresh', refresh ?? '');
  if (shown !== undefined) return { account: digest('grant', databasePath, [access, shown.id]), parts: [] };
  const named = variables.map((variable) => `${variable.path}=${normalized(variable.text)}`);
  const account = digest('record', databasePath, [access, ...named]);
  if (variables.length < 2) return { account, parts: [] };
  const byName = new Map(named.map((name, at) => [name, variables[at] as AttemptedVariable]));
  const parts: AccountPart[] = [...byName]
    .slice(0, MOST_PARTS)
    .map(([name, variable]) => ({ key: digest('variable', databasePath, [access, name]), variable }));
  if (byName.size > MOST_PARTS) parts.push({ key: digest('variables', databasePath, [access]) });
  return { account, parts };
}

function normalized(text: string): string {
  return text.slice(0, 256).trim().normalize('NFKC').toLowerCase();
}

function digest(kind: string, { namespace, database }: DatabasePath, parts: readonly string[]): string {
  return createHash('sha256')
    .update(JSON.stringify([kind, namespace, database, ...parts]))
    .digest('base64');
}
