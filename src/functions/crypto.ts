import { createHash } from 'node:crypto';
import { blake3 } from '@noble/hashes/blake3.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { type FunctionRow, HASH_ALGORITHMS, type HashAlgorithm } from './contract.js';
import { define } from './define.js';
import { text } from './parameters.js';
import { totpFunctions } from './totp.js';

function digests(name: string, what: string): FunctionRow {
  return define(
    `crypto::${name}`,
    [text('string')],
    'string',
    `The ${what} digest of a text, in hexadecimal.`,
    (string) => createHash(name).update(string).digest('hex'),
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
  define('crypto::blake3', [text('string')], 'string', 'The BLAKE3 digest of a text, in hexadecimal.', (string) =>
    bytesToHex(blake3(utf8ToBytes(string))),
  ),
  define(
    'crypto::joaat',
    [text('string')],
    'int',
    'The Jenkins one-at-a-time hash of a text. Not for secrets.',
    (string) => joaat(utf8ToBytes(string)),
  ),
  digests('md5', 'MD5'),
  digests('sha1', 'SHA-1'),
  digests('sha256', 'SHA-256'),
  digests('sha512', 'SHA-512'),
  ...totpFunctions,
  ...HASH_ALGORITHMS.flatMap((algorithm) => passwords(algorithm, TITLES[algorithm])),
];

function joaat(bytes: Uint8Array): number {
  let hash = 0;
  for (const byte of bytes) {
    hash = (hash + byte) | 0;
    hash = (hash + (hash << 10)) | 0;
    hash ^= hash >>> 6;
  }
  hash = (hash + (hash << 3)) | 0;
  hash ^= hash >>> 11;
  return ((hash + (hash << 15)) | 0) >>> 0;
}
