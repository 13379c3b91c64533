/** `crypto::`: digests, password hashes, HMACs and one-time passwords. */
import { createHash, createHmac, type Hmac, timingSafeEqual } from 'node:crypto';
import { blake3 } from '@noble/hashes/blake3.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { andThen, type PromiseOrValue, untilTrue } from '../base/promise-or-value.js';
import type { Work } from '../base/work/work.js';
import type { Environment } from '../env/environment.js';
import { failure } from '../errors/error.js';
import type { Value } from '../value/value.js';
import { type FunctionRow, HASH_ALGORITHMS, type HashAlgorithm } from './calls/contract.js';
import { define } from './calls/define.js';
import { IN_PIECES } from './calls/input-limit.js';
import { optionalInteger, text, textOrBytes } from './calls/parameters.js';
import { forEachPiece } from './string/text-pieces.js';

// One-time passwords by time (RFC 6238), as authenticator apps make them: HMAC-SHA-1, six digits, a new one every 30
// seconds.

const PERIOD_NANOSECONDS = 30_000_000_000n;
const DIGITS = 6;
/** The secret length that RFC 4226 recommends, and the least that it allows. */
const SECRET_BYTES = 20;
const LEAST_SECRET_BYTES = 16;
/** Steps that a client's clock may be ahead or behind. */
const SKEW = 1;
const MAX_LENGTH = 256;

const options = { deterministic: false } as const;

export const totpFunctions: readonly FunctionRow[] = [
  define(
    'crypto::totp::secret',
    [],
    'string',
    'A new secret for one-time passwords, in base32.',
    ({ environment }) => encodeBase32(environment.random.bytes(SECRET_BYTES)),
    options,
  ),
  define(
    'crypto::totp::uri',
    [text('secret'), text('account'), text('issuer')],
    'string',
    'The URI from which an authenticator app takes a secret, mostly as a QR code.',
    (secret, account, issuer) => {
      const given = encodeBase32(bytesOf('uri', secret));
      if (account.length > MAX_LENGTH || issuer.length > MAX_LENGTH) {
        throw refused('uri', `Account and issuer have no more than ${MAX_LENGTH} characters`);
      }
      const [who, by] = [escaped(account), escaped(issuer)];
      return `otpauth://totp/${by}:${who}?secret=${given}&issuer=${by}&algorithm=SHA1&digits=${DIGITS}&period=30`;
    },
  ),
  define(
    'crypto::totp::code',
    [text('secret')],
    'string',
    'The one-time password of this moment.',
    (secret, { environment }) => codeAt(bytesOf('code', secret), stepOf(environment)),
    options,
  ),
  define(
    'crypto::totp::verify',
    [text('secret'), text('code'), optionalInteger('used')],
    'option<int>',
    'The time step of a one-time password, to be stored and passed as `used` the next time, so that none is accepted twice; NONE if it is invalid.',
    (secret, code, used, { environment }) => {
      const bytes = bytesOf('verify', secret);
      const now = stepOf(environment);
      let found: number | undefined;
      // All steps are checked, for constant time.
      for (let step = now - SKEW; step <= now + SKEW; step++) {
        if (isEqual(codeAt(bytes, step), code) && (used === undefined || step > used)) found = step;
      }
      return found;
    },
    options,
  ),
];

/** Half a character, for which there is no UTF-8, becomes the sign for one that is unknown. */
function escaped(part: string): string {
  return encodeURIComponent(Buffer.from(part, 'utf8').toString());
}

function stepOf({ clock }: Environment): number {
  return Number(clock.now() / PERIOD_NANOSECONDS);
}

/** RFC 4226 §5.3. */
function codeAt(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const hash = createHmac('sha1', secret).update(counter).digest();
  const offset = (hash.at(-1) as number) & 0x0f;
  const number = hash.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0');
}

function isEqual(expected: string, given: string): boolean {
  return /^[0-9]{6}$/.test(given) && timingSafeEqual(Buffer.from(expected), Buffer.from(given));
}

function bytesOf(name: string, secret: string): Uint8Array {
  const bytes = secret.length <= MAX_LENGTH ? decodeBase32(secret) : undefined;
  if (bytes === undefined || bytes.length < LEAST_SECRET_BYTES) {
    throw refused(name, `The secret is base32 of at least ${LEAST_SECRET_BYTES} bytes`);
  }
  return bytes;
}

function refused(name: string, reason: string) {
  return failure('invalid_arguments', { name: `crypto::totp::${name}`, reason });
}

/** Base32 (RFC 4648 §6) without padding, as authenticator apps show their secrets. */
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export function encodeBase32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += ALPHABET.charAt((held >> (bits - 5)) & 31);
    held &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + ALPHABET.charAt((held << (5 - bits)) & 31);
}

/** In either case, with blanks and padding or without; `undefined` for every other text. */
export function decodeBase32(text: string): Uint8Array | undefined {
  const bytes: number[] = [];
  let bits = 0;
  let held = 0;
  for (const letter of text.replaceAll(' ', '').replace(/=+$/, '').toUpperCase()) {
    const value = ALPHABET.indexOf(letter);
    if (value === -1) return undefined;
    held = (held << 5) | value;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes.push(held >> bits);
      held &= (1 << bits) - 1;
    }
  }
  return Uint8Array.from(bytes);
}

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
