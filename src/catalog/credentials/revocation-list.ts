/**
 * Revocation list: token ids, a not-valid-before time per user with one token that it excepts, and one of the whole
 * store (`era.ts`). Token ids are kept until the tokens expire; a user's time is kept for ever.
 */
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import type { Transaction } from '../../storage/contract.js';
import { datetimeNanoseconds, toDatetime } from '../../value/time/datetime.js';
import { Datetime, isObject, objectFrom, type Value } from '../../value/value.js';
import { restoredAt } from '../changefeed/era.js';
import { forEachEntry } from '../entries.js';
import { type Area, revocationKey, revocationRange } from '../keys/store-keys.js';
import { Grants } from './grant.js';

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
  /** What it was issued by or with, which other tokens may descend from. */
  readonly grant?: TokenGrant | undefined;
}

/** The grant that a bearer has signed in with, or a family of refresh tokens. */
export interface TokenGrant {
  readonly access: string;
  readonly id: string;
}

/** The token of a session that stays when all others of its user end. */
export interface KeptToken {
  readonly id: string;
  /** Time of issue in nanoseconds since 1970. Absent: the transaction itself proves the sign-in that it is for. */
  readonly at?: bigint;
}

/** The token with these claims, if it has an id. */
export function revocableToken(claims: Value): RevocableToken | undefined {
  if (!isObject(claims) || typeof claims['jti'] !== 'string') return undefined;
  const { jti, exp, AC: access, GR: grant } = claims;
  return {
    id: jti,
    expiry: typeof exp === 'number' ? BigInt(Math.ceil(exp)) * 1_000_000_000n : undefined,
    grant: typeof access === 'string' && typeof grant === 'string' ? { access, id: grant } : undefined,
  };
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
    if (until instanceof Datetime && at <= datetimeNanoseconds(until)) {
      const isKept = token !== undefined && (await this.#keeps(subject, until, token));
      if (!isKept) return true;
    }
    for (const id of [token, identity]) {
      if (id === undefined) continue;
      const found = await this.transaction.get(revocationKey(this.area, 'token', id));
      if (found !== undefined) return true;
    }
    return false;
  }

  /** Whether the last revocation of a user has kept a token. */
  async #keeps(subject: string, until: Datetime, token: string): Promise<boolean> {
    const row = await this.transaction.get(revocationKey(this.area, 'kept', subject));
    // A release that knows no exceptions leaves that of an earlier revocation.
    if (!isObject(row) || !(row['until'] instanceof Datetime)) return false;
    return row['token'] === token && datetimeNanoseconds(row['until']) === datetimeNanoseconds(until);
  }

  async #mayKeep(subject: string, { id, at }: KeptToken): Promise<boolean> {
    return at === undefined || !(await this.isRevoked({ token: id, subject, at }));
  }

  /**
   * Revokes everything issued to a user until `now`, but the token of the session that stays, with the refresh token
   * that was issued with it. A token that is revoked already isn't brought back: its session may have begun this before
   * another one has ended it. Returns whether it stays.
   */
  async revokeSubject(subject: string, now: bigint, kept?: KeptToken): Promise<boolean> {
    const keys = {
      subject: revocationKey(this.area, 'subject', subject),
      kept: revocationKey(this.area, 'kept', subject),
    };
    const isKept = kept !== undefined && (await this.#mayKeep(subject, kept));
    const former = await this.transaction.get(keys.subject);
    // Another server's clock may be ahead.
    const until = former instanceof Datetime && datetimeNanoseconds(former) > now ? former : toDatetime(now);
    this.transaction.put(keys.subject, until);
    if (isKept) this.transaction.put(keys.kept, objectFrom({ until, token: kept.id }));
    else this.transaction.delete(keys.kept);
    return isKept;
  }

  /** Revokes a token with all that descend from the same sign-in by refresh tokens. */
  async revokeSignIn(token: RevocableToken, now: bigint): Promise<void> {
    const { grant } = token;
    if (grant !== undefined) {
      const grants = new Grants(this.transaction, this.area, grant.access);
      const found = await grants.find(grant.id);
      // What a bearer signs in with is no refresh token, and stays. The first of a family may have been purged.
      if (found === undefined || found.family !== undefined) grants.revokeFamily(grant.id, toDatetime(now));
    }
    await this.revokeToken(token, now);
  }

  /** Revokes a token, or all that were signed in by an identity, and removes expired tokens from the list. */
  revokeToken({ id, expiry }: RevocableToken, now: bigint): PromiseOrValue<void> {
    this.transaction.put(revocationKey(this.area, 'token', id), expiry === undefined ? null : toDatetime(expiry));
    return forEachEntry(this.transaction, revocationRange(this.area, 'token'), ([key, until]) => {
      if (until instanceof Datetime && datetimeNanoseconds(until) <= now) this.transaction.delete(key);
    });
  }
}
