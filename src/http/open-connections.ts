import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';

/**
 * Connections that Node would wait for when the server closes, until they time out: those on which nothing was asked yet, which browsers
 * open in advance, and those on which a request is being answered, which stay open for the next one.
 */
export class OpenConnections {
  readonly #silent = new Set<Socket>();
  readonly #answers = new Set<ServerResponse>();

  constructor(server: Server) {
    server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
      this.#silent.add(socket);
      socket.once('close', () => this.#silent.delete(socket));
    });
    server.on('upgrade', ({ socket }: IncomingMessage) => this.#silent.delete(socket));
    server.on('request', ({ socket }: IncomingMessage, answer: ServerResponse) => {
      this.#silent.delete(socket);
      this.#answers.add(answer);
      answer.once('close', () => this.#answers.delete(answer));
    });
  }

  /** Answers that are under way are still given. */
  close(): void {
    for (const socket of this.#silent) socket.destroy();
    for (const answer of this.#answers) {
      if (answer.headersSent) answer.once('close', () => answer.req.socket.end());
      else answer.setHeader('connection', 'close');
    }
  }
}
