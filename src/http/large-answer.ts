/** Answers that take long to write are written a piece at a time, while others have their turns. */
import { Buffer } from 'node:buffer';
import type { PromiseOrValue } from '../base/promise-or-value.js';
import type { Environment } from '../env/environment.js';
import { isLarge, piecesOf } from '../value/pieces.js';
import type { Value } from '../value/value.js';
import type { Format } from './format.js';

/** Milliseconds after which an answer gives way. */
const SLICE = 2;
/** Bytes that are copied at once: a millisecond's work, most of it that of the system, which has to find the room. */
const COPIED = 1 << 20;

/** A value in a format: at once, unless it is so large that others would have to wait for it. @throws TesseraError as the format does */
export function encodeAnswer(
  value: Value,
  format: Format,
  environment: Environment,
): PromiseOrValue<string | Uint8Array> {
  return isLarge(value) ? inTurns(piecesOf(value, format.pieces), environment) : format.encode(value);
}

async function inTurns(pieces: Iterable<Uint8Array>, { clock, timers }: Environment): Promise<Uint8Array> {
  let sliceEnd = clock.monotonic() + SLICE;
  const giveWay = async () => {
    await timers.yield();
    sliceEnd = clock.monotonic() + SLICE;
  };
  const taken: Uint8Array[] = [];
  let length = 0;
  for (const piece of pieces) {
    taken.push(piece);
    length += piece.length;
    if (clock.monotonic() >= sliceEnd) await giveWay();
  }
  const whole = Buffer.allocUnsafeSlow(length);
  let at = 0;
  let copied = 0;
  for (const piece of taken) {
    whole.set(piece, at);
    at += piece.length;
    if (at - copied < COPIED) continue;
    copied = at;
    if (clock.monotonic() >= sliceEnd) await giveWay();
  }
  return whole;
}
