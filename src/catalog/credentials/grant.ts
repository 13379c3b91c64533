/**
 * Grants: credentials issued by ACCESS … GRANT and by sign-ins WITH REFRESH. Only a digest of a grant's secret is
 * stored; the secret has enough entropy for a fast digest.
 *
 * A refresh token is used once and replaced by the next of its family. Revoking a family invalidates all of its tokens.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Environment, Random } from '../../env/environment.js';
import type { Transaction } from '../../storage/contract.js';
import { datetimeNanoseconds, toDatetime } from '../../value/time/datetime.js';
import { Datetime, isArray, isObject, newObject, type ObjectValue, RecordId, type Value } from '../../value/value.js';
import { forEachEntry } from '../entries.js';
import { type Area, grantFamilyKey, grantKey, grantRange } from '../keys/store-keys.js';
import type { IdentityGrant } from './identity.js';
import { generateSecret } from './secret.js';

export type GrantSubject =
  | {
      readonly kind: 'user';
      readonly name: string;
      /** The user's incarnation (`incarnation.ts`); absent for users of older releases. */
      readonly incarnation?: string | undefined;
    }
  | {
      readonly kind: 'record';
      readonly record: RecordId;
      /** The record's incarnation (`incarnation.ts`); absent in grants of older releases. */
      readonly incarnation?: string | undefined;
    };

export interface Grant {
  readonly id: string;
  readonly access: string;
  readonly subject: GrantSubject;
  readonly creation: Datetime;
  /** Absent: never expires. */
  readonly expiration?: Datetime | undefined;
  readonly revocation?: Datetime | undefined;
  readonly digest: Uint8Array;
  /** For refresh tokens: the id of the family's first token. */
  readonly family?: string | undefined;
  /** For refresh tokens: the id of the access token issued with it. */
  readonly token?: string | undefined;
  /** For refresh tokens: what the sign-in of the family was proved by; absent for those of older releases. */
  readonly proved?: Proved | undefined;
  /** For refresh tokens: the id of the identity that was signed in by (`identity.ts`), if any. */
  readonly signedInBy?: string | undefined;
  /** For invitations: where it was mailed to, which it proves. */
  readonly address?: string | undefined;
  /** Of what is only shown as a grant: an identity. */
  readonly identity?: IdentityGrant | undefined;
  /** For refresh tokens and invitations: it was used, which revokes it. */
  readonly used?: boolean | undefined;
  /** For refresh tokens that were used: the token that replaced it. */
  readonly successor?: Successor | undefined;
}

/** Methods of authentication (RFC 8176), and when the last of them was used. */
export interface Proved {
  readonly amr: readonly string[];
  readonly at: Datetime;
  /** What an identity provider said about the sign-in there. */
  readonly idp?: ObjectValue | undefined;
}

/** The token that replaced a used one. Its secret is derived from the used one's, which the store doesn't have. */
export interface Successor {
  readonly id: string;
  /** The successor's secret follows from this and the secret of the used token. */
  readonly seed: Uint8Array;
}

const ID_LENGTH = 12;
const SECRET_LENGTH = 24;

/** Prefixes of grant keys. */
const PREFIXES = { bearer: 'surreal-bearer', refresh: 'surreal-refresh', invitation: 'tessera-invitation' } as const;
export type GrantUse = keyof typeof PREFIXES;

/** A grant key as its bearer sends it. */
export interface GrantKey {
  readonly id: string;
  readonly secret: string;
}

export interface NewGrant {
  readonly access: string;
  readonly subject: GrantSubject;
  /** Nanoseconds; `undefined`: no expiry. */
  readonly lifetime: bigint | undefined;
  /** The family of the refresh token that it replaces. */
  readonly family?: string | undefined;
  /** For refresh tokens: the id of the access token issued with it. */
  readonly token?: string | undefined;
  readonly proved?: Proved | undefined;
  readonly signedInBy?: string | undefined;
  readonly address?: string | undefined;
  /** When it is issued, in nanoseconds since 1970. Default: now. */
  readonly at?: bigint;
  /** For refresh tokens that replace one. Default: a random one. */
  readonly secret?: string | undefined;
}

/** Generates a grant and its key, which is shown once and not stored. */
export function generateGrant(
  { clock, random }: Environment,
  use: GrantUse,
  { access, subject, lifetime, family, token, proved, signedInBy, address, at = clock.now(), secret: given }: NewGrant,
): { readonly grant: Grant; readonly key: string } {
  const id = generateSecret(random, ID_LENGTH);
  const secret = given ?? generateSecret(random, SECRET_LENGTH);
  const grant: Grant = {
    id,
    access,
    subject,
    creation: toDatetime(at),
    expiration: lifetime === undefined ? undefined : toDatetime(at + lifetime),
    digest: digestOf(secret),
    family: use === 'refresh' ? (family ?? id) : undefined,
    token,
    proved,
    signedInBy,
    address,
  };
  return { grant, key: grantKeyText(use, { id, secret }) };
}

const SEED_LENGTH = 32;

/** Draws what a successor's secret follows from. */
export function drawSeed(random: Random): Uint8Array {
  return random.bytes(SEED_LENGTH);
}

/** The secret of a token that replaces a used one: HMAC-SHA256 of the seed and a counter, with the used secret. */
export function successorSecret(used: string, seed: Uint8Array): string {
  let counter = 0;
  const bytes = (length: number) =>
    createHmac('sha256', used).update(seed).update(Uint8Array.of(counter++)).digest().subarray(0, length);
  return generateSecret({ bytes }, SECRET_LENGTH);
}

/** A grant key as it is shown to its bearer. */
export function grantKeyText(use: GrantUse, { id, secret }: GrantKey): string {
  return `${PREFIXES[use]}-${id}-${secret}`;
}

/** Parses a grant key; `undefined` if it doesn't have the form for this use. */
export function readGrantKey(use: GrantUse, text: string): GrantKey | undefined {
  const prefix = `${PREFIXES[use]}-`;
  const secretAt = prefix.length + ID_LENGTH + 1;
  if (!text.startsWith(prefix) || text.length !== secretAt + SECRET_LENGTH || text[secretAt - 1] !== '-')
    return undefined;
  return { id: text.slice(prefix.length, secretAt - 1), secret: text.slice(secretAt) };
}

/** Whether the secret of a key matches a grant, compared in constant time. */
export function secretMatches({ secret }: GrantKey, { digest }: Grant): boolean {
  return timingSafeEqual(digestOf(secret), digest);
}

/** Whether a grant has expired at `now`, in nanoseconds since 1970. One without expiration never does. */
export function isExpired({ expiration }: Grant, now: bigint): boolean {
  return expiration !== undefined && datetimeNanoseconds(expiration) <= now;
}

function digestOf(secret: string): Uint8Array {
  return createHash('sha256').update(secret).digest();
}

/** The grants of an access method, within a transaction. */
export class Grants {
  constructor(
    readonly transaction: Transaction,
    readonly area: Area,
    readonly access: string,
  ) {}

  async find(id: string): Promise<Grant | undefined> {
    const stored = await this.transaction.get(grantKey(this.area, this.access, id));
    return this.#read(id, stored);
  }

  /** All grants, ordered by id. */
  async list(): Promise<Grant[]> {
    const found: Grant[] = [];
    await forEachEntry(this.transaction, grantRange(this.area, this.access), ([, stored]) => {
      const grant = isObject(stored) ? this.#read(stored['id'] as string, stored) : undefined;
      if (grant !== undefined) found.push(grant);
    });
    return found;
  }

  put(grant: Grant): void {
    const { id, subject, creation, expiration, revocation, digest, family, token, proved, used, successor } = grant;
    const stored = newObject();
    stored['id'] = id;
    stored['subject'] = subject.kind === 'user' ? subject.name : subject.record;
    stored['creation'] = creation;
    stored['expiration'] = expiration;
    stored['revocation'] = revocation;
    stored['digest'] = digest;
    stored['family'] = family;
    stored['token'] = token;
    stored['amr'] = proved && [...proved.amr];
    stored['proved'] = proved?.at;
    stored['idp'] = proved?.idp;
    stored['identity'] = grant.signedInBy;
    stored['address'] = grant.address;
    stored['used'] = used;
    stored['successor'] = successor?.id;
    stored['seed'] = successor?.seed;
    stored['incarnation'] = subject.incarnation;
    this.transaction.put(grantKey(this.area, this.access, id), stored);
  }

  remove(id: string): void {
    this.transaction.delete(grantKey(this.area, this.access, id));
  }

  /** When a family of refresh tokens was revoked; `undefined` if it wasn't. */
  async familyRevocation(family: string): Promise<Datetime | undefined> {
    const at = await this.transaction.get(grantFamilyKey(this.area, this.access, family));
    return at instanceof Datetime ? at : undefined;
  }

  revokeFamily(family: string, at: Datetime): void {
    this.transaction.put(grantFamilyKey(this.area, this.access, family), at);
  }

  #read(id: string, stored: Value): Grant | undefined {
    if (!isObject(stored)) return undefined;
    const subject = stored['subject'];
    const incarnation = stored['incarnation'] as string | undefined;
    return {
      id,
      access: this.access,
      subject:
        subject instanceof RecordId
          ? { kind: 'record', record: subject, incarnation }
          : { kind: 'user', name: subject as string, incarnation },
      creation: stored['creation'] as Datetime,
      expiration: stored['expiration'] as Datetime | undefined,
      revocation: stored['revocation'] as Datetime | undefined,
      digest: stored['digest'] as Uint8Array,
      family: stored['family'] as string | undefined,
      token: stored['token'] as string | undefined,
      proved: provedIn(stored),
      signedInBy: stored['identity'] as string | undefined,
      address: stored['address'] as string | undefined,
      used: stored['used'] as boolean | undefined,
      successor: successorIn(stored),
    };
  }
}

function provedIn({ amr, proved: at, idp }: ObjectValue): Proved | undefined {
  if (!isArray(amr) || !(at instanceof Datetime)) return undefined;
  return { amr: amr as readonly string[], at, idp: isObject(idp) ? idp : undefined };
}

function successorIn({ successor, seed }: ObjectValue): Successor | undefined {
  return typeof successor === 'string' && seed instanceof Uint8Array ? { id: successor, seed } : undefined;
}
