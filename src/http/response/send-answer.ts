/** Sends responses, and reserves memory for those that the client reads slowly. */
import { Buffer } from 'node:buffer';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { MemoryScope } from '../../base/work/memory-scope.js';
import { failure } from '../../errors/error.js';
import type { Context } from '../base/context.js';
import { ClientTimeout } from './client-timeout.js';
import type { AnswerBounds } from './large-answer.js';
import { sendBody } from './reply.js';

/** Smaller responses are sent without a reservation; of those that wait behind others, very small ones. */
const SMALL = 16 * 1024;
const VERY_SMALL = 1024;
/** Larger ones are sent in chunks of this size. */
const LARGE = 256 * 1024;
const PIECE = 64 * 1024;

declare module 'fastify' {
  interface FastifyReply {
    /** What the response takes; `undefined` as long as it is small. */
    memory: MemoryScope | undefined;
  }
}

/** The limits of an HTTP response. */
export function answerBounds(context: Context, reply: FastifyReply): AnswerBounds {
  return { limit: context.options.limits.answer, budget: budgetOf(context, reply) };
}

/** The budget of a response, which is charged to its user until it is closed. */
function budgetOf({ database }: Context, reply: FastifyReply): MemoryScope {
  if (reply.memory !== undefined) return reply.memory;
  // The client is gone: nothing would end the reservation.
  if (reply.raw.destroyed) throw failure('cancelled');
  const memory = database.memory.answer(reply.request.caller?.identity.principal);
  reply.memory = memory.budget;
  reply.raw.once('close', () => memory.close());
  return memory.budget;
}

/**
 * Sends a body with exactly this type. Memory is reserved for it until the client has read it, unless it is small; the
 * connection is cut if the client reads nothing for the request timeout.
 * @throws TesseraError `server_memory_exceeded`, `user_memory_exceeded`
 */
export function sendAnswer(
  context: Context,
  reply: FastifyReply,
  contentType: string,
  body: string | Uint8Array,
): FastifyReply {
  const { socket } = reply.request.raw;
  // Responses to pipelined requests wait for the earlier ones.
  const waits = reply.raw.socket === null || socket.writableLength > 0;
  if (body.length <= (waits ? VERY_SMALL : SMALL)) return sendBody(reply, contentType, body);
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  budgetOf(context, reply).charge(bytes.length);
  const stopWatching = watchReading(context, socket);
  reply.raw.once('close', stopWatching);
  if (bytes.length <= LARGE) return sendBody(reply, contentType, bytes);
  reply.header('content-type', contentType).header('content-length', bytes.length);
  return reply.send(Readable.from(pieces(bytes), { objectMode: false }));
}

/** Cuts a connection whose client reads nothing of what waits for it. Returns a function that stops. */
function watchReading(context: Context, socket: Socket): () => void {
  const sent = () => socket.bytesWritten - socket.writableLength;
  let before = sent();
  const timeout = new ClientTimeout(context, () => {
    const now = sent();
    if (socket.writableLength > 0 && now === before) {
      socket.destroy();
      return;
    }
    before = now;
    timeout.begin();
  });
  timeout.begin();
  return () => timeout.end();
}

function* pieces(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
}
