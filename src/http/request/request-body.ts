/**
 * Reads request bodies within limits. An unread body is drained for a while, since a client that is still sending might
 * miss the response; if it is longer, the connection is closed.
 */
import { Buffer } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { finished } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ByteCollector } from '../../base/byte-collector.js';
import type { Timers } from '../../env/environment.js';
import { YieldQueue } from '../../env/scheduler.js';
import { asTesseraError } from '../../errors/error.js';

const NO_BODY = Buffer.alloc(0);

/** The body of a request. */
export function bodyOf(request: FastifyRequest): Uint8Array {
  return request.body instanceof Uint8Array ? request.body : NO_BODY;
}

/** Bytes of an unread body that are drained. */
const MOST_DISCARDED = 4 * 2 ** 20;
/** Bytes that are drained of one before it waits for others, and whenever it is its turn. */
const DRAINED_PER_TURN = 64 * 2 ** 10;
/** Bodies that are drained at the same time. */
const MOST_DRAINING = 8;

/** Responses to requests with `Expect: 100-continue` whose client awaits permission to send its body. */
const expecting = new WeakMap<IncomingMessage, ServerResponse>();

/** Records a request with `Expect: 100-continue`. */
export function expectContinue(request: IncomingMessage, response: ServerResponse): void {
  expecting.set(request, response);
}

/** Sends `100 Continue` if the client awaits it. */
export function askForBody(request: IncomingMessage): void {
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
  const declared = declaredLength(request);
  if (declared !== undefined && declared > limit) {
    done(tooLarge());
    return;
  }
  if (request.headers.expect !== undefined) askForBody(request);
  let body = NO_BODY;
  /** Of a body in several pieces; most come in one. */
  let collected: ByteCollector | undefined;
  const end = (error: Error | null, whole?: Buffer) => {
    request.removeListener('data', take).removeListener('end', finish).removeListener('error', end);
    done(error, whole);
  };
  const take = (piece: Buffer) => {
    if ((collected?.length ?? 0) + piece.length > limit) {
      end(tooLarge());
      return;
    }
    try {
      if (piece.length === declared) {
        asked.incoming?.resize(piece.length);
        body = Buffer.from(piece);
        return;
      }
      collected ??= collectorOf(asked, declared ?? limit);
      collected.append(piece);
      // The first pieces may have come before they were counted.
      asked.incoming?.resize(collected.capacity);
    } catch (thrown) {
      end(asTesseraError(thrown));
    }
  };
  const finish = () => end(null, collected?.take() ?? body);
  request.on('data', take).on('end', finish).on('error', end).resume();
}

/** Counts the memory of a body before it takes more. */
function collectorOf(asked: Pick<FastifyRequest, 'incoming'>, length: number): ByteCollector {
  const collected = new ByteCollector((capacity) => asked.incoming?.resize(capacity));
  collected.expect(length);
  return collected;
}

/**
 * Streams a body, for which its reader asks (`askForBody`).
 * @throws TesseraError the error of `tooLarge` if its declared length exceeds the limit
 */
export function streamBody(request: IncomingMessage, limit: number, tooLarge: () => Error): IncomingMessage {
  if ((declaredLength(request) ?? 0) > limit) throw tooLarge();
  return request;
}

/** Drains unread bodies piece by piece, one of them in each round of the event loop. */
export class BodyDrains {
  readonly #turns: YieldQueue;
  #draining = 0;

  constructor(timers: Pick<Timers, 'nextRound'>) {
    this.#turns = new YieldQueue((callback) => void timers.nextRound().then(callback));
  }

  /**
   * Drains or abandons an unread body before the response. The connection stays open if the rest is short, and if few
   * others are drained.
   */
  discard(request: IncomingMessage, reply: FastifyReply): void {
    // It may be drained already.
    if (
      request.complete ||
      request.destroyed ||
      request.readableFlowing === true ||
      !(request.socket instanceof Socket)
    )
      return;
    const { headers } = request;
    if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return;
    // A client that received no `100 Continue` may send its body or its next request, which cannot be distinguished.
    const isLong = (declaredLength(request) ?? 0) > MOST_DISCARDED;
    if (expecting.has(request) || isLong || this.#draining >= MOST_DRAINING) {
      reply.header('connection', 'close');
      return;
    }
    reply.removeHeader('connection');
    this.#drain(request);
  }

  #drain(request: IncomingMessage): void {
    this.#draining++;
    let left = MOST_DISCARDED;
    let pauseAt = left - DRAINED_PER_TURN;
    request.on('data', (piece: Buffer) => {
      left -= piece.length;
      if (left < 0) request.socket.destroy();
      else if (left < pauseAt) {
        pauseAt = left - DRAINED_PER_TURN;
        request.pause();
        void this.#turns.wait().then(() => request.resume());
      }
    });
    request.resume();
    finished(request, { writable: false }, () => this.#draining--);
  }
}
