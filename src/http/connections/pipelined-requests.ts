/**
 * Pipelining (RFC 9112, section 9.3.2): Node begins all requests that arrive together in one step, and reads on while
 * earlier ones are being answered, so that a client could send any number of them.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Timers } from '../../env/environment.js';
import { failure, type TesseraError } from '../../errors/error.js';

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
  timers: Timers,
  refuse: (request: IncomingMessage, response: ServerResponse, error: TesseraError) => void,
): void {
  const waiting = new WeakMap<Socket, Set<ServerResponse>>();
  /** Of connections of which a request was refused: how many came after it. */
  const ignored = new WeakMap<Socket, number>();
  const handlers = server.listeners('request') as RequestHandler[];
  const turns = new RequestTurns(timers, (request, response) => {
    for (const handle of handlers) handle.call(server, request, response);
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
    if (response.socket !== null) return turns.begin(request, response);
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
    turns.begin(request, response);
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

/** Requests that are begun in a round of the event loop, of all connections together. */
export const MOST_AT_ONCE = 8;

type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Begins few requests in each round of the event loop: a round accepts one connection, but reads all those that have
 * sent something. Connections whose requests wait have turns.
 */
export class RequestTurns {
  readonly #timers: Pick<Timers, 'nextRound'>;
  readonly #handle: RequestHandler;
  /** By connection, in the order of turns. */
  readonly #waiting = new Map<Socket, Parameters<RequestHandler>[]>();
  /** Requests begun in the present round. */
  #begun = 0;

  constructor(timers: Pick<Timers, 'nextRound'>, handle: RequestHandler) {
    this.#timers = timers;
    this.#handle = handle;
  }

  /** Begins a request, now or when it is the turn of its connection. */
  begin(request: IncomingMessage, response: ServerResponse): void {
    if (this.#begun < MOST_AT_ONCE && this.#waiting.size === 0) {
      this.#run(request, response);
      return;
    }
    const others = this.#waiting.get(request.socket);
    if (others === undefined) this.#waiting.set(request.socket, [[request, response]]);
    else others.push([request, response]);
  }

  #run(request: IncomingMessage, response: ServerResponse): void {
    if (this.#begun++ === 0) void this.#timers.nextRound().then(() => this.#nextRound());
    this.#handle(request, response);
  }

  #nextRound(): void {
    this.#begun = 0;
    for (const [socket, requests] of this.#waiting) {
      if (this.#begun === MOST_AT_ONCE) return;
      this.#waiting.delete(socket);
      const next = socket.destroyed ? undefined : requests.shift();
      if (next === undefined) continue;
      // Behind the others, which this loop comes to before it.
      if (requests.length > 0) this.#waiting.set(socket, requests);
      this.#run(...next);
    }
  }
}
