/** `encoding::`: bytes as base64, values as CBOR and JSON. */
import { andThen, type PromiseOrValue, untilTrue } from '../base/promise-or-value.js';
import type { Work } from '../base/work/work.js';
import { TesseraError } from '../errors/error.js';
import { parseRecordId } from '../language/parse.js';
import { decodeCbor } from '../value/codecs/cbor-decode.js';
import { encodeCbor } from '../value/codecs/cbor-encode.js';
import { parseJson, stringifyJson } from '../value/codecs/json.js';
import { CBOR_PIECES, isLargeValue, JSON_PIECES, type Pieces, piecesOf } from '../value/codecs/pieces.js';
import { DEFAULT_DECODE_LIMITS } from '../value/nesting.js';
import type { Value } from '../value/value.js';
import { invalidArguments } from './calls/arguments.js';
import type { FunctionContext, FunctionRow } from './calls/contract.js';
import { define } from './calls/define.js';
import { checkInput, IN_STEPS } from './calls/input-limit.js';
import { any, bool, bytes, optional, text } from './calls/parameters.js';

/** In the alphabet of base64 or in that of base64url (RFC 4648 §4, §5). */
const BASE64 = /^(?:[A-Za-z0-9+/]*|[A-Za-z0-9_-]*)={0,2}$/;

/** A byte takes a few nanoseconds. */
const BASE64_INPUT = { largest: 2 ** 20 };

/** With or without padding, but in canonical form. */
function decodeBase64(encoded: string): Uint8Array {
  const bare = encoded
    .replace(/={1,2}$/, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/');
  const decoded = Buffer.from(bare, 'base64');
  if (!BASE64.test(encoded) || decoded.toString('base64').replace(/={1,2}$/, '') !== bare) {
    throw invalidArguments('encoding::base64::decode', 'invalid base64');
  }
  return new Uint8Array(decoded);
}

/** Decodes, or says that there is nothing to be decoded, and no more: what exactly is wrong is of no use to a query. */
function decode(name: string, reason: string, work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    if (error instanceof TesseraError) throw invalidArguments(name, reason);
    throw error;
  }
}

function encode(value: Value, context: FunctionContext): PromiseOrValue<Uint8Array> {
  return isLargeValue(value) ? inPieces('encoding::cbor::encode', value, CBOR_PIECES, context) : encodeCbor(value);
}

/** Bytes that are put together at once, when all pieces are there. */
const MAX_ENCODING = 2 ** 22;

/** A large value is written some members at a time. */
function inPieces(name: string, value: Value, notation: Pieces, work: Work): PromiseOrValue<Uint8Array> {
  const source = piecesOf(value, notation);
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  const written = untilTrue(() => {
    for (let taken = 0; taken < PIECES_A_STEP; taken++) {
      const next = source.next();
      if (next.done) return true;
      pieces.push(next.value);
      bytes += next.value.length;
      checkInput(name, bytes, MAX_ENCODING);
    }
    return andThen(work.checkpoint(), () => false);
  });
  return andThen(written, () => new Uint8Array(Buffer.concat(pieces)));
}

/** Each is some hundred values. */
const PIECES_A_STEP = 4;

function encodeJson(value: Value, context: FunctionContext): PromiseOrValue<string> {
  if (!isLargeValue(value)) return stringifyJson(value);
  return andThen(inPieces('encoding::json::encode', value, JSON_PIECES, context), (bytes) =>
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString(),
  );
}

export const encodingFunctions: readonly FunctionRow[] = [
  define(
    'encoding::base64::decode',
    [text('text')],
    'bytes',
    'The bytes of a text in base64 or base64url.',
    decodeBase64,
    BASE64_INPUT,
  ),
  define(
    'encoding::base64::encode',
    [bytes('bytes'), optional(bool('padded'))],
    'string',
    'Bytes as base64, by default without padding.',
    (value, padded) => {
      const encoded = Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64');
      return padded ? encoded : encoded.replace(/={1,2}$/, '');
    },
    BASE64_INPUT,
  ),
  define('encoding::cbor::decode', [bytes('bytes')], 'any', 'The value of CBOR bytes.', (value) =>
    decode('encoding::cbor::decode', 'invalid cbor', () =>
      decodeCbor(value, { ...DEFAULT_DECODE_LIMITS, readRecord: parseRecordId }),
    ),
  ),
  define('encoding::cbor::encode', [any('value')], 'bytes', 'A value as CBOR bytes.', encode, IN_STEPS),
  define('encoding::json::decode', [text('text')], 'any', 'The value of a JSON text.', (value) =>
    decode('encoding::json::decode', 'invalid json', () => parseJson(value)),
  ),
  define('encoding::json::encode', [any('value')], 'string', 'A value as JSON.', encodeJson, IN_STEPS),
];
