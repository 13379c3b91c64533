/** Keys that sign and verify tokens, and the requirements of each algorithm of DEFINE ACCESS. */
import { createHash, createPrivateKey, createPublicKey, createSecretKey, type KeyObject } from 'node:crypto';
import { failure } from '../../errors/error.js';
import { type AccessKind, ALGORITHMS, type Algorithm, type JwtAccess } from '../../language/ast.js';

/** An algorithm and its key: a secret for HS*, PEM for the others. */
export interface SigningKey {
  readonly algorithm: Algorithm;
  readonly key: string;
}

export type KeyUse = 'sign' | 'verify';

type Family =
  | { readonly type: 'hmac'; readonly hash: string; readonly hashBytes: number }
  | { readonly type: 'rsa' }
  /** The curve by Node's name. */
  | { readonly type: 'ec'; readonly curve: string }
  | { readonly type: 'ed25519' };

const RSA: Family = { type: 'rsa' };

/** The JWA name (RFC 7518) and key type of each algorithm. */
const ROWS: Readonly<Record<Algorithm, { readonly name: string; readonly family: Family }>> = {
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
/** Retired keys that an access method may keep for verification: each costs an invalid token another attempt. */
export const MAX_RETIRED_KEYS = 4;

/** The `alg` header. */
export function headerName(algorithm: Algorithm): string {
  return ROWS[algorithm].name;
}

/** The hash of an HMAC; `undefined` for asymmetric algorithms. */
export function hmacHash(algorithm: Algorithm): string | undefined {
  const { family } = ROWS[algorithm];
  return family.type === 'hmac' ? family.hash : undefined;
}

/** Whether one key both signs and verifies. */
export function isSymmetric(algorithm: Algorithm): boolean {
  return ROWS[algorithm].family.type === 'hmac';
}

/** Algorithms whose verification keys may be public. */
export const ASYMMETRIC_ALGORITHMS: readonly Algorithm[] = ALGORITHMS.filter((algorithm) => !isSymmetric(algorithm));

/** The algorithms that a public key can be used with. */
export function algorithmsOf(key: KeyObject): readonly Algorithm[] {
  return ASYMMETRIC_ALGORITHMS.filter((algorithm) => mismatch(ROWS[algorithm].family, key) === undefined);
}

/** The keys and claims that an access method names in its statement; `undefined` if its type has none. */
export function jwtOf(accessKind: AccessKind): JwtAccess | undefined {
  return 'jwt' in accessKind ? accessKind.jwt : undefined;
}

/** The same access method with other keys, of a type that has keys in its statement. */
export function withJwt<A extends AccessKind>(accessKind: A, jwt: JwtAccess): A {
  return { ...accessKind, jwt };
}

/** The key that signs the tokens issued by an access method; `undefined` if it issues none. */
export function issuingKey({ verify, issuer }: JwtAccess): SigningKey | undefined {
  const verifying = verify.kind === 'key' ? verify : undefined;
  const algorithm = issuer?.algorithm ?? verifying?.algorithm;
  if (algorithm === undefined) return undefined;
  const key = issuer?.key ?? (isSymmetric(algorithm) ? verifying?.key : undefined);
  return key === undefined ? undefined : { algorithm, key };
}

/** A digest of the key that verifies the tokens of an access method, to be stored with what rests on such a token. */
export function keyMark(accessKind: AccessKind): string | undefined {
  return keyMarks(accessKind)[0];
}

/** The marks of all keys that verify them: the present one first, then retired ones. */
export function keyMarks(accessKind: AccessKind): readonly string[] {
  const verify = jwtOf(accessKind)?.verify;
  if (verify === undefined) return [];
  const keys = verify.kind === 'url' ? [verify.url] : [verify, ...(verify.retired ?? [])].map(({ key }) => key);
  return keys.map((key) => createHash('sha256').update(key).digest('base64url'));
}

/**
 * Validates the keys of an access method to be defined: each must satisfy `readKey`, an HMAC key must be at least as
 * long as its hash (RFC 7518, section 3.2), and a private key must match the public one. For a short key the error
 * names the alternatives, including omitting the key if it is `optional`.
 *
 * @throws TesseraError `invalid_key`, `too_many_retired_keys`
 */
export function validateKeys(jwt: JwtAccess, optional = false): void {
  const { verify } = jwt;
  const issuing = issuingKey(jwt);
  if (verify.kind === 'url') {
    if (issuing !== undefined) validateKey('sign', issuing, optional);
    return;
  }
  const { algorithm, key, retired = [] } = verify;
  if (retired.length > MAX_RETIRED_KEYS) throw failure('too_many_retired_keys', { limit: MAX_RETIRED_KEYS });
  const verifying = validateKey('verify', { algorithm, key }, optional);
  for (const former of retired) validateKey('verify', { algorithm, key: former.key }, optional);
  if (issuing === undefined || isSymmetric(algorithm)) return;
  if (!createPublicKey(validateKey('sign', issuing, optional)).equals(verifying)) {
    throw unfit(algorithm, 'the private key belongs to another public key');
  }
}

/**
 * Validates one key.
 * @throws TesseraError `invalid_key`
 */
export function validateKey(use: KeyUse, { algorithm, key }: SigningKey, optional = false): KeyObject {
  const { family } = ROWS[algorithm];
  if (family.type === 'hmac' && Buffer.byteLength(key) < family.hashBytes) {
    const random = optional ? '; without WITH JWT a random key is made' : '';
    throw unfit(
      algorithm,
      `it must have at least ${family.hashBytes} bytes (a server with --allow-weak-keys takes shorter ones${random})`,
    );
  }
  return readSigningKey(use, { algorithm, key });
}

/**
 * Imports a key. It must be of the algorithm's type: no PEM text as HMAC secret (anyone could sign with a public key),
 * RSA of at least 2048 bits, the right curve for each ES*, and no private key where a public one is published. Short
 * HMAC keys in existing definitions are accepted.
 *
 * @throws TesseraError `invalid_key`
 */
export function readSigningKey(use: KeyUse, { algorithm, key }: SigningKey): KeyObject {
  const { family } = ROWS[algorithm];
  const isPem = key.includes('-----BEGIN');
  if (family.type === 'hmac') {
    if (isPem) throw unfit(algorithm, 'it is a PEM text, not a secret');
    if (key === '') throw unfit(algorithm, 'it is empty');
    return createSecretKey(key, 'utf8');
  }
  if (!isPem) throw unfit(algorithm, 'it is not a PEM text');
  if (use === 'verify' && key.includes('PRIVATE KEY')) throw unfit(algorithm, 'it is a private key');
  let read: KeyObject;
  try {
    read = use === 'sign' ? createPrivateKey(key) : createPublicKey(key);
  } catch {
    // The library's message might quote the key.
    throw unfit(algorithm, 'it cannot be read');
  }
  const wrong = mismatch(family, read);
  if (wrong !== undefined) throw unfit(algorithm, wrong);
  return read;
}

function mismatch(family: Family, key: KeyObject): string | undefined {
  if (key.asymmetricKeyType !== family.type) return `it must be of type ${family.type}`;
  const { namedCurve, modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
  if (family.type === 'ec' && namedCurve !== family.curve) return `it must lie on the curve ${family.curve}`;
  if (family.type === 'rsa' && modulusLength < MIN_RSA_BITS) return `it must have at least ${MIN_RSA_BITS} bits`;
  return undefined;
}

function unfit(algorithm: Algorithm, reason: string) {
  return failure('invalid_key', { algorithm, reason });
}
