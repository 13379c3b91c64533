/** The private key of a client at an identity provider. */
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { importPKCS8, SignJWT } from 'jose';
import type { Clock } from '../../env/environment.js';
import { failure } from '../../errors/error.js';
import type { ProviderTarget } from './provider-target.js';

const LEAST_RSA_BITS = 2048;
const ALGORITHMS_OF_CURVES: Readonly<Record<string, string>> = {
  prime256v1: 'ES256',
  secp384r1: 'ES384',
  secp521r1: 'ES512',
};

/**
 * The algorithm by which a key signs.
 * @throws TesseraError `provider_key_invalid`
 */
export function algorithmOfClientKey(pem: string): string {
  let key: KeyObject;
  try {
    key = createPrivateKey({ key: pem, format: 'pem' });
  } catch {
    throw failure('provider_key_invalid');
  }
  const { asymmetricKeyType: type, asymmetricKeyDetails: { modulusLength = 0, namedCurve = '' } = {} } = key;
  const isPkcs8 = pem.trimStart().startsWith('-----BEGIN PRIVATE KEY-----');
  const curve = ALGORITHMS_OF_CURVES[namedCurve];
  if (isPkcs8 && type === 'rsa' && modulusLength >= LEAST_RSA_BITS) return 'RS256';
  if (isPkcs8 && type === 'ec' && curve !== undefined) return curve;
  if (isPkcs8 && type === 'ed25519') return 'EdDSA';
  throw failure('provider_key_invalid');
}

export function clientKey(pem: string) {
  return importPKCS8(pem, algorithmOfClientKey(pem));
}

/** How long a secret that is signed is valid, in seconds. */
const LIFETIME = 300;

/** What takes the place of a secret at Apple: a token that names the team, signed by its key. */
export async function signedSecret({ issuer, client, option = '' }: ProviderTarget, clock: Clock): Promise<string> {
  const { id, key = '', keyId } = client;
  const now = Number(clock.now() / 1_000_000_000n);
  return new SignJWT()
    .setProtectedHeader({ alg: algorithmOfClientKey(key), ...(keyId !== undefined && { kid: keyId }) })
    .setIssuer(option)
    .setSubject(id)
    .setAudience(issuer)
    .setIssuedAt(now)
    .setExpirationTime(now + LIFETIME)
    .sign(await clientKey(key));
}
