/** The formats of bodies: those of messages, plain text, bytes, or native values. */
import { failure, TesseraError } from '../../errors/error.js';
import { type BodyFormat, FORMATS as MESSAGES } from '../../value/codecs/formats.js';
import { toText } from '../../value/text/text.js';
import type { Value } from '../../value/value.js';
import { type ApiRequest, type ApiResponse, response, withHeader } from './message.js';

/** A format as bodies have it: bytes, or a native value. */
interface ApiFormat {
  readonly contentType: string;
  decode(bytes: Uint8Array): Value;
  encode(value: Value): Value;
}

const utf8 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'utf8'));
const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

/** Those of all messages. */
const MESSAGE_FORMATS = Object.fromEntries(
  MESSAGES.map(({ name, contentType, isBinary, decode, encode }) => [
    name,
    {
      contentType,
      decode: (bytes: Uint8Array) => decode(isBinary ? bytes : withoutByteOrderMark(bytes)),
      encode(value: Value) {
        const body = encode(value);
        return typeof body === 'string' ? utf8(body) : body;
      },
    },
  ]),
) as Readonly<Record<BodyFormat['name'], ApiFormat>>;

/** By the names that the middleware uses. */
const FORMATS = {
  ...MESSAGE_FORMATS,
  plain: {
    contentType: 'text/plain',
    decode: (bytes) => strictUtf8.decode(bytes),
    encode: (value) => utf8(typeof value === 'string' ? value : toText(value)),
  },
  bytes: {
    contentType: 'application/octet-stream',
    decode: (bytes) => bytes,
    encode(value) {
      if (typeof value === 'string') return utf8(value);
      if (value instanceof Uint8Array) return value;
      throw failure('api_body');
    },
  },
  native: { contentType: 'application/vnd.surrealdb.native', decode: (bytes) => bytes, encode: (value) => value },
} as const satisfies Readonly<Record<string, ApiFormat>>;

export type Strategy = keyof typeof FORMATS | 'auto';

/** Whether a value names a format of bodies (`auto`, `json`, `cbor`, …) as `api::req::body` takes it. */
export function isStrategy(value: Value): value is Strategy {
  return typeof value === 'string' && (value === 'auto' || Object.hasOwn(FORMATS, value));
}

/** The content types of internal callers. */
export const NATIVE_HEADERS = {
  accept: `${FORMATS.native.contentType};q=0.9, */*;q=0.8`,
  'content-type': FORMATS.native.contentType,
} as const;

/** The request with its body decoded, or the response that refuses it. */
export function decodeBody(request: ApiRequest, strategy: Strategy): ApiRequest | { readonly refused: ApiResponse } {
  const given = String(request.headers['content-type'] ?? '');
  const type = mediaType(given);
  const format: ApiFormat | undefined =
    strategy === 'auto' ? FORMAT_LIST.find(({ contentType }) => contentType === type) : FORMATS[strategy];
  if (format === undefined) return { refused: response(415, `Unsupported Content-Type: ${given}`) };
  if (format.contentType !== type) return wrongType(format.contentType);
  if (format === FORMATS.native) return request;
  if (!(request.body instanceof Uint8Array)) return { refused: response(400, 'Request body must be binary data') };
  try {
    return { ...request, body: format.decode(request.body) };
  } catch (error) {
    if (error instanceof TesseraError || error instanceof TypeError) {
      return { refused: response(400, 'Failed to decode the request body') };
    }
    throw error;
  }
}

function wrongType(expected: string): { readonly refused: ApiResponse } {
  return { refused: response(400, `Expected Content-Type to be ${expected}`) };
}

/**
 * The response with its body encoded and its Content-Type set, which has to be one that the client accepts. `auto` is
 * the client's preferred format.
 */
export function encodeBody(request: ApiRequest, given: ApiResponse, strategy: Strategy): ApiResponse {
  const format = accepted(
    String(request.headers['accept'] ?? '*/*'),
    strategy === 'auto' ? FORMAT_LIST : [FORMATS[strategy]],
  );
  if (format === undefined) return response(406, 'No output strategy was possible for this API request');
  try {
    const headers = withHeader(given.headers, 'content-type', format.contentType);
    return { ...given, body: format.encode(given.body), headers };
  } catch (error) {
    if (error instanceof TesseraError) return response(500, 'Failed to encode the response body');
    throw error;
  }
}

const FORMAT_LIST: readonly ApiFormat[] = Object.values(FORMATS);

/** The client's preferred format among those given. */
function accepted(accept: string, formats: readonly ApiFormat[]): ApiFormat | undefined {
  const ranges = accept.split(',').map((range) => {
    const quality = /;\s*q=([0-9.]+)/i.exec(range)?.[1];
    return { type: mediaType(range), quality: quality === undefined ? 1 : Number(quality) };
  });
  for (const { type, quality } of ranges.sort((left, right) => right.quality - left.quality)) {
    if (!(quality > 0)) continue;
    // Clients that accept any type get JSON.
    const format = formats.find(({ contentType }) => matches(type, contentType));
    if (format !== undefined) return format;
  }
  return undefined;
}

function matches(range: string, contentType: string): boolean {
  return range === '*/*' || range === contentType || range === `${contentType.slice(0, contentType.indexOf('/'))}/*`;
}

function withoutByteOrderMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

function mediaType(header: string): string {
  return (header.split(';', 1)[0] as string).trim().toLowerCase();
}
