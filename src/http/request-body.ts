/**
 * Reading a request's body within a limit, and what becomes of one that nobody reads: it is let in for a while, since a client that is still
 * sending might miss the answer, and a connection that sends more is closed.
 */
import { Buffer } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { asTesseraError } from '../errors/error.js';

/** Bytes of a body that are let in though nobody reads them. */
const MOST_DISCARDED = 4 * 2 ** 20;

/** Answers to requests with `Expect: 100-continue` that the client waits for before it sends its body. */
const expecting = new WeakMap<IncomingMessage, ServerResponse>();

/** Notes a request whose client sends no body before it is asked to. */
export function expectContinue(request: IncomingMessage, response: ServerResponse): void {
  expecting.set(request, response);
}

/** Asks a client that waits for that for its body. */
function askForBody(request: IncomingMessage): void {
  if (request.headers.expect === undefined) return;
  expecting.get(request)?.writeContinue();
  expecting.delete(request);
}

/** How many bytes a body has, as its request says; `undefined` where it doesn't. */
export function declaredLength({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}

/**
 * Reads a whole body. Of one that is longer than `limit`, as it says itself or as it turns out, no more is read, nor of one for which there is
 * no memory (`FastifyRequest.incoming`).
 * `done` is called once: with the body, with the error of `tooLarge` or of the memory, or with what went wrong with the connection.
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

/** Hands a body on as it comes in. @throws what `tooLarge` makes of one that says that it is too long */
export function streamBody(request: IncomingMessage, limit: number, tooLarge: () => Error): IncomingMessage {
  if ((declaredLength(request) ?? 0) > limit) throw tooLarge();
  askForBody(request);
  return request;
}

/** Sees to a body that isn't read, before the answer goes out. The connection stays open where the rest of the body is short. */
export function discardBody(request: IncomingMessage, reply: FastifyReply): void {
  // Somebody may see to it already.
  if (request.complete || request.destroyed || request.readableFlowing === true || !(request.socket instanceof Socket))
    return;
  const { headers } = request;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return;
  // A client that wasn't asked for its body may send it all the same, or its next request: nobody can tell.
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
