import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';

/**
 * Connections that Node would wait for when the server closes, until they time out: those on which nothing was asked yet, which browsers
 * open in advance, and those on which a request is being answered, which stay open for the next one.
 */
export class OpenConnections {
  readonly #sockets = new Set<Socket>();

  constructor(server: Server) {
    server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    server.on('upgrade', ({ socket }: IncomingMessage) => this.#sockets.delete(socket));
  }

  /** Answers that are under way are still given. */
  close(): void {
    for (const socket of this.#sockets) {
      const answer = answerOn(socket);
      if (answer === undefined) socket.destroy();
      else if (answer.headersSent) answer.once('close', () => socket.end());
      else answer.setHeader('connection', 'close');
    }
  }
}

/** What is being answered on a connection. Node knows it and has no other way to tell; to note each answer would cost each request. */
function answerOn(socket: Socket): ServerResponse | undefined {
  return (socket as { readonly _httpMessage?: ServerResponse | null })._httpMessage ?? undefined;
}
