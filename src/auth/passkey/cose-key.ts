/**
 * Public keys as authenticators write them: COSE_Key (RFC 9052, section 7; RFC 9053) in the canonical form of CTAP2,
 * in which labels are small numbers, lengths are definite and nothing is tagged.
 *
 * A decoder of all of CBOR would accept far more than these five labels; `value/codecs/cbor-decode.ts` refuses labels
 * that aren't texts.
 */
import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import type { ByteReader } from '../../value/codecs/byte-reader.js';
import { MAJOR } from '../../value/codecs/cbor-tags.js';
import { passkeyRefused } from './passkey-refused.js';

/** What passkeys may sign by, the best first. */
export const PASSKEY_ALGORITHMS = {
  /** EdDSA with Ed25519. */
  EDDSA: -8,
  /** ECDSA with P-256 and SHA-256. */
  ES256: -7,
  /** RSASSA-PKCS1-v1_5 with SHA-256. */
  RS256: -257,
} as const;

export type PasskeyAlgorithm = (typeof PASSKEY_ALGORITHMS)[keyof typeof PASSKEY_ALGORITHMS];

export interface PasskeyKey {
  readonly algorithm: PasskeyAlgorithm;
  readonly key: KeyObject;
}

type CoseKey = ReadonlyMap<number, number | Uint8Array>;

/** RFC 9053, sections 7.1 and 7.2; RFC 8230, section 4. The meaning of negative labels depends on the type of key. */
const LABEL = { type: 1, algorithm: 3, curve: -1, x: -2, y: -3, modulus: -1, exponent: -2 } as const;
const TYPE = { okp: 1, ec2: 2, rsa: 3 } as const;
const CURVE = { p256: 1, ed25519: 6 } as const;

const MOST_LABELS = 8;
/** Of a modulus: 4,096 bits. */
const LONGEST = 512;

/** RSA keys with fewer bits are too weak; exponents with more take long to verify by. */
const LEAST_RSA_BITS = 2_048;
const LONGEST_EXPONENT = 4;

/** The key that is next. @throws TesseraError `passkey_refused`, as for every key that wasn't asked for */
export function readCoseKey(reader: ByteReader): PasskeyKey {
  const cose = readLabels(reader);
  const algorithm = cose.get(LABEL.algorithm);
  const row = ALGORITHMS.find((each) => each.algorithm === algorithm);
  if (row === undefined) throw passkeyRefused('its algorithm was not offered');
  if (cose.get(LABEL.type) !== row.type) throw passkeyRefused('its key is of another type than its algorithm');
  return { algorithm: row.algorithm, key: keyOf(row.jwk(cose)) };
}

interface AlgorithmRow {
  readonly algorithm: PasskeyAlgorithm;
  readonly type: number;
  jwk(cose: CoseKey): JsonWebKey;
}

const ALGORITHMS: readonly AlgorithmRow[] = [
  {
    algorithm: PASSKEY_ALGORITHMS.EDDSA,
    type: TYPE.okp,
    jwk(cose) {
      if (cose.get(LABEL.curve) !== CURVE.ed25519) throw passkeyRefused('its curve is not Ed25519');
      return { kty: 'OKP', crv: 'Ed25519', x: octets(cose, LABEL.x) };
    },
  },
  {
    algorithm: PASSKEY_ALGORITHMS.ES256,
    type: TYPE.ec2,
    jwk(cose) {
      if (cose.get(LABEL.curve) !== CURVE.p256) throw passkeyRefused('its curve is not P-256');
      return { kty: 'EC', crv: 'P-256', x: octets(cose, LABEL.x), y: octets(cose, LABEL.y) };
    },
  },
  {
    algorithm: PASSKEY_ALGORITHMS.RS256,
    type: TYPE.rsa,
    jwk: (cose) => ({
      kty: 'RSA',
      n: octets(cose, LABEL.modulus),
      e: octets(cose, LABEL.exponent, LONGEST_EXPONENT),
    }),
  },
];

/** A key by which a passkey is verified must be one that is on its curve, or long enough. */
function keyOf(jwk: JsonWebKey): KeyObject {
  let key: KeyObject;
  try {
    key = createPublicKey({ key: jwk, format: 'jwk' });
  } catch {
    throw passkeyRefused('its key is none');
  }
  const { modulusLength = LEAST_RSA_BITS } = key.asymmetricKeyDetails ?? {};
  if (modulusLength < LEAST_RSA_BITS) throw passkeyRefused('its RSA key is too short');
  return key;
}

function octets(cose: CoseKey, label: number, longest = LONGEST): string {
  const value = cose.get(label);
  if (!(value instanceof Uint8Array) || value.length > longest) throw passkeyRefused('a part of its key is missing');
  return Buffer.from(value).toString('base64url');
}

function readLabels(reader: ByteReader): CoseKey {
  const { major, value: count } = readHead(reader);
  if (major !== MAJOR.map || count > MOST_LABELS) throw passkeyRefused('its key is no COSE_Key');
  const labels = new Map<number, number | Uint8Array>();
  for (let at = 0; at < count; at++) {
    const label = readPart(reader);
    if (typeof label !== 'number' || labels.has(label)) throw passkeyRefused('its key has a label that is none');
    labels.set(label, readPart(reader));
  }
  return labels;
}

function readPart(reader: ByteReader): number | Uint8Array {
  const { major, value } = readHead(reader);
  if (major === MAJOR.uint) return value;
  if (major === MAJOR.negative) return -1 - value;
  if (major !== MAJOR.bytes || value > LONGEST) throw passkeyRefused('its key has a part of another type');
  return reader.raw(value);
}

/** A type, and its value or length: at most two bytes, which all of these have. */
function readHead(reader: ByteReader): { readonly major: number; readonly value: number } {
  const initial = reader.byte();
  const information = initial & 31;
  if (information > 25) throw passkeyRefused('its key has a part that is too long');
  const value = information < 24 ? information : information === 24 ? reader.byte() : reader.uint16();
  return { major: initial >>> 5, value };
}
