/**
 * The formats of messages and bodies: JSON, CBOR and FlatBuffers. HTTP, RPC and API endpoints go by these rows; to add
 * a format, its codec and its row.
 */
import { isUtf8 } from 'node:buffer';
import type { Stepwise } from '../../base/work/stepwise.js';
import { failure, type TesseraError } from '../../errors/error.js';
import { DEFAULT_DECODE_LIMITS, type DecodeLimits } from '../nesting.js';
import type { Value } from '../value.js';
import { type CborOptions, decodeCbor, decodeCborStepwise } from './cbor-decode.js';
import { encodeCbor } from './cbor-encode.js';
import { decodeFlatBuffers, decodeFlatBuffersStepwise } from './flatbuffers-decode.js';
import { encodeFlatBuffers } from './flatbuffers-encode.js';
import { flatBuffersPieces } from './flatbuffers-pieces.js';
import { parseJson, parseJsonStepwise, stringifyJson } from './json.js';
import {
  cborMessageMember,
  flatBuffersMessageMember,
  jsonMessageMember,
  type MessageMember,
  type UNREAD,
} from './message-member.js';
import { CBOR_PIECES, JSON_PIECES, piecesOf } from './pieces.js';

/** Limits, and how record ids are read that some clients send as text where the format has record ids. */
export type DecodeOptions = CborOptions;

export interface BodyFormat {
  /** The WebSocket subprotocol, and the name in `api::req::body`. */
  readonly name: 'json' | 'cbor' | 'flatbuffers';
  readonly contentType: string;
  /** Its messages over WebSockets are binary. A connection without a subprotocol speaks the first format of a kind. */
  readonly isBinary: boolean;
  /** It has record ids. Where it hasn't, a string that parses as one is one. */
  readonly hasRecordIds: boolean;
  /**
   * Decodes a body.
   * @throws TesseraError if it is malformed
   */
  decode(body: Uint8Array, options?: DecodeOptions): Value;
  /**
   * Decodes a body in steps.
   * @throws TesseraError also `too_many_values`, `too_many_keys`
   */
  decodeStepwise(body: Uint8Array, options: DecodeOptions): Stepwise<Value>;
  encode(value: Value): string | Uint8Array;
  /**
   * Encodes a large value in chunks. They come from the front of the message to its end, or from its end to its front.
   * @throws TesseraError as `encode`; what `exceeded` makes when they have more than `limit` bytes
   */
  encodeInPieces(value: Value, limit: number, exceeded: (limit: number) => Error): Iterable<Uint8Array>;
  readonly piecesFrom: 'front' | 'end';
  /** A member of a message that can't be decoded, as far as it can be found. */
  messageMember(message: Uint8Array, name: MessageMember): Value | typeof UNREAD;
}

export const JSON_FORMAT: BodyFormat = {
  name: 'json',
  contentType: 'application/json',
  isBinary: false,
  hasRecordIds: false,
  decode: (body, options) => parseJson(utf8Text(body), options),
  decodeStepwise: (body, options) => new StepwiseJson(body, options),
  encode: stringifyJson,
  encodeInPieces: (value, limit, exceeded) => piecesOf(value, JSON_PIECES, limit, exceeded),
  piecesFrom: 'front',
  messageMember: jsonMessageMember,
};

export const CBOR: BodyFormat = {
  name: 'cbor',
  contentType: 'application/cbor',
  isBinary: true,
  hasRecordIds: true,
  decode: (body, options = DEFAULT_DECODE_LIMITS) => decodeCbor(body, options),
  decodeStepwise: decodeCborStepwise,
  encode: encodeCbor,
  encodeInPieces: (value, limit, exceeded) => piecesOf(value, CBOR_PIECES, limit, exceeded),
  piecesFrom: 'front',
  messageMember: cborMessageMember,
};

export const FLATBUFFERS: BodyFormat = {
  name: 'flatbuffers',
  contentType: 'application/vnd.surrealdb.flatbuffers',
  isBinary: true,
  hasRecordIds: true,
  decode: (body, options = DEFAULT_DECODE_LIMITS) => decodeFlatBuffers(body, options),
  decodeStepwise: decodeFlatBuffersStepwise,
  encode: encodeFlatBuffers,
  encodeInPieces: flatBuffersPieces,
  piecesFrom: 'end',
  messageMember: flatBuffersMessageMember,
};

/** Clients that accept any of them get the first. */
export const FORMATS: readonly BodyFormat[] = [JSON_FORMAT, CBOR, FLATBUFFERS];

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
