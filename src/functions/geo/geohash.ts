/** Geohashes: cells of longitude and latitude as text, one character for five bits. */
import type { Position } from '../../value/value.js';

const ALPHABET = '0123456789bcdefghjkmnpqrstuvwxyz';

/** The span that a bit cuts in half; bits of longitude and latitude take turns. */
interface Span {
  low: number;
  high: number;
}

function spans(): [longitude: Span, latitude: Span] {
  return [
    { low: -180, high: 180 },
    { low: -90, high: 90 },
  ];
}

/** The cell of a position, by so many characters. */
export function encodeGeohash(position: Position, length: number): string {
  const halves = spans();
  let text = '';
  for (let bit = 0, bits = 0; text.length < length; bit++) {
    const span = halves[bit % 2] as Span;
    const middle = (span.low + span.high) / 2;
    const upper = (position[bit % 2] as number) > middle;
    if (upper) span.low = middle;
    else span.high = middle;
    bits = bits * 2 + (upper ? 1 : 0);
    if (bit % 5 < 4) continue;
    text += ALPHABET.charAt(bits);
    bits = 0;
  }
  return text;
}

/** The centre of a cell; `undefined` if the text isn't one. */
export function decodeGeohash(text: string): Position | undefined {
  const [longitude, latitude] = spans();
  let turn = [longitude, latitude];
  for (const character of text.toLowerCase()) {
    const bits = ALPHABET.indexOf(character);
    if (bits < 0) return undefined;
    for (let mask = 16; mask > 0; mask >>= 1) {
      const span = turn[0] as Span;
      const middle = (span.low + span.high) / 2;
      if ((bits & mask) === 0) span.high = middle;
      else span.low = middle;
      turn = turn.toReversed();
    }
  }
  return [(longitude.low + longitude.high) / 2, (latitude.low + latitude.high) / 2];
}
