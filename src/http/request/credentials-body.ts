/** Bodies by which clients sign in: small objects, in any format. */
import type { FastifyRequest } from 'fastify';
import { looksLikeJsonObject } from '../../base/json-sniffing.js';
import { failure } from '../../errors/error.js';
import { JSON_FORMAT } from '../../value/codecs/formats.js';
import { isObject, type ObjectValue } from '../../value/value.js';
import { requestFormat } from '../base/negotiation.js';
import { decodeAtOnce } from './decode-message.js';
import { bodyOf } from './request-body.js';

/** Content-Type isn't required, so that a JSON object may come without one. @throws TesseraError `malformed_request` */
export function readCredentials(request: FastifyRequest): ObjectValue {
  const type = request.headers['content-type'];
  const body = bodyOf(request);
  const format = looksLikeJsonObject(type, body[0]) ? JSON_FORMAT : requestFormat(type ?? JSON_FORMAT.contentType);
  const credentials = decodeAtOnce(body, format);
  if (!isObject(credentials)) throw failure('malformed_request', { reason: 'the body must be an object' });
  return credentials;
}
