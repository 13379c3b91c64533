import { createPrivateKey, createPublicKey, type KeyObject, webcrypto } from 'node:crypto';
import type { CryptoKey } from 'jose';
import { LruCache } from '../base/lru-cache.js';
import { failure } from '../errors/error.js';
import type { Algorithm } from '../language/ast.js';

/** An algorithm with the text of a key for it: a secret for HS*, PEM for the others. */
export interface SigningKey {
  readonly algorithm: Algorithm;
  readonly key: string;
}

export type KeyUse = 'sign' | 'verify';

type Family =
  | { readonly type: 'hmac'; readonly hash: string; readonly hashBytes: number }
  | { readonly type: 'rsa' }
  /** The curve, as Node calls it. */
  | { readonly type: 'ec'; readonly curve: string }
  | { readonly type: 'ed25519' };

const RSA: Family = { type: 'rsa' };

/** What each algorithm of DEFINE ACCESS is called in the header of a token, and which keys it takes. */
const ALGORITHMS: Readonly<Record<Algorithm, { readonly name: string; readonly family: Family }>> = {
  HS256: { name: 'HS256', family: { type: 'hmac', hash: 'SHA-256', hashBytes: 32 } },
  HS384: { name: 'HS384', family: { type: 'hmac', hash: 'SHA-384', hashBytes: 48 } },
  HS512: { name: 'HS512', family: { type: 'hmac', hash: 'SHA-512', hashBytes: 64 } },
  RS256: { name: 'RS256', family: RSA },
  RS384: { name: 'RS384', family: RSA },
  RS512: { name: 'RS512', family: RSA },
  PS256: { name: 'PS256', family: RSA },
  PS384: { name: 'PS384', family: RSA },
  PS512: { name: 'PS512', family: RSA },
  ES256: { name: 'ES256', family: { type: 'ec', curve: 'prime256v1' } },
  ES384: { name: 'ES384', family: { type: 'ec', curve: 'secp384r1' } },
  ES512: { name: 'ES512', family: { type: 'ec', curve: 'secp521r1' } },
  EDDSA: { name: 'EdDSA', family: { type: 'ed25519' } },
};

const MIN_RSA_BITS = 2048;

/** The `alg` of the header. */
export function headerName(algorithm: Algorithm): string {
  return ALGORITHMS[algorithm].name;
}

/** Whether one key both signs and verifies. */
export function isSymmetric(algorithm: Algorithm): boolean {
  return ALGORITHMS[algorithm].family.type === 'hmac';
}

/**
 * Says whether a key may be put into a definition: what `importKey` demands, and that an HMAC key is at least as long as its hash
 * (RFC 7518 §3.2). Tokens are still verified with shorter keys that a definition holds already, so that an import works.
 *
 * @throws TesseraError `invalid_key`
 */
export async function checkKey(use: KeyUse, { algorithm, key }: SigningKey): Promise<void> {
  const { family } = ALGORITHMS[algorithm];
  if (family.type === 'hmac' && Buffer.byteLength(key) < family.hashBytes) {
    throw unfit(algorithm, `it must have at least ${family.hashBytes} bytes`);
  }
  await importKey(use, { algorithm, key });
}

/**
 * Makes a key ready for use. The key must be of the algorithm's own kind: a PEM text is no HMAC secret (a public key would let
 * everybody sign), RSA needs 2048 bits, each ES* its own curve, and a private key doesn't stand where a public one is shown to all.
 *
 * @throws TesseraError `invalid_key`
 */
export async function importKey(use: KeyUse, { algorithm, key }: SigningKey): Promise<CryptoKey | KeyObject> {
  const { family } = ALGORITHMS[algorithm];
  const isPem = key.includes('-----BEGIN');
  if (family.type === 'hmac') {
    if (isPem) throw unfit(algorithm, 'it is a PEM text, not a secret');
    if (key === '') throw unfit(algorithm, 'it is empty');
    const parameters = { name: 'HMAC', hash: family.hash };
    return webcrypto.subtle.importKey('raw', Buffer.from(key, 'utf8'), parameters, false, [use]);
  }
  if (!isPem) throw unfit(algorithm, 'it is not a PEM text');
  if (use === 'verify' && key.includes('PRIVATE KEY')) throw unfit(algorithm, 'it is a private key');
  let imported: KeyObject;
  try {
    imported = use === 'sign' ? createPrivateKey(key) : createPublicKey(key);
  } catch {
    // The library's own words might quote the key.
    throw unfit(algorithm, 'it cannot be read');
  }
  const wrong = mismatch(family, imported);
  if (wrong !== undefined) throw unfit(algorithm, wrong);
  return imported;
}

function mismatch(family: Exclude<Family, { type: 'hmac' }>, key: KeyObject): string | undefined {
  if (key.asymmetricKeyType !== family.type) return `it must be of type ${family.type}`;
  const { namedCurve, modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
  if (family.type === 'ec' && namedCurve !== family.curve) return `it must lie on the curve ${family.curve}`;
  if (family.type === 'rsa' && modulusLength < MIN_RSA_BITS) return `it must have at least ${MIN_RSA_BITS} bits`;
  return undefined;
}

function unfit(algorithm: Algorithm, reason: string) {
  return failure('invalid_key', { algorithm, reason });
}

/** Imports each key once, and remembers those used last. */
export class SigningKeys {
  readonly #imported: LruCache<string, Promise<CryptoKey | KeyObject>>;

  constructor(capacity = 256) {
    this.#imported = new LruCache(capacity);
  }

  /** @throws TesseraError `invalid_key` */
  get(use: KeyUse, key: SigningKey): Promise<CryptoKey | KeyObject> {
    const name = `${use} ${key.algorithm} ${key.key}`;
    let imported = this.#imported.get(name);
    if (imported === undefined) {
      imported = importKey(use, key);
      this.#imported.set(name, imported);
    }
    return imported;
  }
}
