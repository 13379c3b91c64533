/** `POST /setup`: makes the first root user, for the Studio of a server that has none. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { MAX_NAME_LENGTH } from '../../auth/credentials.js';
import { failure } from '../../errors/error.js';
import { JSON_FORMAT } from '../../value/codecs/formats.js';
import { isObject, type ObjectValue } from '../../value/value.js';
import type { Context } from '../base/context.js';
import { requestFormat } from '../base/negotiation.js';
import { readSelection } from '../base/request-headers.js';
import type { SetupRequest } from '../base/setup.js';
import { decodeAtOnce } from '../request/decode-message.js';
import { isFromOwnPage } from '../request/own-page.js';
import { bodyOf } from '../request/request-body.js';
import { originOf } from '../request/request-session.js';
import { sendBody } from '../response/reply.js';

/** Characters (OWASP's least for passwords). */
const SHORTEST_PASSWORD = 8;

/**
 * Requests from elsewhere, and from other pages, don't learn whether there is anything to set up.
 * @throws TesseraError `route_missing`, unless setup is open and the request is from its page; as `readSetup`
 */
export async function setupRoute(context: Context, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const { setup } = context;
  if (setup === undefined || !isFromOwnPage(request.raw)) throw failure('route_missing');
  const wanted = readSetup(request);
  await setup.makeUser(wanted, originOf(request.raw, readSelection(request.raw), context));
  const answer = { code: 200, details: 'The root user was made' };
  return sendBody(reply.header('cache-control', 'no-store'), 'application/json', JSON.stringify(answer));
}

/** @throws TesseraError `unsupported_media_type`, `malformed_request`, `password_too_short` */
function readSetup(request: FastifyRequest): SetupRequest {
  const format = requestFormat(request.headers['content-type']);
  if (format !== JSON_FORMAT) throw failure('unsupported_media_type', { accepted: [JSON_FORMAT.contentType] });
  const body = decodeAtOnce(bodyOf(request), format);
  if (!isObject(body)) throw failure('malformed_request', { reason: 'the body must be an object' });
  const user = text(body, 'user');
  if (user.length > MAX_NAME_LENGTH) throw failure('malformed_request', { reason: "'user' is too long" });
  const password = text(body, 'pass');
  if ([...password].length < SHORTEST_PASSWORD) throw failure('password_too_short', { least: SHORTEST_PASSWORD });
  return { user, password, code: text(body, 'code') };
}

function text(body: ObjectValue, name: string): string {
  const value = body[name];
  if (typeof value === 'string' && value !== '') return value;
  throw failure('malformed_request', { reason: `'${name}' must be a text that isn't empty` });
}
