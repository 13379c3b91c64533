/** Which counters of failures a sign-in attempt belongs to. */
import { createHash } from 'node:crypto';
import { networkOf } from '../../base/source-network.js';
import type { AttemptedAccount } from '../../catalog/credentials/signin-failures.js';

/** A sign-in attempt. */
export interface Attempt {
  /** The target account, as an opaque key; `undefined` if unknown, as in a sign-up. */
  readonly account: string | undefined;
  /** What counts besides, being a part of what names the account, as opaque keys. Default: none. */
  readonly parts?: readonly AttemptPart[];
  /** The client's address; `undefined` in process. */
  readonly source: string | undefined;
  /** The account as it is shown to owners. */
  readonly named?: AttemptedAccount | undefined;
}

/** One of several variables that name an account together. */
export interface AttemptPart {
  readonly key: string;
  /** The account as far as this one names it. */
  readonly named?: AttemptedAccount | undefined;
}

/** Characters of base64url: 128 bits. */
const DIGEST_LENGTH = 22;

/** The keys of the counters that an attempt counts for. */
export interface AttemptKeys {
  readonly pair: string | undefined;
  readonly account: string | undefined;
  readonly parts: readonly string[];
  readonly source: string | undefined;
}

export function keysOf({ account, parts = [], source }: Attempt): AttemptKeys {
  const network = source === undefined ? undefined : networkOf(source);
  const pair = account === undefined ? undefined : `${network ?? ''} ${account}`;
  return { account, parts: parts.map(({ key }) => key), source: network, pair };
}

/** So that what is stored of failures is short, and says no names or addresses. */
export function digestsOf({ pair, account, parts, source }: AttemptKeys): AttemptKeys {
  const digest = (key: string | undefined) => (key === undefined ? undefined : digestOf(key));
  return { pair: digest(pair), account: digest(account), parts: parts.map(digestOf), source: digest(source) };
}

function digestOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url').slice(0, DIGEST_LENGTH);
}
