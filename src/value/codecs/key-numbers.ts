/**
 * Numbers in keys. One number after the other, whatever its kind:
 *
 *     negative | zero | positive | NaN      one byte, chosen by `key-codec.ts`
 *     magnitude                             the bits of the greatest double that isn't above it, without the sign: nine groups of seven
 *                                           bits, each with a bit that says whether another byte follows; zeros at the end are left out
 *     remainder                             only where the double isn't exact (ints beyond 2^53, long decimals): a count of bytes and as
 *                                           many bytes, in units of 10^-32
 *
 * For negative numbers all bits are inverted. A double denotes its shortest decimal text, as in
 * `compareNumbers`. Small ints take two to four bytes and no arithmetic but shifts.
 */
import { failure } from '../../errors/error.js';
import { type DecimalNumber, exact } from '../decimal.js';
import { exactValue, toNumber } from '../number.js';
import { Decimal, type NumberValue } from '../value.js';
import { keyBytes } from './key-bytes.js';

const double = new Float64Array(1);
const words = new Uint32Array(double.buffer);
/** The index of the sign and the exponent, by the byte order of this machine. */
const HIGH = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1 ? 1 : 0;
const LOW = 1 - HIGH;

/** Below the last digit of any double that a decimal can be near to. */
const REMAINDER_SCALE = 32;

/** Writes the magnitude of a number that isn't zero or NaN. */
export function writeMagnitude(value: NumberValue): void {
  const number = toNumber(value);
  const mask = number < 0 ? 0xff : 0;
  double[0] = Math.abs(number);
  const remainder = value instanceof Decimal || typeof value === 'bigint' ? takeRemainder(exactValue(value).abs()) : 0n;
  writeGroups(words[HIGH] as number, words[LOW] as number, remainder !== 0n, mask);
  if (remainder === 0n) return;
  const hex = remainder.toString(16);
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  keyBytes.byte(bytes.length ^ mask);
  for (const byte of bytes) keyBytes.byte(byte ^ mask);
}

/** What the double in `double` leaves of the magnitude; steps down to the next double if it is above it. */
function takeRemainder(magnitude: DecimalNumber): bigint {
  if (exact(double[0] as number).gt(magnitude)) {
    if (words[LOW] === 0) words[HIGH] = (words[HIGH] as number) - 1;
    words[LOW] = (words[LOW] as number) - 1;
  }
  const remainder = magnitude.minus(exact(double[0] as number));
  return BigInt(remainder.times(`1e${REMAINDER_SCALE}`).toFixed());
}

/** The fewest of the nine groups that say everything. */
function writeGroups(high: number, low: number, remainder: boolean, mask: number): void {
  let last = remainder || low !== 0 || (high & 7) !== 0 ? 8 : 3;
  if (!remainder) while (last > 0 && group(high, low, last) === 0) last--;
  for (let index = 0; index <= last; index++) {
    const more = remainder || index < last ? 1 : 0;
    keyBytes.byte(((group(high, low, index) << 1) | more) ^ mask);
  }
}

/** Seven of the 63 bits. */
function group(high: number, low: number, index: number): number {
  if (index < 4) return (high >>> (24 - 7 * index)) & 127;
  return index === 4 ? ((high & 7) << 4) | (low >>> 28) : (low >>> (56 - 7 * index)) & 127;
}

/** A magnitude read back: the double, and what has to be added to it, as text, if it isn't exact. */
export interface Magnitude {
  readonly double: number;
  readonly exact: DecimalNumber | undefined;
  readonly next: number;
}

/** Reads what `writeMagnitude` wrote. @throws TesseraError `stored_bytes_invalid` */
export function readMagnitude(key: string, offset: number, negative: boolean): Magnitude {
  const mask = negative ? 0xff : 0;
  let high = 0;
  let low = 0;
  let next = offset;
  let more = true;
  for (let index = 0; index < 9 && more; index++) {
    const byte = key.charCodeAt(next++) ^ mask;
    more = (byte & 1) === 1;
    const bits = byte >>> 1;
    if (index < 4) high |= bits << (24 - 7 * index);
    else if (index > 4) low |= bits << (56 - 7 * index);
    else {
      high |= bits >>> 4;
      low |= bits << 28;
    }
  }
  words[HIGH] = high;
  words[LOW] = low;
  const number = double[0] as number;
  if (!more) return { double: number, exact: undefined, next };
  const length = key.charCodeAt(next++) ^ mask;
  if (length === 0 || next + length > key.length) {
    throw failure('stored_bytes_invalid', { what: 'a number in a key' });
  }
  let hex = '0x';
  for (let index = 0; index < length; index++) hex += (key.charCodeAt(next++) ^ mask).toString(16).padStart(2, '0');
  return { double: number, exact: exact(BigInt(hex)).times(`1e-${REMAINDER_SCALE}`).plus(exact(number)), next };
}
