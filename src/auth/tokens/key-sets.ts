/** Public keys that access methods fetch from their issuers. */
import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { createLocalJWKSet, errors, type JWK, type LocalJWKSet } from 'jose';
import { TwoGenerationCache } from '../../base/two-generation-cache.js';
import { algorithmsOf, headerName } from '../../catalog/credentials/signing-key.js';
import type { Clock } from '../../env/environment.js';
import { asTesseraError, failure, type TesseraError } from '../../errors/error.js';
import type { Fetcher } from '../../functions/network/fetcher.js';
import { type Json, type JsonObject, parseStrictObject } from './strict-json.js';

/** How key sets are fetched, and where failures are reported. */
export interface KeySetSource {
  /** Bounded in time and size, and subject to the server's network rules. */
  readonly fetcher: Pick<Fetcher, 'fetch'>;
  /** For the log; the client only gets `invalid_auth`. */
  report(error: TesseraError): void;
}

/**
 * Limits of fetching a key set: milliseconds and bytes, which are read in one step. Sets of large providers have up to
 * some 20 kilobytes.
 */
export const KEY_SET_LIMITS = { time: 5_000, response: 64 * 1024 } as const;

const HOUR = 60 * 60 * 1000;
const FRESH_MILLISECONDS = 12 * HOUR;
/** The minimum interval between fetches of one set, whether for an unknown key or after a failure. */
const PAUSE_MILLISECONDS = 5 * 60 * 1000;
const MAX_KEYS = 100;
const MAX_DEPTH = 8;

interface Entry {
  keys: LocalJWKSet | undefined;
  fetchedAt: number;
  triedAt: number;
  /** The fetch in progress, shared by concurrent callers. */
  loading: Promise<LocalJWKSet> | undefined;
}

/** The JSON Web Key Sets (RFC 7517) of access methods defined WITH JWT URL. */
export class KeySets {
  readonly #clock: Clock;
  readonly #source: KeySetSource | undefined;
  readonly #entries = new TwoGenerationCache<string, Entry>(64);

  constructor(clock: Clock, source: KeySetSource | undefined) {
    this.#clock = clock;
    this.#source = source;
  }

  /**
   * Runs `work` with the keys at `url`, and once more with freshly fetched keys if none matches.
   *
   * @throws TesseraError `key_set_unavailable`; errors of `work`
   */
  async use<T>(url: string, work: (keys: LocalJWKSet) => Promise<T>): Promise<T> {
    const entry = this.#entry(url);
    const keys = await this.#keysOf(url, entry);
    try {
      return await work(keys);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      if (entry.loading === undefined && this.#rests(entry)) throw error;
      return work(await this.#renew(url, entry));
    }
  }

  #entry(url: string): Entry {
    let entry = this.#entries.get(url);
    if (entry === undefined) {
      const never = Number.NEGATIVE_INFINITY;
      entry = { keys: undefined, fetchedAt: never, triedAt: never, loading: undefined };
      this.#entries.set(url, entry);
    }
    return entry;
  }

  #keysOf(url: string, entry: Entry): LocalJWKSet | Promise<LocalJWKSet> {
    const known = this.#freshKeys(entry);
    if (known !== undefined) return known;
    if (entry.loading === undefined && this.#rests(entry)) throw unavailable(url, 'it was asked for a moment ago');
    return this.#renew(url, entry);
  }

  #freshKeys({ keys, fetchedAt }: Entry): LocalJWKSet | undefined {
    return this.#clock.monotonic() - fetchedAt < FRESH_MILLISECONDS ? keys : undefined;
  }

  #rests({ triedAt }: Entry): boolean {
    return this.#clock.monotonic() - triedAt < PAUSE_MILLISECONDS;
  }

  #renew(url: string, entry: Entry): Promise<LocalJWKSet> {
    entry.loading ??= this.#load(url, entry).finally(() => {
      entry.loading = undefined;
    });
    return entry.loading;
  }

  async #load(url: string, entry: Entry): Promise<LocalJWKSet> {
    entry.triedAt = this.#clock.monotonic();
    try {
      const keys = createLocalJWKSet({ keys: await this.#fetch(url) });
      entry.keys = keys;
      entry.fetchedAt = entry.triedAt;
      return keys;
    } catch (cause) {
      const error = asUnavailable(cause, url);
      this.#source?.report(error);
      // If the set cannot be refreshed for an unknown key, the cached keys stay valid until they expire.
      const known = this.#freshKeys(entry);
      if (known === undefined) throw error;
      return known;
    }
  }

  async #fetch(url: string): Promise<JWK[]> {
    if (this.#source === undefined) throw unavailable(url, 'key sets are not fetched');
    const headers = { accept: 'application/jwk-set+json, application/json' };
    const { status, body } = await this.#source.fetcher.fetch({ url, method: 'GET', headers, secure: true }, () => {});
    if (status !== 200) throw unavailable(url, `the answer has status ${status}`);
    const listed = parseStrictObject(Buffer.from(body).toString('utf8'), MAX_DEPTH)?.['keys'];
    if (!Array.isArray(listed)) throw unavailable(url, 'it is not a key set');
    if (listed.length > MAX_KEYS) throw unavailable(url, `it has more than ${MAX_KEYS} keys`);
    // Sets may contain keys for other uses, and of unsupported types.
    const keys = listed.filter(verifies).map(essentials);
    if (keys.length === 0) throw unavailable(url, 'no key in it can verify tokens');
    return keys;
  }
}

function unavailable(url: string, reason: string): TesseraError {
  return failure('key_set_unavailable', { host: URL.canParse(url) ? new URL(url).host : 'nowhere', reason });
}

function asUnavailable(thrown: unknown, url: string): TesseraError {
  const error = asTesseraError(thrown);
  return error.code === 'key_set_unavailable' ? error : unavailable(url, error.message);
}

/** Members of secret and private keys: a key that is publicly available proves nothing. */
const PRIVATE = ['k', 'd', 'p', 'q', 'dp', 'dq', 'qi', 'oth'];

/** Whether a key of a set may verify tokens. */
function verifies(listed: Json): boolean {
  if (typeof listed !== 'object' || listed === null || Array.isArray(listed)) return false;
  const jwk = listed as JsonObject;
  const { alg, use, key_ops: operations, kid } = jwk;
  if (PRIVATE.some((member) => Object.hasOwn(jwk, member))) return false;
  if (use !== undefined && use !== 'sig') return false;
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes('verify'))) return false;
  if (kid !== undefined && typeof kid !== 'string') return false;
  const names = algorithmsOfJwk(jwk).map(headerName);
  return alg === undefined ? names.length > 0 : typeof alg === 'string' && names.includes(alg);
}

/** The members of a public key that verifying needs. Others, such as certificates, aren't kept. */
const ESSENTIAL = ['kty', 'kid', 'alg', 'crv', 'x', 'y', 'n', 'e'] as const;

function essentials(listed: Json): JWK {
  const jwk = listed as JsonObject;
  const members = ESSENTIAL.map((name) => [name, jwk[name]] as const);
  return Object.fromEntries(members.filter(([, value]) => typeof value === 'string')) as JWK;
}

function algorithmsOfJwk(jwk: JsonObject) {
  try {
    return algorithmsOf(createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' }));
  } catch {
    return [];
  }
}
