/** Encodes large responses in chunks, yielding in between. */
import { Buffer } from 'node:buffer';
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import type { MemoryScope } from '../../base/work/memory-scope.js';
import type { Environment } from '../../env/environment.js';
import { failure, type TesseraError } from '../../errors/error.js';
import type { BodyFormat } from '../../value/codecs/formats.js';
import { isLargeValue } from '../../value/codecs/pieces.js';
import type { Value } from '../../value/value.js';

/** Milliseconds of encoding between yields. */
const SLICE = 2;
/** Bytes copied in one step: a millisecond of work, mostly page faults. */
const COPIED = 1 << 20;

export interface AnswerBounds {
  /** Maximum size of a response in bytes. */
  readonly limit: number;
  /** The budget of the chunks until they are concatenated. */
  readonly budget: MemoryScope;
}

/**
 * Encodes a value, in chunks if it is large.
 * @throws TesseraError `answer_too_large`, errors of the exhausted budget and of the format
 */
export function encodeAnswer(
  value: Value,
  format: BodyFormat,
  environment: Environment,
  bounds: AnswerBounds,
): PromiseOrValue<string | Uint8Array> {
  if (isLargeValue(value)) return joinPieces(value, format, environment, bounds);
  return checkedAnswer(format.encode(value), bounds.limit);
}

/**
 * Checks the size of an encoded response.
 * @throws TesseraError `answer_too_large`
 */
export function checkedAnswer<T extends string | Uint8Array>(answer: T, limit: number): T {
  // A code unit takes at most three bytes.
  const isLonger =
    answer.length > limit ||
    (typeof answer === 'string' && answer.length * 3 > limit && Buffer.byteLength(answer) > limit);
  if (isLonger) throw exceeded(limit);
  return answer;
}

function exceeded(limit: number): TesseraError {
  return failure('answer_too_large', { limit });
}

async function joinPieces(
  value: Value,
  format: BodyFormat,
  { clock, timers }: Environment,
  { limit, budget }: AnswerBounds,
): Promise<Uint8Array> {
  let sliceEnd = clock.monotonic() + SLICE;
  const yieldSlice = async () => {
    await timers.yield();
    sliceEnd = clock.monotonic() + SLICE;
  };
  const taken: Uint8Array[] = [];
  let length = 0;
  try {
    for (const piece of format.encodeInPieces(value, limit, exceeded)) {
      budget.charge(piece.length);
      taken.push(piece);
      length += piece.length;
      if (clock.monotonic() >= sliceEnd) await yieldSlice();
    }
    if (format.piecesFrom === 'end') taken.reverse();
    const whole = Buffer.allocUnsafeSlow(length);
    let at = 0;
    let copied = 0;
    for (const piece of taken) {
      whole.set(piece, at);
      at += piece.length;
      if (at - copied < COPIED) continue;
      copied = at;
      if (clock.monotonic() >= sliceEnd) await yieldSlice();
    }
    return whole;
  } finally {
    budget.release(length);
  }
}
