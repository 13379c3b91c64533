import { CompactSign, compactVerify } from 'jose';
import { andThen, type PromiseOrValue } from '../base/promise-or-value.js';
import { TwoGenerationCache } from '../base/two-generation-cache.js';
import {
  ASYMMETRIC_ALGORITHMS,
  headerName,
  isSymmetric,
  issuingKey,
  type SigningKey,
} from '../catalog/credentials/signing-key.js';
import type { Clock, Environment } from '../env/environment.js';
import { failure } from '../errors/error.js';
import { uuidV7 } from '../functions/identifiers.js';
import type { JwtAccess, JwtVerification } from '../language/ast.js';
import { datetimeNanoseconds } from '../value/datetime.js';
import { type Claims, readClaims } from './claims.js';
import { type KeySetSource, KeySets } from './key-sets.js';
import { type PublicJwk, SigningKeys } from './signing-keys.js';
import { type Json, type JsonObject, parseStrictObject } from './strict-json.js';

/** The `iss` of the tokens that this server issues. */
const ISSUER = 'Tessera';

const MAX_DEPTH = 16;
const MAX_SKEW_SECONDS = 60;
const NANOSECONDS = 1_000_000_000n;

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** What may sign for a key set: its keys are public, hence none of them is a secret. */
const ASYMMETRIC_NAMES: readonly string[] = ASYMMETRIC_ALGORITHMS.map(headerName);

export interface TokenOptions {
  /** By how much clocks of others may differ from ours: 0 unless told, at most 60. */
  readonly skewSeconds?: number;
  /** Longer tokens are refused unread; 8 KiB unless told. */
  readonly maxBytes?: number;
  /** Without it, access methods defined with a URL let nobody in. */
  readonly keySets?: KeySetSource;
}

/** Whom a token is for. */
export interface TokenContent {
  readonly namespace?: string | undefined;
  readonly database?: string | undefined;
  readonly access?: string;
  readonly id: string;
  readonly roles?: readonly string[];
  /** The id of a grant. */
  readonly grant?: string;
  /** That of the record which `id` names. */
  readonly incarnation?: string | undefined;
  /** `iss`; this server unless told. */
  readonly issuer?: string | undefined;
  /** `aud`; for nobody in particular unless told. */
  readonly audience?: string | undefined;
  /** Nanoseconds; without it the token has no `exp`, and nobody can sign in with it later. */
  readonly lifetime: bigint | undefined;
  /** The id of the token; drawn unless told. */
  readonly token?: string;
}

/** A token whose form is right. Nothing in it may be believed before `verify` has said so. */
export class UnverifiedToken {
  #genuineBy: SigningKey | undefined;

  constructor(
    readonly text: string,
    readonly claims: Claims,
  ) {}

  /** Whether this key has found it genuine before. A definition that was made anew has another key, which has to judge for itself. */
  isVerifiedBy({ algorithm, key }: SigningKey): boolean {
    return this.#genuineBy?.key === key && this.#genuineBy.algorithm === algorithm;
  }

  markVerifiedBy(key: SigningKey): void {
    this.#genuineBy = key;
  }
}

/** How many genuine tokens are remembered; each is at most `maxBytes` long. */
const GENUINE_TOKENS = 1_000;

/** A piece of the signature, which tells tokens apart: a text is hashed as a whole to be looked up, and these are long. */
function endOf(token: string): string {
  return token.slice(-32);
}

/**
 * Issues and verifies JSON Web Tokens in their compact form (RFC 7519).
 *
 * The algorithm is the one of the definition; the header only may agree with it. `jwk`, `jku` and `x5u` of the header are ignored,
 * and `kid` does no more than choose from the key set that a definition names. Beyond what the RFCs demand, a part whose base64url isn't canonical and an object with
 * a key given twice are refused.
 */
export class Tokens {
  readonly #environment: Environment;
  readonly #keys = new SigningKeys();
  readonly #keySets: KeySets;
  /** Genuine tokens by the ends of their texts: an HTTP client sends the same one with each request. */
  readonly #genuine = new TwoGenerationCache<string, UnverifiedToken>(GENUINE_TOKENS);
  readonly #skewSeconds: number;
  readonly #maxBytes: number;

  constructor(environment: Environment, options: TokenOptions = {}) {
    this.#environment = environment;
    this.#keySets = new KeySets(environment.clock, options.keySets);
    this.#skewSeconds = Math.min(Math.max(options.skewSeconds ?? 0, 0), MAX_SKEW_SECONDS);
    this.#maxBytes = options.maxBytes ?? 8 * 1024;
  }

  /** The id of a new token. It begins with the millisecond, which `iat` doesn't tell. */
  drawId(): string {
    const { clock, random } = this.#environment;
    return uuidV7(Number(clock.now() / 1_000_000n), random).text;
  }

  /** The claims of a new token, in the order in which the peer writes them. */
  claims(content: TokenContent): Claims {
    const now = Number(this.#environment.clock.now() / NANOSECONDS);
    const { namespace, database, access, token, id, roles, grant, incarnation } = content;
    const { issuer = ISSUER, audience, lifetime } = content;
    return readClaims({
      iat: now,
      nbf: now,
      ...(lifetime !== undefined && { exp: Math.min(now + Number(lifetime / NANOSECONDS), Number.MAX_SAFE_INTEGER) }),
      iss: issuer,
      ...(audience !== undefined && { aud: audience }),
      jti: token ?? this.drawId(),
      ...(namespace !== undefined && { NS: namespace }),
      ...(database !== undefined && { DB: database }),
      ...(access !== undefined && { AC: access }),
      ID: id,
      ...(roles !== undefined && { RL: roles }),
      ...(grant !== undefined && { GR: grant }),
      ...(incarnation !== undefined && { INC: incarnation }),
    });
  }

  /** @throws TesseraError `invalid_key` */
  async sign(claims: Claims, key: SigningKey): Promise<string> {
    const payload = Buffer.from(plainJson(claims.all), 'latin1');
    const header = { typ: 'JWT', alg: headerName(key.algorithm) };
    // Whoever fetches the published keys has to find the right one; what signs a secret is told to nobody.
    const named = isSymmetric(key.algorithm)
      ? header
      : { ...header, kid: (await this.#keys.publicJwk('sign', key)).kid };
    return new CompactSign(payload).setProtectedHeader(named).sign(await this.#keys.get('sign', key));
  }

  /**
   * Reads a token without believing it, to find the definition that verifies it.
   *
   * @throws TesseraError `invalid_auth`
   */
  read(text: string): UnverifiedToken {
    const known = this.#genuine.get(endOf(text));
    if (known?.text === text) return known;
    // The first test keeps the second from looking at an enormous text.
    const parts = text.length <= this.#maxBytes ? text.split('.', 4) : [];
    const [header, payload] = parts.map(decodePart);
    if (parts.length !== 3 || header === undefined || payload === undefined || !isCanonical(parts[2] ?? '')) {
      throw failure('invalid_auth');
    }
    // An extension that must be understood isn't; among them are unencoded payloads.
    if (Object.hasOwn(header, 'crit') || Object.hasOwn(header, 'b64')) throw failure('invalid_auth');
    return new UnverifiedToken(text, readClaims(payload));
  }

  /**
   * Holds a token against the keys of a definition, or against the key set that it names, and against the clock.
   *
   * @throws TesseraError `invalid_auth`; `token_expired`, for a genuine token only
   */
  verify(token: UnverifiedToken, verification: JwtVerification): PromiseOrValue<void> {
    return andThen(this.verifyOrigin(token, verification), () => this.#checkTimes(token.claims));
  }

  /** As `verify`, for a token that may have expired. */
  verifyOrigin(token: UnverifiedToken, verification: JwtVerification): PromiseOrValue<void> {
    if (verification.kind === 'url') return this.#verifyWithSet(token, verification.url);
    const keys = keysOf(verification, this.#environment.clock);
    return keys.some((key) => token.isVerifiedBy(key)) ? undefined : this.#verifyWithKeys(token, keys);
  }

  /** The public keys that verify what an access method issues, former ones included; none where it issues nothing, or with a secret. */
  async publicKeys(jwt: JwtAccess): Promise<readonly PublicJwk[]> {
    const issuing = issuingKey(jwt);
    if (issuing === undefined || isSymmetric(issuing.algorithm)) return [];
    const shown =
      jwt.verify.kind === 'url'
        ? [this.#keys.publicJwk('sign', issuing)]
        : keysOf(jwt.verify, this.#environment.clock).map((key) => this.#keys.publicJwk('verify', key));
    // What an import brought in may be no key at all.
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

  #checkTimes({ expires, notBefore }: Claims): void {
    const now = Number(this.#environment.clock.now() / 1_000_000n) / 1000;
    if (expires === undefined) throw failure('invalid_auth');
    if (now >= expires + this.#skewSeconds) throw failure('token_expired');
    if (notBefore !== undefined && now < notBefore - this.#skewSeconds) throw failure('invalid_auth');
  }
}

/** The keys that verify now: the present one, and former ones up to their ends. */
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
 * JSON that clients read with `atob` alone: outside ASCII, and for `>`, `?`, `~` and DEL, it uses escapes, so that its base64url has neither
 * `-` nor `_` and equals plain base64.
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

/** Whether a part is the one base64url text of its bytes: no padding, no stray bits, no foreign characters. */
function isCanonical(part: string): boolean {
  return part !== '' && Buffer.from(part, 'base64url').toString('base64url') === part;
}
