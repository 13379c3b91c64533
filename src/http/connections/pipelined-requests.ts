/**
 * Pipelining (RFC 9112, section 9.3.2): Node begins all requests that arrive together in one step, and reads on while
 * earlier ones are being answered, so that a client could send any number of them.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { failure, type TesseraError } from '../../errors/error.js';
import type { RequestTurns } from '../base/request-turns.js';

/** How many requests of a connection may wait for the response to an earlier one. */
export const MOST_PIPELINED = 64;
/** How many more are ignored, so that a client reads why, before its connection is cut. */
const MOST_IGNORED = 4_096;

/**
 * Begins requests some at a time (`RequestTurns`). Refuses the one beyond the limit of a connection, and closes the
 * connection after its response.
 */
export function limitPipelining(
  server: Server,
  turns: RequestTurns,
  refuse: (request: IncomingMessage, response: ServerResponse, error: TesseraError) => void,
): void {
  const waiting = new WeakMap<Socket, Set<ServerResponse>>();
  /** Of connections of which a request was refused: how many came after it. */
  const ignored = new WeakMap<Socket, number>();
  const handlers = server.listeners('request') as ((request: IncomingMessage, response: ServerResponse) => void)[];
  const begin = (request: IncomingMessage, response: ServerResponse) =>
    turns.begin(request.socket, () => {
      if (request.socket.destroyed) return false;
      for (const handle of handlers) handle.call(server, request, response);
      return true;
    });
  const waitOn = (socket: Socket) => {
    const responses = new Set<ServerResponse>();
    waiting.set(socket, responses);
    socket.once('close', () => closeWaiting(responses));
    return responses;
  };
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    // Node gives a response its socket when those before it are complete.
    if (response.socket !== null) return begin(request, response);
    const { socket } = request;
    const later = ignored.get(socket);
    if (later !== undefined) {
      ignored.set(socket, later + 1);
      if (later === MOST_IGNORED) socket.destroy();
      return;
    }
    const others = waiting.get(socket) ?? waitOn(socket);
    if (others.size === MOST_PIPELINED) {
      ignored.set(socket, 0);
      socket.pause();
      refuse(request, response, failure('too_many_pipelined', { limit: MOST_PIPELINED }));
      return;
    }
    others.add(response);
    response.once('close', () => others.delete(response));
    begin(request, response);
  });
}

/** Node closes only the response that has the socket: what is held for the others would never be released. */
function closeWaiting(responses: ReadonlySet<ServerResponse>): void {
  for (const response of responses) {
    if (response.socket !== null) continue;
    response.destroy();
    response.emit('close');
  }
}
