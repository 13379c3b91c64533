/** Reads the `credential` that a client shows: what toJSON of a PublicKeyCredential makes (WebAuthn Level 3, 5.1). */
import { isArray, isObject, type ObjectValue, type Value } from '../../value/value.js';
import { LONGEST_PASSKEY_ID } from './authenticator-data.js';
import { passkeyRefused } from './passkey-refused.js';

/** What both ceremonies give. */
interface ShownCredential {
  /** In base64url. */
  readonly id: string;
  /** JSON, as the browser has written and the authenticator has signed it. */
  readonly clientData: Uint8Array;
}

/** A passkey that was just made. */
export interface MadeCredential extends ShownCredential {
  readonly attestation: Uint8Array;
  /** How it can be reached, as far as it says: hints for the browser, and nothing more. */
  readonly transports: readonly string[];
}

/** A passkey that has signed. */
export interface SignedCredential extends ShownCredential {
  readonly authenticatorData: Uint8Array;
  readonly signature: Uint8Array;
  /** Whose it is, in base64url; absent where it was asked for by its id and doesn't say. */
  readonly userHandle: string | undefined;
}

/** In bytes. */
const LONGEST_CLIENT_DATA = 4_096;
const LONGEST_ATTESTATION = 65_536;
const LONGEST_DATA = 4_096;
const LONGEST_SIGNATURE = 1_024;
const LONGEST_HANDLE = 64;

/** Section 5.8.4. */
const TRANSPORTS = ['ble', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'];

/** @throws TesseraError `passkey_refused` */
export function readMadeCredential(shown: Value): MadeCredential {
  const { front, response } = readFront(shown);
  const { transports } = response;
  const named = isArray(transports) ? transports : [];
  return {
    ...front,
    attestation: octets(response, 'attestationObject', LONGEST_ATTESTATION),
    transports: TRANSPORTS.filter((transport) => named.includes(transport)),
  };
}

/** @throws TesseraError `passkey_refused` */
export function readSignedCredential(shown: Value): SignedCredential {
  const { front, response } = readFront(shown);
  const { userHandle } = response;
  const isUnsaid = userHandle === undefined || userHandle === null;
  return {
    ...front,
    authenticatorData: octets(response, 'authenticatorData', LONGEST_DATA),
    signature: octets(response, 'signature', LONGEST_SIGNATURE),
    userHandle: isUnsaid ? undefined : base64url(octets(response, 'userHandle', LONGEST_HANDLE)),
  };
}

function readFront(shown: Value): { readonly front: ShownCredential; readonly response: ObjectValue } {
  if (!isObject(shown)) throw passkeyRefused("there is no 'credential', as toJSON() gives it");
  const { response, type, rawId } = shown;
  if (type !== 'public-key' || !isObject(response)) throw passkeyRefused("'credential' is of another type");
  const id = base64url(octets(shown, 'id', LONGEST_PASSKEY_ID));
  if (rawId !== undefined && rawId !== shown['id']) throw passkeyRefused("'id' and 'rawId' are not the same");
  return { front: { id, clientData: octets(response, 'clientDataJSON', LONGEST_CLIENT_DATA) }, response };
}

/** Bytes in base64url without padding, in the one way to write them, as `toJSON()` does. */
function octets(from: ObjectValue, name: string, longest: number): Uint8Array {
  const text = from[name];
  if (typeof text !== 'string' || text.length > Math.ceil((longest * 4) / 3))
    throw passkeyRefused(`'${name}' is too long or no text`);
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length === 0 || base64url(bytes) !== text) throw passkeyRefused(`'${name}' is not base64url`);
  return bytes;
}

export function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64url');
}
