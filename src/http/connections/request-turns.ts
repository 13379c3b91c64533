import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Timers } from '../../env/environment.js';

/** Requests that are begun in a round of the event loop, of all connections together. */
export const MOST_AT_ONCE = 8;

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

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
