/**
 * What counters of failed sign-ins count, for owners to read: names of accounts as clients have sent them, and
 * addresses. Values that may be secrets are left out.
 */
import { TwoGenerationCache } from '../../base/two-generation-cache.js';
import { readGrantKey } from '../../catalog/credentials/grant.js';
import type { AttemptedAccount } from '../../catalog/credentials/signin-failures.js';
import type { DatabasePath } from '../../catalog/principal.js';
import type { AccessCredentials } from '../credentials.js';
import type { AttemptedVariable } from './attempted-variables.js';

/** Bytes that names may take, and at most as many older ones. */
const CAPACITY = 2 * 1024 * 1024;
/** Bytes of an entry beside its texts, roughly. */
const OVERHEAD = 400;
const BYTES_PER_UNIT = 2;
/** UTF-16 units of a name, and of a path, which decides who may see it and therefore isn't shortened. */
const LONGEST_NAME = 64;
const LONGEST_PATH = 512;

/** Variables that name an account. Of others, the SIGNIN clause alone knows whether they are secrets. */
const NAMING = /^(user|user_?name|login|e?_?mail(_?address)?|name|id|account|handle|phone(_?number)?)$/i;

/** What a counter counts. */
export interface CountedAttempt {
  readonly account?: AttemptedAccount | undefined;
  readonly address?: string | undefined;
}

/** Names by the keys of counters; those that were used last, within bounds. */
export class AttemptNames {
  readonly #names = new TwoGenerationCache<string, CountedAttempt>(CAPACITY, weigh);

  set(counter: string, counted: CountedAttempt): void {
    this.#names.set(counter, counted);
  }

  get(counter: string): CountedAttempt | undefined {
    return this.#names.get(counter);
  }
}

/** A system user as an attempt named it; `undefined` if its path is too long for one that exists. */
export function attemptedUser(databasePath: DatabasePath, user: string): AttemptedAccount | undefined {
  const path = shownPath(databasePath);
  return path && { databasePath: path, name: shownText(user) };
}

/**
 * A record user as an attempt named it: the variables that name an account, which are read by a clause and no secrets,
 * or the id of a grant.
 */
export function attemptedRecord(
  { databasePath, access, key, refresh }: AccessCredentials,
  variables: readonly AttemptedVariable[],
): AttemptedAccount | undefined {
  const path = shownPath(databasePath);
  if (path === undefined) return undefined;
  const grant = readGrantKey('bearer', key ?? '') ?? readGrantKey('refresh', refresh ?? '');
  const named = variables
    .filter(({ path }) => NAMING.test(path.slice(path.lastIndexOf('.') + 1)))
    .map(({ text }) => text.slice(0, LONGEST_NAME));
  const name = grant === undefined ? named.join(', ') : `grant ${grant.id}`;
  return { databasePath: path, access: shownText(access), name: name === '' ? undefined : shownText(name) };
}

/** A text of a client on one line: short, and without control characters and characters that change direction. */
export function shownText(text: string): string {
  return copyOf(text.slice(0, LONGEST_NAME)).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '\uFFFD');
}

function shownPath({ namespace, database }: DatabasePath): DatabasePath | undefined {
  const isLong = (name: string | undefined) => (name?.length ?? 0) > LONGEST_PATH;
  if (isLong(namespace) || isLong(database)) return undefined;
  return { namespace: namespace && copyOf(namespace), database: database && copyOf(database) };
}

/** A part of a string would keep the whole in memory. */
function copyOf(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}

function weigh(counter: string, { account, address = '' }: CountedAttempt): number {
  const { databasePath: { namespace = '', database = '' } = {}, access = '', name = '' } = account ?? {};
  const units = [counter, address, namespace, database, access, name].reduce((sum, text) => sum + text.length, 0);
  return OVERHEAD + BYTES_PER_UNIT * units;
}
