/** Keys of access methods, imported for signing and verifying. */
import { createPublicKey, type KeyObject, webcrypto } from 'node:crypto';
import { type CryptoKey, calculateJwkThumbprint, type JWK } from 'jose';
import { TwoGenerationCache } from '../../base/two-generation-cache.js';
import {
  headerName,
  hmacHash,
  type KeyUse,
  readSigningKey,
  type SigningKey,
} from '../../catalog/credentials/signing-key.js';

/** Imports keys, with a cache. */
export class SigningKeys {
  readonly #imported: TwoGenerationCache<string, Promise<CryptoKey | KeyObject>>;
  readonly #public = new TwoGenerationCache<string, Promise<PublicJwk>>(256);

  constructor(capacity = 256) {
    this.#imported = new TwoGenerationCache(capacity);
  }

  /**
   * Imports a key.
   * @throws TesseraError `invalid_key`
   */
  get(use: KeyUse, key: SigningKey): Promise<CryptoKey | KeyObject> {
    return remembered(this.#imported, `${use} ${key.algorithm} ${key.key}`, () => importKey(use, key));
  }

  /**
   * The public half of a key pair.
   * @throws TesseraError `invalid_key`
   */
  publicJwk(use: KeyUse, key: SigningKey): Promise<PublicJwk> {
    return remembered(this.#public, `${use} ${key.algorithm} ${key.key}`, () => publicJwk(use, key));
  }
}

/** A public key (RFC 7517). `kid` is its thumbprint (RFC 7638). */
export type PublicJwk = JWK & { readonly kid: string };

async function importKey(use: KeyUse, key: SigningKey): Promise<CryptoKey | KeyObject> {
  const read = readSigningKey(use, key);
  const hash = hmacHash(key.algorithm);
  if (hash === undefined) return read;
  return webcrypto.subtle.importKey('raw', read.export(), { name: 'HMAC', hash }, false, [use]);
}

async function publicJwk(use: KeyUse, key: SigningKey): Promise<PublicJwk> {
  const read = readSigningKey(use, key);
  // Exports only public key objects.
  const jwk = (use === 'sign' ? createPublicKey(read) : read).export({ format: 'jwk' }) as JWK;
  return { ...jwk, kid: await calculateJwkThumbprint(jwk), use: 'sig', alg: headerName(key.algorithm) };
}

function remembered<V>(
  cache: TwoGenerationCache<string, Promise<V>>,
  name: string,
  make: () => Promise<V>,
): Promise<V> {
  let known = cache.get(name);
  if (known === undefined) {
    known = make();
    cache.set(name, known);
  }
  return known;
}
