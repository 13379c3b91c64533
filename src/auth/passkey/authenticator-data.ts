/** Authenticator data (WebAuthn Level 3, section 6.1): what an authenticator says and signs. */
import { ByteReader } from '../../value/codecs/byte-reader.js';
import { type PasskeyKey, readCoseKey } from './cose-key.js';
import { passkeyRefused } from './passkey-refused.js';

export interface AuthenticatorData {
  /** SHA-256 of the domain that the passkey was made for. */
  readonly domainDigest: Uint8Array;
  /** A person has touched the authenticator (UP), and has shown to be its user (UV). */
  readonly isPresent: boolean;
  readonly isVerified: boolean;
  /** The passkey may be copied to other devices (BE), and was (BS). */
  readonly mayBeBackedUp: boolean;
  readonly isBackedUp: boolean;
  /** How often it has signed; 0 where it doesn't count. */
  readonly counter: number;
}

/** What it says of a passkey that it has just made. */
export interface AttestedPasskey extends AuthenticatorData, PasskeyKey {
  readonly id: Uint8Array;
}

const FLAG = {
  present: 0x01,
  verified: 0x04,
  mayBeBackedUp: 0x08,
  backedUp: 0x10,
  attested: 0x40,
  extensions: 0x80,
} as const;

const DIGEST_BYTES = 32;
/** The id of the model, which tells nothing without an attestation. */
const MODEL_BYTES = 16;
/** Section 5.8.3. */
export const LONGEST_PASSKEY_ID = 1_023;

/** @throws TesseraError `passkey_refused` */
export function readAuthenticatorData(bytes: Uint8Array): AuthenticatorData {
  return readFront(new ByteReader(bytes, malformed)).data;
}

/** @throws TesseraError `passkey_refused` */
export function readAttestedPasskey(bytes: Uint8Array): AttestedPasskey {
  const reader = new ByteReader(bytes, malformed);
  const { data, flags } = readFront(reader);
  if ((flags & FLAG.attested) === 0) throw passkeyRefused('it comes without its key');
  reader.raw(MODEL_BYTES);
  const length = reader.uint16();
  if (length === 0 || length > LONGEST_PASSKEY_ID) throw passkeyRefused('its id is too short or too long');
  const id = reader.raw(length);
  const key = readCoseKey(reader);
  if ((flags & FLAG.extensions) === 0 && reader.remaining > 0) malformed('bytes after the end');
  return { ...data, ...key, id };
}

function readFront(reader: ByteReader): { readonly data: AuthenticatorData; readonly flags: number } {
  const domainDigest = reader.raw(DIGEST_BYTES);
  const flags = reader.byte();
  const has = (flag: number) => (flags & flag) !== 0;
  const data = {
    domainDigest,
    isPresent: has(FLAG.present),
    isVerified: has(FLAG.verified),
    mayBeBackedUp: has(FLAG.mayBeBackedUp),
    isBackedUp: has(FLAG.backedUp),
    counter: reader.uint32(),
  };
  return { data, flags };
}

function malformed(what: string): never {
  throw passkeyRefused(`its authenticator data is malformed: ${what}`);
}
