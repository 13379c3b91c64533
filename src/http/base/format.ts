/** The formats of requests and responses: JSON and CBOR. */
import { isUtf8 } from 'node:buffer';
import type { Stepwise } from '../../base/work/stepwise.js';
import { failure, type TesseraError } from '../../errors/error.js';
import { parseRecordId } from '../../language/parse.js';
import { type CborOptions, decodeCbor, decodeCborStepwise } from '../../value/codecs/cbor-decode.js';
import { encodeCbor } from '../../value/codecs/cbor-encode.js';
import { parseJson, parseJsonStepwise, stringifyJson } from '../../value/codecs/json.js';
import { CBOR_PIECES, JSON_PIECES, type Pieces } from '../../value/codecs/pieces.js';
import { DEFAULT_DECODE_LIMITS, type DecodeLimits } from '../../value/nesting.js';
import type { Value } from '../../value/value.js';
import type { HttpLimits } from './options.js';

export interface Format {
  /** The WebSocket subprotocol. */
  readonly name: 'json' | 'cbor';
  readonly contentType: string;
  /**
   * Decodes a body.
   * @throws TesseraError if it is malformed
   */
  decode(body: Uint8Array): Value;
  /**
   * Decodes a body in steps.
   * @throws TesseraError also `too_many_values`, `too_many_keys`
   */
  decodeStepwise(body: Uint8Array, limits: ValueLimits): Stepwise<Value>;
  encode(value: Value): string | Uint8Array;
  /** The notation in which large values are encoded in chunks. */
  readonly pieces: Pieces;
}

/** Some clients send record ids as text. */
const CBOR_OPTIONS: CborOptions = { ...DEFAULT_DECODE_LIMITS, readRecord: parseRecordId };

export const JSON_FORMAT: Format = {
  name: 'json',
  contentType: 'application/json',
  decode: (body) => parseJson(utf8Text(body)),
  decodeStepwise: (body, limits) => new StepwiseJson(body, { ...DEFAULT_DECODE_LIMITS, ...limitsOf(limits) }),
  encode: stringifyJson,
  pieces: JSON_PIECES,
};

export const CBOR: Format = {
  name: 'cbor',
  contentType: 'application/cbor',
  decode: (body) => decodeCbor(body, CBOR_OPTIONS),
  decodeStepwise: (body, limits) => decodeCborStepwise(body, { ...CBOR_OPTIONS, ...limitsOf(limits) }),
  encode: encodeCbor,
  pieces: CBOR_PIECES,
};

type ValueLimits = Pick<HttpLimits, 'values' | 'objectKeys'>;

function limitsOf({ values, objectKeys }: ValueLimits): Pick<DecodeLimits, 'maxValues' | 'maxKeys'> {
  return { maxValues: values, maxKeys: objectKeys };
}

/** Bytes of text decoded in one step. */
const PIECE = 128 * 1024;

/** Decodes JSON in UTF-8 in steps: first its text, then its value. */
class StepwiseJson implements Stepwise<Value> {
  readonly #body: Uint8Array;
  readonly #limits: DecodeLimits;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  readonly #pieces: string[] = [];
  #at = 0;
  #parsing: Stepwise<Value> | undefined;

  constructor(body: Uint8Array, limits: DecodeLimits) {
    this.#body = body;
    this.#limits = limits;
  }

  step(): boolean {
    if (this.#parsing !== undefined) return this.#parsing.step();
    const piece = this.#body.subarray(this.#at, this.#at + PIECE);
    this.#at += PIECE;
    const isLast = this.#at >= this.#body.length;
    try {
      this.#pieces.push(this.#decoder.decode(piece, { stream: !isLast }));
    } catch {
      throw notUtf8();
    }
    if (isLast) this.#parsing = parseJsonStepwise(this.#pieces.join(''), this.#limits);
    return false;
  }

  get result(): Value {
    return this.#parsing?.result;
  }
}

function notUtf8(): TesseraError {
  return failure('malformed_request', { reason: 'the body is not valid UTF-8' });
}

/** @throws TesseraError `malformed_request` */
export function utf8Text(body: Uint8Array): string {
  if (!isUtf8(body)) throw notUtf8();
  const buffer = body instanceof Buffer ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return buffer.toString('utf8');
}
