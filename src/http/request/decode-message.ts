/** Decodes bodies and messages; large ones in steps, yielding in between. */
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import { runSteps, type Stepwise } from '../../base/work/stepwise.js';
import { parseRecordId } from '../../language/parse.js';
import { RequestInterrupt } from '../../runtime/interrupt.js';
import type { BodyFormat, DecodeOptions } from '../../value/codecs/formats.js';
import { DEFAULT_DECODE_LIMITS } from '../../value/nesting.js';
import type { Value } from '../../value/value.js';
import { Weighing } from '../../value/weight.js';
import type { Context } from '../base/context.js';

/** Bytes decoded in one step, from any sender: a millisecond of work at most. */
export const SMALL_BODY = 8 * 1024;

/** Whether a body is decoded in steps. */
export function isLargeBody(body: Uint8Array): boolean {
  return body.length > SMALL_BODY;
}

/** Some clients send record ids as text. */
const OPTIONS: DecodeOptions = { ...DEFAULT_DECODE_LIMITS, readRecord: parseRecordId };

/**
 * Decodes a body at once.
 * @throws TesseraError if it is malformed
 */
export function decodeAtOnce(body: Uint8Array, format: BodyFormat): Value {
  return format.decode(body, OPTIONS);
}

export interface Sender {
  /** Without sign-in, in which case little is decoded. */
  readonly isGuest: boolean;
  /** Whether the client has disconnected. */
  readonly isAbandoned: () => boolean;
}

/**
 * Decodes a body.
 * @throws TesseraError for malformed bodies; `too_many_values`, `too_many_keys`, `cancelled`
 */
export function decodeMessage(
  body: Uint8Array,
  format: BodyFormat,
  { environment, options }: Pick<Context, 'environment' | 'options'>,
  { isGuest, isAbandoned }: Sender,
): PromiseOrValue<Value> {
  if (!isLargeBody(body)) return decodeAtOnce(body, format);
  const interrupt = RequestInterrupt.begin(environment);
  const { values, guestValues, objectKeys } = options.limits;
  const decoding = format.decodeStepwise(body, {
    ...OPTIONS,
    maxValues: isGuest ? Math.min(guestValues, values) : values,
    maxKeys: objectKeys,
  });
  return runSteps(abandonable(decoding, interrupt, isAbandoned), interrupt);
}

/**
 * The memory of a decoded message in bytes (`weightOf`).
 * @throws TesseraError `cancelled`
 */
export function weighMessage(
  message: Value,
  { environment }: Pick<Context, 'environment'>,
  isAbandoned: () => boolean,
): PromiseOrValue<number> {
  const interrupt = RequestInterrupt.begin(environment);
  return runSteps(abandonable(new Weighing([message], { isTree: true }), interrupt, isAbandoned), interrupt);
}

function abandonable<T>(work: Stepwise<T>, interrupt: RequestInterrupt, isAbandoned: () => boolean): Stepwise<T> {
  return {
    step() {
      if (isAbandoned()) interrupt.cancel();
      interrupt.check();
      return work.step();
    },
    get result() {
      return work.result;
    },
  };
}
