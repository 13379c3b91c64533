/** Sends responses, and reserves memory for those that the client reads slowly. */
import { Buffer } from 'node:buffer';
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Context } from '../context.js';
import { ClientTimeout } from './client-timeout.js';
import type { AnswerBounds } from './large-answer.js';
import { sendBody } from './reply.js';

/** Smaller responses are sent at once, without a reservation. */
const LARGE = 256 * 1024;
/** Larger ones are sent in chunks of this size. */
const PIECE = 64 * 1024;

/** The limits of HTTP responses. */
export function answerBounds({ database, options }: Context): AnswerBounds {
  return { limit: options.limits.answer, budget: database.memory.budget };
}

/**
 * Sends a body with exactly this type. Memory is reserved for a large one until the client has read it; it is aborted
 * if the client reads nothing for the request timeout.
 * @throws TesseraError `server_memory_exceeded`
 */
export function sendAnswer(
  context: Context,
  reply: FastifyReply,
  contentType: string,
  body: string | Uint8Array,
): FastifyReply {
  if (body.length <= LARGE) return sendBody(reply, contentType, body);
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const { budget } = context.database.memory;
  budget.reserve(bytes.length);
  const stall = new ClientTimeout(context, () => reply.raw.destroy());
  reply.raw.once('close', () => {
    stall.end();
    budget.release(bytes.length);
  });
  reply.header('content-type', contentType).header('content-length', bytes.length);
  return reply.send(Readable.from(watched(bytes, stall), { objectMode: false }));
}

function* watched(bytes: Uint8Array, stall: ClientTimeout): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE) {
    stall.begin();
    yield bytes.subarray(at, at + PIECE);
    stall.end();
  }
  // The last chunks are still unread.
  stall.begin();
}
