/**
 * One-time passwords by time (RFC 6238), as authenticator apps make them: HMAC-SHA-1, six digits, a new one every 30
 * seconds.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Environment, Random } from '../../env/environment.js';
import { failure } from '../../errors/error.js';
import type { FunctionRow } from '../calls/contract.js';
import { define } from '../calls/define.js';
import { optionalInteger, text } from '../calls/parameters.js';

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
    ({ environment }) => drawTotpSecret(environment.random),
    options,
  ),
  define(
    'crypto::totp::uri',
    [text('secret'), text('account'), text('issuer')],
    'string',
    'The URI from which an authenticator app takes a secret, mostly as a QR code.',
    (secret, account, issuer) => {
      const bytes = bytesOf('uri', secret);
      if (account.length > MAX_LENGTH || issuer.length > MAX_LENGTH) {
        throw refused('uri', `Account and issuer have no more than ${MAX_LENGTH} characters`);
      }
      return totpUri(encodeBase32(bytes), account, issuer);
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
    (secret, code, used, { environment }) => stepOfCode(bytesOf('verify', secret), code, used, environment),
    options,
  ),
];

/** A new secret, in base32. */
export function drawTotpSecret(random: Random): string {
  return encodeBase32(random.bytes(SECRET_BYTES));
}

/**
 * The URI from which an authenticator app takes a secret.
 *
 *     otpauth://totp/The%20Shop:ann?secret=…&issuer=The%20Shop&algorithm=SHA1&digits=6&period=30
 *
 * @param secret base32, as `drawTotpSecret` makes it
 */
export function totpUri(secret: string, account: string, issuer: string): string {
  const [who, by] = [escaped(account), escaped(issuer)];
  return `otpauth://totp/${by}:${who}?secret=${secret}&issuer=${by}&algorithm=SHA1&digits=${DIGITS}&period=30`;
}

/**
 * The time step of a code that is good now; `undefined` for every other, and for one of a step up to `used`.
 * @param secret at least 16 bytes
 */
export function stepOfCode(
  secret: Uint8Array,
  code: string,
  used: number | bigint | undefined,
  environment: Pick<Environment, 'clock'>,
): number | undefined {
  const now = stepOf(environment);
  let found: number | undefined;
  // All steps are checked, for constant time.
  for (let step = now - SKEW; step <= now + SKEW; step++) {
    if (isEqual(codeAt(secret, step), code) && (used === undefined || step > used)) found = step;
  }
  return found;
}

/** Half a character, for which there is no UTF-8, becomes the sign for one that is unknown. */
function escaped(part: string): string {
  return encodeURIComponent(Buffer.from(part, 'utf8').toString());
}

function stepOf({ clock }: Pick<Environment, 'clock'>): number {
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

/** Without padding, in upper case. */
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
