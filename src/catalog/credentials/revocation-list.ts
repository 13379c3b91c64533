/**
 * Revocation list: token ids, a not-valid-before time per user, and one of the whole store (`era.ts`). Token ids are
 * kept until the tokens expire; a user's time is kept for ever.
 */
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import type { Transaction } from '../../storage/contract.js';
import { datetimeNanoseconds, toDatetime } from '../../value/time/datetime.js';
import { Datetime, isObject, type Value } from '../../value/value.js';
import { restoredAt } from '../changefeed/era.js';
import { forEachEntry } from '../entries.js';
import { type Area, revocationKey, revocationRange } from '../keys/store-keys.js';

/** An issued credential to check. */
export interface IssuedCredential {
  /** The token's id (`jti`), if it has one. */
  readonly token: string | undefined;
  /** The id of the identity that it was signed in by, if any. */
  readonly identity?: string | undefined;
  /** The owner, as given by `subjectOf`. */
  readonly subject: string;
  /** Time of issue in nanoseconds since 1970. */
  readonly at: bigint;
}

/** A token that can be revoked by its id. */
export interface RevocableToken {
  readonly id: string;
  /** Expiry in nanoseconds since 1970; `undefined`: never. */
  readonly expiry: bigint | undefined;
}

/** The token with these claims, if it has an id. */
export function revocableToken(claims: Value): RevocableToken | undefined {
  if (!isObject(claims) || typeof claims['jti'] !== 'string') return undefined;
  const { jti, exp } = claims;
  return { id: jti, expiry: typeof exp === 'number' ? BigInt(Math.ceil(exp)) * 1_000_000_000n : undefined };
}

/** The revocations at one path, within a transaction. */
export class RevocationList {
  constructor(
    readonly transaction: Transaction,
    readonly area: Area,
  ) {}

  async isRevoked({ token, identity, subject, at }: IssuedCredential): Promise<boolean> {
    const restored = await restoredAt(this.transaction);
    if (restored !== undefined && at <= restored) return true;
    const until = await this.transaction.get(revocationKey(this.area, 'subject', subject));
    if (until instanceof Datetime && at <= datetimeNanoseconds(until)) return true;
    for (const id of [token, identity]) {
      if (id === undefined) continue;
      const found = await this.transaction.get(revocationKey(this.area, 'token', id));
      if (found !== undefined) return true;
    }
    return false;
  }

  /** Revokes everything issued to a user until `now`. */
  revokeSubject(subject: string, now: bigint): void {
    this.transaction.put(revocationKey(this.area, 'subject', subject), toDatetime(now));
  }

  /** Revokes a token, or all that were signed in by an identity, and removes expired tokens from the list. */
  revokeToken({ id, expiry }: RevocableToken, now: bigint): PromiseOrValue<void> {
    this.transaction.put(revocationKey(this.area, 'token', id), expiry === undefined ? null : toDatetime(expiry));
    return forEachEntry(this.transaction, revocationRange(this.area, 'token'), ([key, until]) => {
      if (until instanceof Datetime && datetimeNanoseconds(until) <= now) this.transaction.delete(key);
    });
  }
}
