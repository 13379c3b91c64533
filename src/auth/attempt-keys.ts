/** Which counters of failures a sign-in attempt belongs to. */
import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { AttemptedAccount } from '../catalog/credentials/signin-failures.js';

/** A sign-in attempt. */
export interface Attempt {
  /** The target account, as an opaque key; `undefined` if unknown, as in a sign-up. */
  readonly account: string | undefined;
  /** The client's address; `undefined` in process. */
  readonly source: string | undefined;
  /** The account as it is shown to owners. */
  readonly named?: AttemptedAccount | undefined;
}

/** Characters of base64url: 128 bits. */
const DIGEST_LENGTH = 22;

/** The keys of the counters that an attempt counts for. */
export interface AttemptKeys {
  readonly pair: string | undefined;
  readonly account: string | undefined;
  readonly source: string | undefined;
}

export function keysOf({ account, source }: Attempt): AttemptKeys {
  const network = source === undefined ? undefined : networkOf(source);
  return { account, source: network, pair: account === undefined ? undefined : `${network ?? ''} ${account}` };
}

/** So that what is stored of failures is short, and says no names or addresses. */
export function digestsOf({ pair, account, source }: AttemptKeys): AttemptKeys {
  const digest = (key: string | undefined) =>
    key === undefined ? undefined : createHash('sha256').update(key).digest('base64url').slice(0, DIGEST_LENGTH);
  return { pair: digest(pair), account: digest(account), source: digest(source) };
}

/** The IPv4 address, or the /64 network of an IPv6 address, which one customer controls. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = '', tail] = (address.split('%')[0] as string).toLowerCase().split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const after = tail === '' ? 0 : tail.split(':').length + (tail.includes('.') ? 1 : 0);
    while (groups.length + after < 8) groups.push('0');
  }
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
