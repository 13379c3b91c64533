/**
 * Sign-in requests: attempts to sign in that are under way, from `start` until they are redeemed, once, or run out.
 *
 * Each has a random name of 128 bits, which only its client knows: it is stored under its digest, so that
 * readers of a store or a backup can redeem none. What else leads to it is a pointer: the link that was mailed, and
 * the address, by which a new request ends an older one.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import { CALL, type Work } from '../../base/work/work.js';
import type { Random } from '../../env/environment.js';
import type { AccessWay } from '../../language/ast.js';
import type { Transaction } from '../../storage/contract.js';
import { forEachBatch } from '../../storage/cursor.js';
import { datetimeNanoseconds } from '../../value/time/datetime.js';
import { type Datetime, isObject, type ObjectValue, objectFrom, type RecordId, type Value } from '../../value/value.js';
import type { Id } from '../keys/key-bytes.js';
import { SYSTEM_SIGN_INS, signInDatabaseKey, signInKey, signInRange } from '../keys/store-keys.js';
import type { DatabasePath } from '../principal.js';

/**
 * What a client begins a request for: to sign in, to link what is proved to the record that is signed in, or to add a
 * proof to its session.
 */
export type StartPurpose = 'sign-in' | 'link' | 'step';

/**
 * - `second`: a first proof was right, and the record owes a second one.
 * - `entered`: all proofs were right, at the page of the server; its app has yet to take over.
 */
export type SignInPurpose = StartPurpose | 'second' | 'entered';

/** What was proved, of a request whose purpose is `second` or `entered`. */
export interface FirstProof {
  /** Methods of authentication (RFC 8176). */
  readonly amr: readonly string[];
  /** The token that the sign-in has drawn: what was revoked since, but for it, ends the request. */
  readonly token: string;
  /** The id of the identity that was signed in by, if any. */
  readonly identity?: string | undefined;
  /** The mark of the key of its access method (`keyMarks`); absent in requests of older releases. */
  readonly key?: string | undefined;
  /** Whether the record may get its first second factor by this request, since it has none. */
  readonly mayEnrol: boolean;
}

export interface SignInRequest {
  /** Where it was begun; of a `second` and an `entered`, where the first proof was given. */
  readonly access: string;
  /** The way that it was begun by, which the access method must still have; absent of these two. */
  readonly kind?: AccessWay['kind'] | undefined;
  readonly purpose: SignInPurpose;
  /** It was proved elsewhere, by a link: its name and the verifier redeem it. */
  readonly proved?: boolean | undefined;
  /** What is to be proved: a mail address as `mailAddress` has it. */
  readonly subject?: string | undefined;
  /** `$identity` for SIGNUP; absent until it is known. */
  readonly identity?: ObjectValue | undefined;
  /** Of a passkey: what was asked of it. */
  readonly passkey?: PasskeyQuestion | undefined;
  /** What a provider said about the sign-in there, for `$token.idp`. */
  readonly idp?: ObjectValue | undefined;
  /** What is shown to a provider, or compared with what comes from it (`auth/ways/provider.ts`). */
  readonly upstream?: ObjectValue | undefined;
  /** S256 of RFC 7636; absent for an invitation, which no client began. */
  readonly challenge?: string | undefined;
  /** Where the confirm page leads to, one of those that the database lists. */
  readonly redirect?: string | undefined;
  /** Whether the page of the server goes on with what was proved, before the app takes over. */
  readonly page?: boolean | undefined;
  /** Of the client, for SIGNUP. */
  readonly variables: ObjectValue;
  /** The record with that subject; absent if there is none. */
  readonly record?: RecordId | undefined;
  readonly incarnation?: string | undefined;
  /** The claims of the session that began it, of a link or step, with the mark of their key. */
  readonly bearer?: ObjectValue | undefined;
  readonly first?: FirstProof | undefined;
  /** What the way keeps until it is proved, such as the secret of an authenticator app. */
  readonly kept?: ObjectValue | undefined;
  /** A digest of where it was begun; absent in process. */
  readonly source?: string | undefined;
  readonly created: Datetime;
  readonly expires: Datetime;
  /** Wrong codes and verifiers so far. */
  readonly tries: number;
  /** `codeDigest` of the code; absent if nothing was mailed, so that no code is right. */
  readonly code?: Uint8Array | undefined;
  /** The digests of what points to it. */
  readonly pointers: readonly string[];
}

/** What a passkey is asked for. */
export interface PasskeyQuestion {
  /** 32 random bytes in base64url, to be signed. */
  readonly challenge: string;
  /** Of a passkey that is to be made: by what authenticators are to know its record, in base64url. */
  readonly handle?: string | undefined;
}

/** Wrong codes after which a request can no longer be redeemed. */
export const MOST_TRIES = 5;

const NAME_BYTES = 16;
const NAME = /^[A-Za-z0-9_-]{22}$/;

/** A random name: 128 bits in base64url. */
export function drawRequestName(random: Random): string {
  return Buffer.from(random.bytes(NAME_BYTES)).toString('base64url');
}

/** What is stored of a code, which means something for the request of this name only. */
export function codeDigest(name: string, code: string): Uint8Array {
  return createHash('sha256').update(`${name} ${code}`).digest();
}

/** Whether a code is the request's; takes the same time for any code. */
export function isCodeOf({ code: stored }: SignInRequest, name: string, code: string): boolean {
  return stored !== undefined && timingSafeEqual(stored, codeDigest(name, code));
}

/** Whether a request can no longer be redeemed at `now`, in nanoseconds since 1970. */
export function isOver({ expires, tries }: SignInRequest, now: bigint): boolean {
  return tries >= MOST_TRIES || datetimeNanoseconds(expires) <= now;
}

/** The sign-in requests of a database, within a transaction. */
export class SignInRequests {
  /** @param scope of requests that share the place of others: those of another scope aren't found */
  constructor(
    readonly transaction: Transaction,
    readonly database: Id,
    readonly scope = '',
  ) {}

  /** Those of system users of a level, which are kept together, found by the names of their level alone. */
  static ofSystemUsers(transaction: Transaction, { namespace, database }: DatabasePath): SignInRequests {
    const scope = JSON.stringify([namespace ?? null, database ?? null]);
    return new SignInRequests(transaction, SYSTEM_SIGN_INS, scope);
  }

  find(name: string): PromiseOrValue<SignInRequest | undefined> {
    return NAME.test(name) ? this.#at(this.#digestOf(name)) : undefined;
  }

  /** The request that a pointer leads to: `link …` or `address …`. */
  pointedTo(pointer: string): PromiseOrValue<SignInRequest | undefined> {
    const key = signInKey(this.database, 'pointer', this.#digestOf(pointer));
    return andThen(this.transaction.get(key), (digest) => (typeof digest === 'string' ? this.#at(digest) : undefined));
  }

  /** Stores a request under its name, with the texts that lead to it. */
  async put(name: string, request: Omit<SignInRequest, 'pointers'>, pointers: readonly string[] = []): Promise<void> {
    const digest = this.#digestOf(name);
    const digests = pointers.map((pointer) => this.#digestOf(pointer));
    this.#store(digest, { ...request, pointers: digests });
    for (const pointer of digests) this.transaction.put(signInKey(this.database, 'pointer', pointer), digest);
    const marker = signInDatabaseKey(this.database);
    if ((await this.transaction.get(marker)) === undefined) this.transaction.put(marker, true);
  }

  /** Counts a wrong code. */
  miss(name: string, request: SignInRequest): void {
    this.change(name, { ...request, tries: request.tries + 1 });
  }

  /** Changes a request that `find` has found; its name and what leads to it stay. */
  change(name: string, request: SignInRequest): void {
    this.#store(this.#digestOf(name), request);
  }

  /** Ends a request that `find` has found. */
  remove(name: string, request: SignInRequest): void {
    this.#remove(this.#digestOf(name), request);
  }

  /** Ends the request that a pointer leads to, if there is one, and answers it. */
  async removePointedTo(pointer: string): Promise<SignInRequest | undefined> {
    const key = signInKey(this.database, 'pointer', this.#digestOf(pointer));
    const digest = await this.transaction.get(key);
    if (typeof digest !== 'string') return undefined;
    const request = await this.#at(digest);
    this.transaction.delete(key);
    if (request !== undefined) this.#remove(digest, request);
    return request;
  }

  /** How many are open, up to `most`: all, and those of a source. */
  async countOpen(
    now: bigint,
    most: number,
    source: string | undefined,
    work: Work,
  ): Promise<{ all: number; ofSource: number }> {
    let [all, ofSource] = [0, 0];
    await forEachBatch(this.transaction.scan(signInRange(this.database), { limit: most }), (batch) => {
      for (const [, stored] of batch) {
        const request = readRequest(stored);
        if (request === undefined || datetimeNanoseconds(request.expires) <= now) continue;
        all++;
        if (source !== undefined && request.source === source) ofSource++;
      }
      return andThen(work.checkpoint(batch.length * CALL), () => false);
    });
    return { all, ofSource };
  }

  /** Removes up to `most` of those that are over, and the mark of the database if none is left; whether more may be. */
  async sweep(now: bigint, most: number, work: Work): Promise<boolean> {
    const { transaction, database } = this;
    let [seen, left] = [0, 0];
    await forEachBatch(transaction.scan(signInRange(database)), (batch) => {
      for (const [key, stored] of batch) {
        const request = readRequest(stored);
        if (request !== undefined && datetimeNanoseconds(request.expires) > now) left++;
        else if (seen < most) {
          seen++;
          transaction.delete(key);
          for (const pointer of request?.pointers ?? []) transaction.delete(signInKey(database, 'pointer', pointer));
        } else return true;
      }
      return andThen(work.checkpoint(batch.length * CALL), () => false);
    });
    if (left === 0 && seen < most) transaction.delete(signInDatabaseKey(database));
    return seen === most;
  }

  #at(digest: string): PromiseOrValue<SignInRequest | undefined> {
    return andThen(this.transaction.get(signInKey(this.database, 'request', digest)), readRequest);
  }

  #store(digest: string, request: SignInRequest): void {
    const { first, passkey, pointers } = request;
    this.transaction.put(
      signInKey(this.database, 'request', digest),
      objectFrom({
        ...request,
        passkey: passkey && objectFrom({ ...passkey }),
        first: first && objectFrom({ ...first, amr: [...first.amr] }),
        pointers: [...pointers],
      }),
    );
  }

  #digestOf(text: string): string {
    return createHash('sha256')
      .update(this.scope + text)
      .digest('base64url');
  }

  #remove(digest: string, { pointers }: SignInRequest): void {
    this.transaction.delete(signInKey(this.database, 'request', digest));
    for (const pointer of pointers) this.transaction.delete(signInKey(this.database, 'pointer', pointer));
  }
}

function readRequest(stored: Value): SignInRequest | undefined {
  return isObject(stored) ? (stored as unknown as SignInRequest) : undefined;
}
