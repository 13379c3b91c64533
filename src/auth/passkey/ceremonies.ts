/**
 * The two ceremonies of WebAuthn Level 3 as the server judges them: a passkey is made (section 7.1), and signs (7.2).
 * All that is asked for is asked for here: what a page has asked the browser for proves nothing.
 *
 * Signatures are Node's. What is read besides is little, and its rules are ours: the libraries for it check fewer of
 * them (`docs/internals/dependencies.md`).
 */

import { isUtf8 } from 'node:buffer';
import { createHash, createPublicKey, verify } from 'node:crypto';
import { failure, TesseraError } from '../../errors/error.js';
import type { PasskeyWay } from '../../language/ast.js';
import { decodeCbor } from '../../value/codecs/cbor-decode.js';
import { isObject, type Value } from '../../value/value.js';
import { type AuthenticatorData, readAttestedPasskey, readAuthenticatorData } from './authenticator-data.js';
import { PASSKEY_ALGORITHMS, type PasskeyAlgorithm } from './cose-key.js';
import { base64url, type MadeCredential, type SignedCredential } from './credential.js';
import { passkeyRefused } from './passkey-refused.js';

/** What is stored of a passkey. */
export interface Passkey {
  /** In DER (SubjectPublicKeyInfo). */
  readonly key: Uint8Array;
  readonly algorithm: PasskeyAlgorithm;
  readonly counter: number;
  readonly mayBeBackedUp: boolean;
}

/** What a ceremony has to be for. */
export interface Expected {
  readonly way: Pick<PasskeyWay, 'domain' | 'origins' | 'verification'>;
  /** In base64url. */
  readonly challenge: string;
}

/** Levels of attestation statements, which aren't read: none was asked for. */
const ATTESTATION_LIMITS = { maxDepth: 16, maxValues: 1_000 };

/**
 * The passkey that an authenticator has made. An attestation is neither asked for nor believed: who has made the
 * authenticator makes no difference here.
 * @throws TesseraError `passkey_refused`
 */
export function madePasskey({ id, clientData, attestation }: MadeCredential, expected: Expected): Passkey & Shown {
  judgeClientData(clientData, 'webauthn.create', expected);
  const made = readAttestedPasskey(authenticatorDataIn(attestation));
  judgeAuthenticator(made, expected);
  if (base64url(made.id) !== id) throw passkeyRefused('its id is not the one that it was made with');
  return {
    key: made.key.export({ format: 'der', type: 'spki' }),
    algorithm: made.algorithm,
    counter: made.counter,
    mayBeBackedUp: made.mayBeBackedUp,
    isVerified: made.isVerified,
  };
}

/** What was shown besides having it. */
export interface Shown {
  readonly isVerified: boolean;
}

/**
 * Whether a passkey has signed, and what else that shows; its counter from now on.
 * @throws TesseraError `passkey_refused`, `passkey_counter_back`
 */
export function signedBy(
  passkey: Passkey,
  { clientData, authenticatorData, signature }: SignedCredential,
  expected: Expected,
): Pick<Passkey, 'counter'> & Shown {
  judgeClientData(clientData, 'webauthn.get', expected);
  const data = readAuthenticatorData(authenticatorData);
  judgeAuthenticator(data, expected);
  if (data.mayBeBackedUp !== passkey.mayBeBackedUp) throw passkeyRefused('whether it may be backed up has changed');
  const signed = Buffer.concat([authenticatorData, createHash('sha256').update(clientData).digest()]);
  const key = createPublicKey({ key: Buffer.from(passkey.key), format: 'der', type: 'spki' });
  const digest = passkey.algorithm === PASSKEY_ALGORITHMS.EDDSA ? null : 'sha256';
  if (!verify(digest, signed, key, signature)) throw passkeyRefused('its signature is wrong');
  const isCounting = data.counter !== 0 || passkey.counter !== 0;
  if (isCounting && data.counter <= passkey.counter) throw counterBack(passkey.counter, data.counter);
  return { counter: data.counter, isVerified: data.isVerified };
}

/** A copy of it may be in use (section 6.1.1). */
function counterBack(from: number, to: number): TesseraError {
  return failure('passkey_counter_back', { from, to });
}

type Ceremony = 'webauthn.create' | 'webauthn.get';

/** What the browser says (section 5.8.1); pages can't write it. */
function judgeClientData(bytes: Uint8Array, ceremony: Ceremony, { way: { origins }, challenge }: Expected): void {
  const data = jsonIn(bytes);
  if (data['type'] !== ceremony) throw passkeyRefused(`it was asked for something else than ${ceremony}`);
  if (data['challenge'] !== challenge) throw passkeyRefused('it was asked by another challenge');
  if (!origins.some((origin) => origin === data['origin']))
    throw passkeyRefused('its page is at an origin that is not listed');
  const { crossOrigin, topOrigin } = data;
  if ((crossOrigin !== undefined && crossOrigin !== false) || topOrigin !== undefined)
    throw passkeyRefused('its page is within that of another origin');
}

function jsonIn(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  if (!isUtf8(bytes)) throw passkeyRefused('its client data are not UTF-8');
  try {
    const data: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (typeof data === 'object' && data !== null) return data as Readonly<Record<string, unknown>>;
  } catch {
    // The same as for any other text.
  }
  throw passkeyRefused('its client data are no JSON object');
}

function judgeAuthenticator(data: AuthenticatorData, { way: { domain, verification } }: Expected): void {
  const digest = createHash('sha256').update(domain).digest();
  if (!digest.equals(data.domainDigest)) throw passkeyRefused('it is for another domain');
  if (!data.isPresent) throw passkeyRefused('nobody was present');
  if (verification === 'required' && !data.isVerified) throw passkeyRefused('it has not verified its user');
  if (data.isBackedUp && !data.mayBeBackedUp) throw passkeyRefused('it is backed up, and may not be');
}

/** @throws TesseraError `passkey_refused` */
function authenticatorDataIn(attestation: Uint8Array): Uint8Array {
  let object: Value;
  try {
    object = decodeCbor(attestation, ATTESTATION_LIMITS);
  } catch (error) {
    if (error instanceof TesseraError) throw passkeyRefused(`its attestation can't be read: ${error.message}`);
    throw error;
  }
  const authData = isObject(object) ? object['authData'] : undefined;
  if (!(authData instanceof Uint8Array)) throw passkeyRefused('its attestation has no authenticator data');
  return authData;
}
