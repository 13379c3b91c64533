import type { FastifyReply } from 'fastify';
import { Reservation } from '../base/memory-budget.js';
import { asTesseraError } from '../errors/error.js';
import type { Context } from './context.js';
import { rawError } from './raw-error.js';

/** Counts the bytes of a body as they come in. Where all bodies together have no room for them, the request is answered 503. */
export function countBody({ database }: Context, { request, raw: answer }: FastifyReply): void {
  const { id, raw } = request;
  const incoming = new Reservation(database.memory.incoming);
  let bytes = 0;
  const count = (chunk: Uint8Array): void => {
    bytes += chunk.length;
    try {
      incoming.resize(bytes);
    } catch (thrown) {
      raw.removeListener('data', count);
      if (answer.headersSent) raw.socket.destroy();
      else rawError(raw.socket, asTesseraError(thrown), id);
    }
  };
  raw.on('data', count);
  answer.once('close', () => incoming.resize(0));
}
