import { TesseraError } from '../errors/error.js';
import { parseRecordId } from '../language/parse.js';
import { decodeCbor } from '../value/cbor-decode.js';
import { encodeCbor } from '../value/cbor-encode.js';
import { parseJson, stringifyJson } from '../value/json.js';
import { DEFAULT_LIMITS } from '../value/nesting.js';
import type { Value } from '../value/value.js';
import { invalidArguments } from './arguments.js';
import type { FunctionRow } from './contract.js';
import { define } from './define.js';
import { any, bool, bytes, optional, text } from './parameters.js';

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** With or without padding, but in the one form that stands for these bytes. */
function decodeBase64(encoded: string): Uint8Array {
  const bare = encoded.replace(/={1,2}$/, '');
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

function encode(value: Value): Uint8Array {
  try {
    return encodeCbor(value);
  } catch (error) {
    if (!(error instanceof TesseraError) || error.code !== 'regex_sent') throw error;
    throw invalidArguments('encoding::cbor::encode', 'Value could not be encoded into CBOR');
  }
}

export const encodingFunctions: readonly FunctionRow[] = [
  define('encoding::base64::decode', [text('text')], 'bytes', 'The bytes of a base64 text.', decodeBase64),
  define(
    'encoding::base64::encode',
    [bytes('bytes'), optional(bool('padded'))],
    'string',
    'Bytes as base64, without padding unless told.',
    (value, padded) => {
      const encoded = Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64');
      return padded ? encoded : encoded.replace(/={1,2}$/, '');
    },
  ),
  define('encoding::cbor::decode', [bytes('bytes')], 'any', 'The value of CBOR bytes.', (value) =>
    decode('encoding::cbor::decode', 'invalid cbor', () =>
      decodeCbor(value, { ...DEFAULT_LIMITS, readRecord: parseRecordId }),
    ),
  ),
  define('encoding::cbor::encode', [any('value')], 'bytes', 'A value as CBOR bytes.', encode),
  define('encoding::json::decode', [text('text')], 'any', 'The value of a JSON text.', (value) =>
    decode('encoding::json::decode', 'invalid json', () => parseJson(value)),
  ),
  define('encoding::json::encode', [any('value')], 'string', 'A value as JSON.', (value) => stringifyJson(value)),
];
