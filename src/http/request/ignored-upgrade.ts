/**
 * Requests that offer an unsupported upgrade, as Java's client does with `Upgrade: h2c`, are ordinary requests (RFC
 * 9110, section 7.8). With a listener for WebSockets, Node treats every offer as an upgrade.
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';

const DROPPED: ReadonlySet<string> = new Set(['upgrade', 'http2-settings', 'connection']);

export function isWebSocketUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

/** Returns the request to the server without its offer, by parsing its bytes again. */
export function ignoreUpgrade(server: Server, request: IncomingMessage, socket: Socket, head: Buffer): void {
  let text = `${request.method} ${request.url} HTTP/${request.httpVersion}\r\n`;
  const { rawHeaders } = request;
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (!DROPPED.has(name.toLowerCase())) text += `${name}: ${rawHeaders[index + 1]}\r\n`;
  }
  socket.unshift(Buffer.concat([Buffer.from(`${text}\r\n`, 'latin1'), head]));
  server.emit(server instanceof TlsServer ? 'secureConnection' : 'connection', socket);
}
