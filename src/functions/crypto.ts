/** `crypto::*`: digests, keyed hashes, hashes of passwords, and one-time passwords. */
import { createHash, createHmac, type Hmac, timingSafeEqual } from 'node:crypto';
import { blake3 } from '@noble/hashes/blake3.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { andThen, type PromiseOrValue, untilTrue } from '../base/promise-or-value.js';
import type { Work } from '../base/work/work.js';
import type { Value } from '../value/value.js';
import { type FunctionRow, HASH_ALGORITHMS, type HashAlgorithm } from './calls/contract.js';
import { define } from './calls/define.js';
import { IN_PIECES } from './calls/input-limit.js';
import { text, textOrBytes } from './calls/parameters.js';
import { totpFunctions } from './crypto/totp.js';
import { forEachPiece } from './string/text-pieces.js';

// Message authentication codes (RFC 2104), as servers sign their webhooks with.

function codes(hash: 'sha256' | 'sha512', title: string): FunctionRow {
  return define(
    `crypto::hmac::${hash}`,
    [textOrBytes('key'), textOrBytes('message')],
    'string',
    `The HMAC of a message by ${title}, in hexadecimal. Key and message are texts or bytes.`,
    (secret, content, context) => {
      const hmac = createHmac(hash, secret);
      const updated =
        typeof content === 'string'
          ? forEachPiece(content, context, (piece) => {
              hmac.update(utf8ToBytes(piece));
            })
          : updateWith(hmac, content, context);
      return andThen(updated, () => hmac.digest('hex'));
    },
    IN_PIECES,
  );
}

/** Bytes that are hashed in one step. */
const STEP = 2 ** 20;

function updateWith(hmac: Hmac, bytes: Uint8Array, work: Work): PromiseOrValue<void> {
  let from = 0;
  return untilTrue(() => {
    hmac.update(bytes.subarray(from, from + STEP));
    from += STEP;
    return from >= bytes.length || andThen(work.checkpoint(), () => false);
  });
}

const hmacFunctions: readonly FunctionRow[] = [
  codes('sha256', 'SHA-256'),
  codes('sha512', 'SHA-512'),
  define(
    'crypto::hmac::compare',
    [text('expected'), text('given')],
    'bool',
    'Whether two codes are equal, in a time that doesn’t depend on where they differ. Case matters.',
    (expected, given) => {
      const [a, b] = [utf8ToBytes(expected), utf8ToBytes(given)];
      return a.length === b.length && timingSafeEqual(a, b);
    },
  ),
];

function digests(name: string, what: string): FunctionRow {
  return define(
    `crypto::${name}`,
    [text('string')],
    'string',
    `The ${what} digest of a text, in hexadecimal.`,
    (string, context) => digest(string, context, createHash(name), (hash) => hash.digest('hex')),
    IN_PIECES,
  );
}

function passwords(algorithm: HashAlgorithm, title: string): readonly FunctionRow[] {
  return [
    define(
      `crypto::${algorithm}::compare`,
      [text('hash'), text('password')],
      'bool',
      `Whether a password belongs to a ${title} hash.`,
      (hash, password, { passwords }) => passwords.verify(algorithm, hash, password),
      { deterministic: false, expects: { count: 'two arguments', each: ['a string hash', 'a string password'] } },
    ),
    define(
      `crypto::${algorithm}::generate`,
      [text('password')],
      'string',
      `Hashes a password with ${title} and a random salt.`,
      (password, { passwords }) => passwords.hash(algorithm, password),
      { deterministic: false, expects: { count: 'a password argument', each: ['a string password'] } },
    ),
  ];
}

const TITLES: Readonly<Record<HashAlgorithm, string>> = {
  argon2: 'Argon2id',
  bcrypt: 'bcrypt',
  pbkdf2: 'PBKDF2',
  scrypt: 'scrypt',
};

export const cryptoFunctions: readonly FunctionRow[] = [
  define(
    'crypto::blake3',
    [text('string')],
    'string',
    'The BLAKE3 digest of a text, in hexadecimal.',
    (string, context) => digest(string, context, blake3.create({}), (hash) => bytesToHex(hash.digest())),
    IN_PIECES,
  ),
  define(
    'crypto::joaat',
    [text('string')],
    'int',
    'The Jenkins one-at-a-time hash of a text. Not for secrets.',
    (string, context) => digest(string, context, new JenkinsHash(), (hash) => hash.digest()),
    IN_PIECES,
  ),
  digests('md5', 'MD5'),
  digests('sha1', 'SHA-1'),
  digests('sha256', 'SHA-256'),
  digests('sha512', 'SHA-512'),
  ...hmacFunctions,
  ...totpFunctions,
  ...HASH_ALGORITHMS.flatMap((algorithm) => passwords(algorithm, TITLES[algorithm])),
];

/** The digest of a text in UTF-8, piece by piece. */
function digest<H extends { update(bytes: Uint8Array): unknown }>(
  text: string,
  work: Work,
  hash: H,
  finish: (hash: H) => Value,
): PromiseOrValue<Value> {
  const updated = forEachPiece(text, work, (piece) => {
    hash.update(utf8ToBytes(piece));
  });
  return andThen(updated, () => finish(hash));
}

/** Bob Jenkins's one-at-a-time hash. */
class JenkinsHash {
  #hash = 0;

  update(bytes: Uint8Array): void {
    let hash = this.#hash;
    for (const byte of bytes) {
      hash = (hash + byte) | 0;
      hash = (hash + (hash << 10)) | 0;
      hash ^= hash >>> 6;
    }
    this.#hash = hash;
  }

  digest(): number {
    let hash = this.#hash;
    hash = (hash + (hash << 3)) | 0;
    hash ^= hash >>> 11;
    return ((hash + (hash << 15)) | 0) >>> 0;
  }
}
