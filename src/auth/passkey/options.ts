/**
 * What a page gives to the browser: PublicKeyCredentialCreationOptionsJSON and …RequestOptionsJSON (WebAuthn Level 3,
 * sections 5.4 and 5.5), which the static functions of PublicKeyCredential read. Binary members are base64url.
 */
import type { PasskeyWay } from '../../language/ast.js';
import { type ObjectValue, objectFrom } from '../../value/value.js';
import { PASSKEY_ALGORITHMS } from './cose-key.js';

/** A passkey that a record has. */
export interface KnownPasskey {
  readonly id: string;
  readonly transports: readonly string[];
}

interface Asked {
  readonly challenge: string;
  /** In milliseconds. */
  readonly timeout: number;
  /** Of the record, if it is known. */
  readonly passkeys: readonly KnownPasskey[];
}

interface Making extends Asked {
  /** As people know it. */
  readonly app: string;
  readonly user: {
    readonly handle: string;
    /** Shown by the browser, to tell several accounts apart; nothing depends on it. */
    readonly name: string;
  };
}

/** For `navigator.credentials.create`. */
export function makingOptions(
  { domain, verification }: PasskeyWay,
  { app, user: { handle, name }, challenge, timeout, passkeys }: Making,
): ObjectValue {
  return objectFrom({
    rp: objectFrom({ id: domain, name: app }),
    user: objectFrom({ id: handle, name, displayName: name }),
    challenge,
    pubKeyCredParams: Object.values(PASSKEY_ALGORITHMS).map((alg) => objectFrom({ type: 'public-key', alg })),
    timeout,
    excludeCredentials: passkeys.map(descriptor),
    authenticatorSelection: objectFrom({
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: verification,
    }),
    attestation: 'none',
  });
}

/** For `navigator.credentials.get`. Without passkeys the browser offers all that it has for the domain. */
export function signingOptions(
  { domain, verification }: PasskeyWay,
  { challenge, timeout, passkeys }: Asked,
): ObjectValue {
  return objectFrom({
    challenge,
    timeout,
    rpId: domain,
    allowCredentials: passkeys.map(descriptor),
    userVerification: verification,
  });
}

function descriptor({ id, transports }: KnownPasskey): ObjectValue {
  return objectFrom({ type: 'public-key', id, transports: [...transports] });
}
