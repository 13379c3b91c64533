/** Answers on their way to the client: what it takes its time to read is counted until it has. */
import { Buffer } from 'node:buffer';
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { ClientTimeout } from './client-timeout.js';
import { type Context, sendBody } from './context.js';
import type { AnswerBounds } from './large-answer.js';

/** Answers of fewer bytes go out at once, and count for nothing. */
const LARGE = 256 * 1024;
/** Others in pieces of so many. */
const PIECE = 64 * 1024;

/** What bounds the answers of requests over HTTP. */
export function answerBounds({ database, options }: Context): AnswerBounds {
  return { limit: options.limits.answer, budget: database.memory.budget };
}

/**
 * Sends a body under exactly this type. A large one is reserved until the client has taken it, which ends when it takes nothing of it for as
 * long as a request may take.
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
  // The last pieces are still to be taken.
  stall.begin();
}
