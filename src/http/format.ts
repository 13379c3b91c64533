/** The two formats of requests and answers. */
import { isUtf8 } from 'node:buffer';
import { failure } from '../errors/error.js';
import { parseRecordId } from '../language/parse.js';
import { type CborOptions, decodeCbor } from '../value/cbor-decode.js';
import { encodeCbor } from '../value/cbor-encode.js';
import { parseJson, stringifyJson } from '../value/json.js';
import { DEFAULT_LIMITS } from '../value/nesting.js';
import { CBOR_PIECES, JSON_PIECES, type Pieces } from '../value/pieces.js';
import type { Value } from '../value/value.js';

export interface Format {
  /** As WebSocket subprotocol. */
  readonly name: 'json' | 'cbor';
  readonly contentType: string;
  /** @throws TesseraError for what isn't of this format */
  decode(body: Uint8Array): Value;
  encode(value: Value): string | Uint8Array;
  /** How large values are encoded. */
  readonly pieces: Pieces;
}

/** Some clients send record ids as text. */
const CBOR_OPTIONS: CborOptions = { ...DEFAULT_LIMITS, readRecord: parseRecordId };

export const JSON_FORMAT: Format = {
  name: 'json',
  contentType: 'application/json',
  decode: (body) => parseJson(utf8Text(body)),
  encode: stringifyJson,
  pieces: JSON_PIECES,
};

export const CBOR: Format = {
  name: 'cbor',
  contentType: 'application/cbor',
  decode: (body) => decodeCbor(body, CBOR_OPTIONS),
  encode: encodeCbor,
  pieces: CBOR_PIECES,
};

/** @throws TesseraError `malformed_request` */
export function utf8Text(body: Uint8Array): string {
  if (!isUtf8(body)) throw failure('malformed_request', { reason: 'the body is not valid UTF-8' });
  const buffer = body instanceof Buffer ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return buffer.toString('utf8');
}
