/** What the throttle counts failures by: whom a try to sign in is aimed at. */
import { createHash } from 'node:crypto';
import type { Place } from '../catalog/principal.js';
import type { AccessCredentials } from './credentials.js';

/** Variables by these names are what is being guessed, not whom. */
const SECRETS = /pass|pwd|secret|token|otp|pin$|code|key|refresh/i;

export function userAccount(place: Place, user: string): string {
  return digest('user', place, [user]);
}

/**
 * Which variable of a sign-in query names the account is the query's own business, so all short ones that aren't called like a secret do
 * so together, in whatever case they are written.
 */
export function recordAccount({ place, access, variables }: AccessCredentials): string {
  const told: string[] = [access];
  for (const name of Object.keys(variables).sort()) {
    const value = variables[name];
    if (SECRETS.test(name) || (typeof value !== 'string' && typeof value !== 'number')) continue;
    told.push(`${name}=${String(value).slice(0, 256).trim().normalize('NFKC').toLowerCase()}`);
  }
  return digest('record', place, told);
}

function digest(kind: string, { namespace, database }: Place, told: readonly string[]): string {
  return createHash('sha256')
    .update(JSON.stringify([kind, namespace, database, ...told]))
    .digest('base64');
}
