/**
 * Reads request bodies within limits. An unread body is drained for a while, since a client that is still sending might
 * miss the response; if it is longer, the connection is closed.
 */
import { Buffer } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { asTesseraError } from '../errors/error.js';

const NO_BODY = new Uint8Array(0);

/** The body of a request. */
export function bodyOf(request: FastifyRequest): Uint8Array {
  return request.body instanceof Uint8Array ? request.body : NO_BODY;
}

/** Bytes of an unread body that are drained. */
const MOST_DISCARDED = 4 * 2 ** 20;

/** Responses to requests with `Expect: 100-continue` whose client awaits permission to send its body. */
const expecting = new WeakMap<IncomingMessage, ServerResponse>();

/** Records a request with `Expect: 100-continue`. */
export function expectContinue(request: IncomingMessage, response: ServerResponse): void {
  expecting.set(request, response);
}

/** Sends `100 Continue` if the client awaits it. */
function askForBody(request: IncomingMessage): void {
  if (request.headers.expect === undefined) return;
  expecting.get(request)?.writeContinue();
  expecting.delete(request);
}

/** The Content-Length; `undefined` if absent. */
export function declaredLength({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}

/**
 * Reads a whole body. Stops at `limit`, declared or actual, or if no memory is left (`FastifyRequest.incoming`). `done`
 * is called once: with the body, the error of `tooLarge` or of the memory budget, or the connection's error.
 */
export function readBody(
  asked: Pick<FastifyRequest, 'raw' | 'incoming'>,
  limit: number,
  tooLarge: () => Error,
  done: (error: Error | null, body?: Buffer) => void,
): void {
  const request = asked.raw;
  if ((declaredLength(request) ?? 0) > limit) {
    done(tooLarge());
    return;
  }
  askForBody(request);
  const pieces: Buffer[] = [];
  let length = 0;
  const end = (error: Error | null, body?: Buffer) => {
    request.removeListener('data', take).removeListener('end', finish).removeListener('error', end);
    done(error, body);
  };
  const take = (piece: Buffer) => {
    length += piece.length;
    if (length > limit) {
      end(tooLarge());
      return;
    }
    try {
      asked.incoming?.resize(length);
    } catch (thrown) {
      end(asTesseraError(thrown));
      return;
    }
    pieces.push(piece);
  };
  // A copy, since pieces are parts of a buffer that the connection reads into.
  const finish = () => end(null, Buffer.concat(pieces, length));
  request.on('data', take).on('end', finish).on('error', end).resume();
}

/**
 * Streams a body.
 * @throws TesseraError the error of `tooLarge` if its declared length exceeds the limit
 */
export function streamBody(request: IncomingMessage, limit: number, tooLarge: () => Error): IncomingMessage {
  if ((declaredLength(request) ?? 0) > limit) throw tooLarge();
  askForBody(request);
  return request;
}

/** Drains or abandons an unread body before the response. The connection stays open if the rest is short. */
export function discardBody(request: IncomingMessage, reply: FastifyReply): void {
  // It may be drained already.
  if (request.complete || request.destroyed || request.readableFlowing === true || !(request.socket instanceof Socket))
    return;
  const { headers } = request;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return;
  // A client that received no `100 Continue` may send its body or its next request, which cannot be distinguished.
  if (expecting.has(request) || (declaredLength(request) ?? 0) > MOST_DISCARDED) {
    reply.header('connection', 'close');
    return;
  }
  reply.removeHeader('connection');
  let left = MOST_DISCARDED;
  request
    .on('data', (piece: Buffer) => {
      left -= piece.length;
      if (left < 0) request.socket.destroy();
    })
    .on('error', () => {})
    .resume();
}
