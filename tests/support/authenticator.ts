/**
 * An authenticator in software, with a browser before it, for tests of passkeys: it makes credentials and signs with
 * them as `toJSON()` gives them, and lies wherever a test says so.
 */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { encode } from 'cborg';

export const ED25519 = -8;
export const ES256 = -7;
export const RS256 = -257;

const FLAG = { UP: 0x01, UV: 0x04, BE: 0x08, BS: 0x10, AT: 0x40, ED: 0x80 } as const;
export type Flag = keyof typeof FLAG;

/** The options of a start, as far as an authenticator looks at them. */
export interface Options {
  readonly challenge: string;
  readonly rp?: { readonly id: string };
  readonly rpId?: string;
  readonly user?: { readonly id: string };
}

/** What is written in place of what is right. */
export interface Lies {
  readonly origin?: string;
  readonly domain?: string;
  readonly type?: string;
  readonly challenge?: string;
  readonly flags?: readonly Flag[];
  readonly counter?: number;
  readonly client?: Readonly<Record<string, unknown>>;
  readonly handle?: string | undefined;
  readonly id?: string;
  readonly cose?: Map<number, unknown>;
  readonly attestation?: Uint8Array;
  readonly statement?: unknown;
  readonly signature?: Uint8Array;
}

export interface SoftPasskey {
  readonly id: string;
  readonly algorithm: number;
  readonly privateKey: KeyObject;
  readonly handle: string;
  counter: number;
}

type Json = Record<string, unknown>;

const VERIFIED: readonly Flag[] = ['UP', 'UV', 'BE', 'BS'];

export class SoftAuthenticator {
  constructor(
    readonly origin: string,
    readonly algorithm: number = ES256,
    readonly flags: readonly Flag[] = VERIFIED,
  ) {}

  /** `navigator.credentials.create`: the passkey, and what the page sends. */
  create(options: Options, lies: Lies = {}): { passkey: SoftPasskey; credential: Json } {
    const { publicKey, privateKey } = generateKeys(this.algorithm);
    const id = lies.id ?? randomBytes(32).toString('base64url');
    const passkey = { id, algorithm: this.algorithm, privateKey, handle: options.user?.id ?? '', counter: 0 };
    const raw = Buffer.from(id, 'base64url');
    const cose = lies.cose ?? coseKey(this.algorithm, publicKey);
    const authData = Buffer.concat([
      this.#front(options, [...(lies.flags ?? this.flags), 'AT'], lies, 0),
      Buffer.alloc(16),
      Buffer.from([raw.length >> 8, raw.length & 255]),
      raw,
      encode(cose),
    ]);
    const attestation = lies.attestation ?? encode({ fmt: 'none', attStmt: lies.statement ?? {}, authData });
    const credential = {
      id,
      rawId: id,
      type: 'public-key',
      authenticatorAttachment: 'platform',
      clientExtensionResults: {},
      response: {
        clientDataJSON: this.#clientData('webauthn.create', options, lies).toString('base64url'),
        attestationObject: Buffer.from(attestation).toString('base64url'),
        transports: ['internal', 'hybrid'],
      },
    };
    return { passkey, credential };
  }

  /** `navigator.credentials.get` with a passkey of this authenticator. */
  get(passkey: SoftPasskey, options: Options, lies: Lies = {}): Json {
    passkey.counter += passkey.counter === 0 ? 0 : 1;
    const data = this.#front(options, lies.flags ?? this.flags, lies, passkey.counter);
    const client = this.#clientData('webauthn.get', options, lies);
    const signed = Buffer.concat([data, createHash('sha256').update(client).digest()]);
    const digest = passkey.algorithm === ED25519 ? null : 'sha256';
    const signature = lies.signature ?? sign(digest, signed, passkey.privateKey);
    return {
      id: lies.id ?? passkey.id,
      rawId: lies.id ?? passkey.id,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: Buffer.from(signature).toString('base64url'),
        userHandle: 'handle' in lies ? lies.handle : passkey.handle,
      },
    };
  }

  #front({ rp, rpId }: Options, flags: readonly Flag[], { domain, counter: told }: Lies, counter: number): Buffer {
    const front = Buffer.alloc(37);
    createHash('sha256')
      .update(domain ?? rp?.id ?? rpId ?? '')
      .digest()
      .copy(front);
    front[32] = flags.reduce((all, flag) => all | FLAG[flag], 0);
    front.writeUInt32BE(told ?? counter, 33);
    return front;
  }

  #clientData(type: string, { challenge }: Options, lies: Lies): Buffer {
    const said = {
      type: lies.type ?? type,
      challenge: lies.challenge ?? challenge,
      origin: lies.origin ?? this.origin,
    };
    return Buffer.from(JSON.stringify({ ...said, crossOrigin: false, ...lies.client }));
  }
}

function generateKeys(algorithm: number, modulusLength = 2048) {
  if (algorithm === ED25519) return generateKeyPairSync('ed25519');
  if (algorithm === RS256) return generateKeyPairSync('rsa', { modulusLength });
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

/** A public key as an authenticator writes it. */
export function coseKey(algorithm: number, key: KeyObject): Map<number, unknown> {
  const jwk = key.export({ format: 'jwk' });
  const part = (name: 'x' | 'y' | 'n' | 'e') => Uint8Array.from(Buffer.from(jwk[name] ?? '', 'base64url'));
  const shared = (type: number): [number, unknown][] => [
    [1, type],
    [3, algorithm],
  ];
  if (algorithm === ED25519) return new Map([...shared(1), [-1, 6], [-2, part('x')]]);
  if (algorithm === RS256) return new Map([...shared(3), [-1, part('n')], [-2, part('e')]]);
  return new Map([...shared(2), [-1, 1], [-2, part('x')], [-3, part('y')]]);
}
