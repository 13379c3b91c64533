/**
 * What was handed out and isn't good any more, although nothing about it tells: single tokens by their ids, and whatever a user was given
 * before some moment. Tokens are named until they expire; a user's moment stays.
 */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Transaction } from '../../storage/contract.js';
import { datetimeNanoseconds } from '../../value/datetime.js';
import { Datetime, isObject, type Value } from '../../value/value.js';
import { forEachEntry } from '../entries.js';
import { type Area, revocationKey, revocationRange } from '../keys.js';
import { toDatetime } from './grant.js';

/** Something that was handed out. */
export interface IssuedCredential {
  /** The id of the token; not all have one. */
  readonly token: string | undefined;
  /** To whom, as `subjectOf` tells it. */
  readonly subject: string;
  /** Nanoseconds since 1970. */
  readonly at: bigint;
}

/** A token as it is named by its claims. */
export interface RevocableToken {
  readonly id: string;
  /** When it expires by itself, in nanoseconds since 1970; `undefined` is never. */
  readonly expiry: bigint | undefined;
}

/** The token with these claims, if it can be named. */
export function revocableToken(claims: Value): RevocableToken | undefined {
  if (!isObject(claims) || typeof claims['jti'] !== 'string') return undefined;
  const { jti, exp } = claims;
  return { id: jti, expiry: typeof exp === 'number' ? BigInt(Math.ceil(exp)) * 1_000_000_000n : undefined };
}

/** RevocationList of the users of a place, within a transaction. */
export class RevocationList {
  constructor(
    readonly transaction: Transaction,
    readonly area: Area,
  ) {}

  isRevoked({ token, subject, at }: IssuedCredential): PromiseOrValue<boolean> {
    return andThen(this.transaction.get(revocationKey(this.area, 'subject', subject)), (until) => {
      if (until instanceof Datetime && at <= datetimeNanoseconds(until)) return true;
      if (token === undefined) return false;
      return andThen(this.transaction.get(revocationKey(this.area, 'token', token)), (stored) => stored !== undefined);
    });
  }

  /** Everything that a user was handed out until `now`. */
  revokeSubject(subject: string, now: bigint): void {
    this.transaction.put(revocationKey(this.area, 'subject', subject), toDatetime(now));
  }

  /** A token, and forgets those that have expired by themselves. */
  revokeToken({ id, expiry }: RevocableToken, now: bigint): PromiseOrValue<void> {
    this.transaction.put(revocationKey(this.area, 'token', id), expiry === undefined ? null : toDatetime(expiry));
    return forEachEntry(this.transaction, revocationRange(this.area, 'token'), ([key, until]) => {
      if (until instanceof Datetime && datetimeNanoseconds(until) <= now) this.transaction.delete(key);
    });
  }
}
