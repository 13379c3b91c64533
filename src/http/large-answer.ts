/** Answers that take long to write are written a piece at a time, while others have their turns. */
import { Buffer } from 'node:buffer';
import type { MemoryBudget } from '../base/memory-budget.js';
import type { PromiseOrValue } from '../base/promise-or-value.js';
import type { Environment } from '../env/environment.js';
import { failure, type TesseraError } from '../errors/error.js';
import { isLarge, piecesOf } from '../value/pieces.js';
import type { Value } from '../value/value.js';
import type { Format } from './format.js';

/** Milliseconds after which an answer gives way. */
const SLICE = 2;
/** Bytes that are copied at once: a millisecond's work, most of it that of the system, which has to find the room. */
const COPIED = 1 << 20;

export interface AnswerBounds {
  /** The most bytes an answer may have. */
  readonly limit: number;
  /** What the pieces are reserved in until they are put together. */
  readonly budget: MemoryBudget;
}

/**
 * A value in a format: at once, unless it is so large that others would have to wait for it.
 * @throws TesseraError `answer_too_large`, of the budget that is full, and as the format does
 */
export function encodeAnswer(
  value: Value,
  format: Format,
  environment: Environment,
  bounds: AnswerBounds,
): PromiseOrValue<string | Uint8Array> {
  if (isLarge(value)) return inTurns(piecesOf(value, format.pieces, bounds.limit, exceeded), environment, bounds);
  return checkedAnswer(format.encode(value), bounds.limit);
}

/** @throws TesseraError `answer_too_large` */
export function checkedAnswer<T extends string | Uint8Array>(answer: T, limit: number): T {
  // No character takes more than three bytes for each of its code units.
  const isLonger =
    answer.length > limit ||
    (typeof answer === 'string' && answer.length * 3 > limit && Buffer.byteLength(answer) > limit);
  if (isLonger) throw exceeded(limit);
  return answer;
}

function exceeded(limit: number): TesseraError {
  return failure('answer_too_large', { limit });
}

async function inTurns(
  pieces: Iterable<Uint8Array>,
  { clock, timers }: Environment,
  { budget }: AnswerBounds,
): Promise<Uint8Array> {
  let sliceEnd = clock.monotonic() + SLICE;
  const giveWay = async () => {
    await timers.yield();
    sliceEnd = clock.monotonic() + SLICE;
  };
  const taken: Uint8Array[] = [];
  let length = 0;
  try {
    for (const piece of pieces) {
      budget.reserve(piece.length);
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
  } finally {
    budget.release(length);
  }
}
