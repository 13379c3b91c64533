/** JSON Web Tokens (RFC 7519): issuing them, and verifying those of this server and of trusted issuers. */
import { CompactSign, compactVerify } from 'jose';
import { isPromise, type PromiseOrValue } from '../../base/promise-or-value.js';
import { TwoGenerationCache } from '../../base/two-generation-cache.js';
import {
  ASYMMETRIC_ALGORITHMS,
  headerName,
  isSymmetric,
  issuingKey,
  type SigningKey,
} from '../../catalog/credentials/signing-key.js';
import type { Clock, Environment } from '../../env/environment.js';
import { failure } from '../../errors/error.js';
import { uuidV7 } from '../../functions/identifiers.js';
import type { JwtAccess, JwtVerification } from '../../language/ast.js';
import { datetimeNanoseconds } from '../../value/time/datetime.js';
import { type Assurance, assuranceClaims } from '../assurance.js';
import { type Claims, readClaims } from './claims.js';
import { type KeySetSource, KeySets } from './key-sets.js';
import { type PublicJwk, SigningKeys } from './signing-keys.js';
import { type Json, type JsonObject, parseStrictObject } from './strict-json.js';

/** The `iss` of the tokens that this server issues, unless their access method requires another. */
const ISSUER = 'Tessera';

/** The `iss` of the tokens that an access method issues: they must be accepted by it. */
export function issuerOf(jwt: JwtAccess | undefined): string {
  return jwt?.require?.issuers[0] ?? ISSUER;
}

const MAX_DEPTH = 16;
/** Milliseconds: by default, and at most. */
export const DEFAULT_TOLERANCE = 10_000;
export const MAX_TOLERANCE = 60_000;
const NANOSECONDS = 1_000_000_000n;

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Algorithms allowed for key sets: their keys are public, so that symmetric algorithms are excluded. */
const ASYMMETRIC_NAMES: readonly string[] = ASYMMETRIC_ALGORITHMS.map(headerName);

export interface TokenOptions {
  /**
   * Milliseconds by which the clock of a token's issuer may be ahead: how far in the future `nbf` may lie.
   * Default 10,000, at most 60,000.
   */
  readonly tolerance?: number;
  /** Longer tokens are denied without parsing. Default 8 KiB. */
  readonly maxBytes?: number;
  /** Without it, access methods WITH JWT URL authenticate no one. */
  readonly keySets?: KeySetSource;
}

/** The id of a token to issue, and its time of issue in nanoseconds since 1970. */
export interface DrawnToken {
  readonly id: string;
  readonly at: bigint;
}

/** The content of a token to issue. */
export interface TokenContent {
  readonly namespace?: string | undefined;
  readonly database?: string | undefined;
  readonly access?: string;
  readonly id: string;
  readonly roles?: readonly string[];
  /** The id of a grant, or of a family of refresh tokens. */
  readonly grant?: string | undefined;
  /** The incarnation of the record or user named by `id`. */
  readonly incarnation?: string | undefined;
  /** What the user has proved: of record users alone. */
  readonly assurance?: Assurance | undefined;
  /** The id of the identity that was signed in by. */
  readonly identity?: string | undefined;
  /** `iss`. Default: this server. */
  readonly issuer?: string | undefined;
  /** `aud`. Default: none. */
  readonly audience?: string | undefined;
  /** Nanoseconds; without it the token has no `exp` and cannot be used to sign in. */
  readonly lifetime: bigint | undefined;
  /** The token's id (`jti`). Default: a new one. */
  readonly token?: string;
  /** When it is issued, in nanoseconds since 1970. Default: now. */
  readonly at?: bigint | undefined;
}

/** A well-formed token. Its claims must not be trusted before `verify` succeeds. */
export class UnverifiedToken {
  #genuineBy: SigningKey | undefined;

  constructor(
    readonly text: string,
    readonly claims: Claims,
  ) {}

  /**
   * Whether this key has verified the token before. A redefined access method has another key, which must verify it
   * again.
   */
  isVerifiedBy({ algorithm, key }: SigningKey): boolean {
    return this.#genuineBy?.key === key && this.#genuineBy.algorithm === algorithm;
  }

  markVerifiedBy(key: SigningKey): void {
    this.#genuineBy = key;
  }
}

/** Number of verified tokens cached; each has at most `maxBytes`. */
const GENUINE_TOKENS = 1_000;

/** The end of the signature as a cache key: hashing the whole token would take longer. */
function endOf(token: string): string {
  return token.slice(-32);
}

/**
 * Issues and verifies JSON Web Tokens in compact serialization (RFC 7519, RFC 7515).
 *
 * The algorithm is fixed by the definition, and the header must agree with it (RFC 8725, section 3.1). `jwk`, `jku` and
 * `x5u` are ignored; `kid` only selects from the configured key set. Stricter than the RFCs, non-canonical base64url
 * and duplicate keys are denied.
 */
export class Tokens {
  readonly #environment: Environment;
  readonly #keys = new SigningKeys();
  readonly #keySets: KeySets;
  /** Verified tokens by the ends of their texts: HTTP clients send the same token with each request. */
  readonly #genuine = new TwoGenerationCache<string, UnverifiedToken>(GENUINE_TOKENS);
  /** Seconds. */
  readonly #tolerance: number;
  readonly #maxBytes: number;

  constructor(environment: Environment, options: TokenOptions = {}) {
    this.#environment = environment;
    this.#keySets = new KeySets(environment.clock, options.keySets);
    const tolerance = options.tolerance ?? DEFAULT_TOLERANCE;
    this.#tolerance = Math.min(Math.max(tolerance, 0), MAX_TOLERANCE) / 1_000;
    this.#maxBytes = options.maxBytes ?? 8 * 1024;
  }

  /** Draws the id of a token, which is issued at that time. It begins with the millisecond, which `iat` lacks. */
  draw(): DrawnToken {
    const { clock, random } = this.#environment;
    const at = clock.now();
    return { id: uuidV7(Number(at / 1_000_000n), random).text, at };
  }

  /** The claims of a new token, in the reference engine's order. */
  claims(content: TokenContent): Claims {
    const now = Number((content.at ?? this.#environment.clock.now()) / NANOSECONDS);
    const { namespace, database, access, token, id, roles, grant, incarnation } = content;
    const { issuer = ISSUER, audience, assurance, identity, lifetime } = content;
    return readClaims({
      iat: now,
      nbf: now,
      ...(lifetime !== undefined && { exp: Math.min(now + Number(lifetime / NANOSECONDS), Number.MAX_SAFE_INTEGER) }),
      iss: issuer,
      ...(audience !== undefined && { aud: audience }),
      jti: token ?? this.draw().id,
      ...(namespace !== undefined && { NS: namespace }),
      ...(database !== undefined && { DB: database }),
      ...(access !== undefined && { AC: access }),
      ID: id,
      ...(roles !== undefined && { RL: roles }),
      ...(grant !== undefined && { GR: grant }),
      ...(incarnation !== undefined && { INC: incarnation }),
      ...(identity !== undefined && { IDN: identity }),
      ...(assurance !== undefined && assuranceClaims(assurance)),
    });
  }

  /**
   * Signs claims.
   * @throws TesseraError `invalid_key`
   */
  async sign(claims: Claims, key: SigningKey): Promise<string> {
    const payload = Buffer.from(plainJson(claims.all), 'latin1');
    const header = { typ: 'JWT', alg: headerName(key.algorithm) };
    // `kid` lets clients find the published key; symmetric keys aren't published.
    const named = isSymmetric(key.algorithm)
      ? header
      : { ...header, kid: (await this.#keys.publicJwk('sign', key)).kid };
    return new CompactSign(payload).setProtectedHeader(named).sign(await this.#keys.get('sign', key));
  }

  /**
   * Parses a token without verifying it, to find the definition that verifies it.
   *
   * @throws TesseraError `invalid_auth`
   */
  read(text: string): UnverifiedToken {
    const known = this.#genuine.get(endOf(text));
    if (known?.text === text) return known;
    // Checks the length before looking at the text.
    const parts = text.length <= this.#maxBytes ? text.split('.', 4) : [];
    const [header, payload] = parts.map(decodePart);
    if (parts.length !== 3 || header === undefined || payload === undefined || !isCanonical(parts[2] ?? '')) {
      throw failure('invalid_auth');
    }
    // Unsupported critical extensions, including unencoded payloads (RFC 7797), are denied.
    if (Object.hasOwn(header, 'crit') || Object.hasOwn(header, 'b64')) throw failure('invalid_auth');
    return new UnverifiedToken(text, readClaims(payload));
  }

  /**
   * Verifies signature and times of a token with the keys of a definition, or with its key set.
   *
   * @throws TesseraError `invalid_auth`; `token_expired` for a correctly signed token only
   */
  verify(token: UnverifiedToken, verification: JwtVerification): PromiseOrValue<void> {
    const verified = this.verifyOrigin(token, verification);
    if (isPromise(verified)) return verified.then(() => this.#checkTimes(token.claims));
    this.#checkTimes(token.claims);
  }

  /** Like `verify`, ignoring expiry. */
  verifyOrigin(token: UnverifiedToken, verification: JwtVerification): PromiseOrValue<void> {
    if (verification.kind === 'url') return this.#verifyWithSet(token, verification.url);
    const keys = keysOf(verification, this.#environment.clock);
    return keys.some((key) => token.isVerifiedBy(key)) ? undefined : this.#verifyWithKeys(token, keys);
  }

  /** Whether a token that a key set has verified is signed with this private key rather than another of the set. */
  async isSignedBy({ text }: UnverifiedToken, key: SigningKey): Promise<boolean> {
    try {
      const published = await this.#keys.publicJwk('sign', key);
      await compactVerify(text, published, { algorithms: [headerName(key.algorithm)] });
      return true;
    } catch {
      return false;
    }
  }

  /**
   * The public keys of the tokens that an access method issues, including retired ones; empty if it issues none or
   * signs symmetrically.
   */
  async publicKeys(jwt: JwtAccess): Promise<readonly PublicJwk[]> {
    const issuing = issuingKey(jwt);
    if (issuing === undefined || isSymmetric(issuing.algorithm)) return [];
    const shown =
      jwt.verify.kind === 'url'
        ? [this.#keys.publicJwk('sign', issuing)]
        : keysOf(jwt.verify, this.#environment.clock).map((key) => this.#keys.publicJwk('verify', key));
    // Imported definitions may hold invalid keys.
    return (await Promise.allSettled(shown)).flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  }

  async #verifyWithSet({ text }: UnverifiedToken, url: string): Promise<void> {
    try {
      await this.#keySets.use(url, (keys) => compactVerify(text, keys, { algorithms: [...ASYMMETRIC_NAMES] }));
    } catch (cause) {
      throw failure('invalid_auth', undefined, { cause });
    }
  }

  async #verifyWithKeys(token: UnverifiedToken, keys: readonly SigningKey[]): Promise<void> {
    let cause: unknown;
    for (const key of keys) {
      try {
        const imported = await this.#keys.get('verify', key);
        await compactVerify(token.text, imported, { algorithms: [headerName(key.algorithm)] });
        token.markVerifiedBy(key);
        this.#genuine.set(endOf(token.text), token);
        return;
      } catch (error) {
        cause = error;
      }
    }
    throw failure('invalid_auth', undefined, { cause });
  }

  /**
   * A token from the future would outlive KILL SESSIONS and the records that follow its own, which compare its time of
   * issue with theirs.
   */
  #checkTimes({ expires, notBefore, issued }: Claims): void {
    const now = Number(this.#environment.clock.now() / 1_000_000n) / 1000;
    if (expires === undefined) throw failure('invalid_auth');
    if (now >= expires) throw failure('token_expired');
    if (notBefore !== undefined && now < notBefore - this.#tolerance) throw failure('invalid_auth');
    if (issued !== undefined && now < issued - MAX_TOLERANCE / 1_000) throw failure('invalid_auth');
  }
}

/** The keys that verify now: the current one, and retired ones until they expire. */
function keysOf(
  { algorithm, key, retired }: Extract<JwtVerification, { kind: 'key' }>,
  clock: Clock,
): readonly SigningKey[] {
  const present = { algorithm, key };
  if (retired === undefined) return [present];
  const now = clock.now();
  const live = retired.filter(({ until }) => datetimeNanoseconds(until) > now);
  return [present, ...live.map((former) => ({ algorithm, key: former.key }))];
}

/**
 * JSON for clients that decode with `atob`: characters outside ASCII and `>`, `?`, `~`, DEL are escaped, so that
 * base64url and base64 agree.
 */
function plainJson(value: JsonObject): string {
  return JSON.stringify(value).replace(
    /[>?~\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function decodePart(part: string, index: number): Record<string, Json> | undefined {
  if (index > 1 || !isCanonical(part)) return undefined;
  try {
    return parseStrictObject(UTF8.decode(Buffer.from(part, 'base64url')), MAX_DEPTH);
  } catch {
    return undefined;
  }
}

/** Whether a part is canonical base64url: no padding, no stray bits, no other characters. */
function isCanonical(part: string): boolean {
  return part !== '' && Buffer.from(part, 'base64url').toString('base64url') === part;
}
