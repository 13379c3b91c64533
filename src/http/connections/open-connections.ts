/** Closes idle connections when the server stops, which Node would otherwise wait for. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';

/**
 * Connections on which Node's `close` would wait for a timeout: unused ones, which browsers open in advance, and those
 * that answer a request and stay open for the next one.
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

  /** Responses in progress are completed. */
  close(): void {
    for (const socket of this.#sockets) {
      const answer = answerOn(socket);
      if (answer === undefined) socket.destroy();
      else if (answer.headersSent) answer.once('close', () => socket.end());
      else answer.setHeader('connection', 'close');
    }
  }
}

/** The response in progress on a connection, from Node's internals: tracking each response would cost every request. */
function answerOn(socket: Socket): ServerResponse | undefined {
  return (socket as { readonly _httpMessage?: ServerResponse | null })._httpMessage ?? undefined;
}
