/**
 * Grants: what lets a bearer in without a password, handed out by ACCESS … GRANT and by sign-ins WITH REFRESH. Only a digest of a grant's
 * secret is kept; the secret has enough bits of chance in it that a fast digest is as good as a slow one.
 *
 * Refresh tokens are used once, and each is replaced by the next of its family. Once a family is revoked none of its tokens is worth
 * anything, however it came about.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Environment } from '../../env/environment.js';
import type { Transaction } from '../../storage/contract.js';
import { datetimeFromNanoseconds, datetimeNanoseconds, MAX_DATETIME } from '../../value/datetime.js';
import { Datetime, isObject, newObject, RecordId, type Value } from '../../value/value.js';
import { forEachEntry } from '../entries.js';
import { type Area, grantFamilyKey, grantKey, grantRange } from '../keys.js';
import { generateSecret } from './secret.js';

export type GrantSubject =
  | { readonly kind: 'user'; readonly name: string }
  | {
      readonly kind: 'record';
      readonly record: RecordId;
      /** Which incarnation of the record (`incarnation.ts`); grants of older releases don't tell. */
      readonly incarnation?: string | undefined;
    };

export interface Grant {
  readonly id: string;
  readonly access: string;
  readonly subject: GrantSubject;
  readonly creation: Datetime;
  /** Without it the grant has no end. */
  readonly expiration?: Datetime | undefined;
  readonly revocation?: Datetime | undefined;
  readonly digest: Uint8Array;
  /** Of a refresh token: the id of the first of those that replaced one another. */
  readonly family?: string | undefined;
  /** Of a refresh token: the id of the access token that was issued with it. */
  readonly token?: string | undefined;
  /** A refresh token that was used, which revokes it. */
  readonly used?: boolean | undefined;
}

const ID_LENGTH = 12;
const SECRET_LENGTH = 24;

/** What the key of a grant begins with. */
const PREFIXES = { bearer: 'surreal-bearer', refresh: 'surreal-refresh' } as const;
export type GrantUse = keyof typeof PREFIXES;

/** A key as its bearer sends it. */
export interface GrantKey {
  readonly id: string;
  readonly secret: string;
}

export interface NewGrant {
  readonly access: string;
  readonly subject: GrantSubject;
  /** Nanoseconds; without end if `undefined`. */
  readonly lifetime: bigint | undefined;
  /** The family of the refresh token that it replaces. */
  readonly family?: string | undefined;
  /** Of a refresh token: the id of the access token that is issued with it. */
  readonly token?: string | undefined;
}

/** A new grant and its key, which is told once and kept nowhere. */
export function generateGrant(
  { clock, random }: Environment,
  use: GrantUse,
  { access, subject, lifetime, family, token }: NewGrant,
): { readonly grant: Grant; readonly key: string } {
  const id = generateSecret(random, ID_LENGTH);
  const secret = generateSecret(random, SECRET_LENGTH);
  const now = clock.now();
  const grant: Grant = {
    id,
    access,
    subject,
    creation: toDatetime(now),
    expiration: lifetime === undefined ? undefined : toDatetime(now + lifetime),
    digest: digestOf(secret),
    family: use === 'refresh' ? (family ?? id) : undefined,
    token,
  };
  return { grant, key: `${PREFIXES[use]}-${id}-${secret}` };
}

/** Reads a key; `undefined` when it hasn't the form of one of this use. */
export function readGrantKey(use: GrantUse, text: string): GrantKey | undefined {
  const prefix = `${PREFIXES[use]}-`;
  const secretAt = prefix.length + ID_LENGTH + 1;
  if (!text.startsWith(prefix) || text.length !== secretAt + SECRET_LENGTH || text[secretAt - 1] !== '-')
    return undefined;
  return { id: text.slice(prefix.length, secretAt - 1), secret: text.slice(secretAt) };
}

/** Whether the secret of a key is that of a grant, told in the same time whatever differs. */
export function secretMatches({ secret }: GrantKey, { digest }: Grant): boolean {
  return timingSafeEqual(digestOf(secret), digest);
}

export function isExpired({ expiration }: Grant, now: bigint): boolean {
  return expiration !== undefined && datetimeNanoseconds(expiration) <= now;
}

function digestOf(secret: string): Uint8Array {
  return createHash('sha256').update(secret).digest();
}

/** A moment that is told in nanoseconds since 1970; lifetimes may lead beyond all dates. */
export function toDatetime(nanoseconds: bigint): Datetime {
  return datetimeFromNanoseconds(nanoseconds) ?? MAX_DATETIME;
}

/** The grants of an access method within a transaction. */
export class Grants {
  constructor(
    readonly transaction: Transaction,
    readonly area: Area,
    readonly access: string,
  ) {}

  find(id: string): PromiseOrValue<Grant | undefined> {
    return andThen(this.transaction.get(grantKey(this.area, this.access, id)), (stored) => this.#read(id, stored));
  }

  /** All of them, in the order of their ids. */
  list(): PromiseOrValue<Grant[]> {
    const found: Grant[] = [];
    const walked = forEachEntry(this.transaction, grantRange(this.area, this.access), ([, stored]) => {
      const grant = isObject(stored) ? this.#read(stored['id'] as string, stored) : undefined;
      if (grant !== undefined) found.push(grant);
    });
    return andThen(walked, () => found);
  }

  put({ id, subject, creation, expiration, revocation, digest, family, token, used }: Grant): void {
    const stored = newObject();
    stored['id'] = id;
    stored['subject'] = subject.kind === 'user' ? subject.name : subject.record;
    stored['creation'] = creation;
    stored['expiration'] = expiration;
    stored['revocation'] = revocation;
    stored['digest'] = digest;
    stored['family'] = family;
    stored['token'] = token;
    stored['used'] = used;
    stored['incarnation'] = subject.kind === 'record' ? subject.incarnation : undefined;
    this.transaction.put(grantKey(this.area, this.access, id), stored);
  }

  remove(id: string): void {
    this.transaction.delete(grantKey(this.area, this.access, id));
  }

  /** When a family of refresh tokens was revoked; `undefined` while it is good. */
  familyRevocation(family: string): PromiseOrValue<Datetime | undefined> {
    return andThen(this.transaction.get(grantFamilyKey(this.area, this.access, family)), (at) =>
      at instanceof Datetime ? at : undefined,
    );
  }

  revokeFamily(family: string, at: Datetime): void {
    this.transaction.put(grantFamilyKey(this.area, this.access, family), at);
  }

  #read(id: string, stored: Value): Grant | undefined {
    if (!isObject(stored)) return undefined;
    const subject = stored['subject'];
    return {
      id,
      access: this.access,
      subject:
        subject instanceof RecordId
          ? { kind: 'record', record: subject, incarnation: stored['incarnation'] as string | undefined }
          : { kind: 'user', name: subject as string },
      creation: stored['creation'] as Datetime,
      expiration: stored['expiration'] as Datetime | undefined,
      revocation: stored['revocation'] as Datetime | undefined,
      digest: stored['digest'] as Uint8Array,
      family: stored['family'] as string | undefined,
      token: stored['token'] as string | undefined,
      used: stored['used'] as boolean | undefined,
    };
  }
}
